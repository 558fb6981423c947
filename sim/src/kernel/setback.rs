//! Worlds that differ in nothing but when they began.
//!
//! Nobody makes anything of the time but how long ago something was. So a search need
//! not tell apart two states of which one came later: it sets all clocks back to what
//! they showed at the beginning, and all that was noted of them with them.

use std::time::Duration;

use super::machine::Machine;
use super::wait::Blocked;
use super::{Kernel, MachineConfig, MachineId};

/// What has been noted of a machine's clocks, outside of the kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noted {
    pub(crate) realtime: Vec<Duration>,
    pub(crate) uptime: Vec<Duration>,
}

/// What the clocks of a machine are set to, and what then becomes of their readings.
#[derive(Clone, Debug)]
pub(crate) struct Setback {
    realtime: Change,
    uptime: Change,
    /// What every later start time becomes: nobody has noted it.
    fresh_ticks: u64,
}

impl Setback {
    pub(crate) fn realtime(&self, time: Duration) -> Duration {
        self.realtime.of(time)
    }

    pub(crate) fn uptime(&self, time: Duration) -> Duration {
        self.uptime.of(time)
    }

    pub(crate) fn ticks(&self, ticks: u64) -> u64 {
        ticks.min(self.fresh_ticks)
    }
}

/// What becomes of the readings of a clock: of any two that are no further apart than
/// matters, or of which one is yet to come, the distance stays; all others stay further
/// apart than matters.
#[derive(Clone, Debug)]
struct Change {
    /// Each reading with what becomes of it, sorted.
    readings: Vec<(Duration, Duration)>,
}

impl Change {
    /// The clock is set to `to`; distances shrink by multiples of `unit`. `None` if there is
    /// not so much time before `to`.
    fn new(
        from: Duration,
        to: Duration,
        noted: Vec<Duration>,
        memory: Duration,
        unit: Duration,
    ) -> Option<Self> {
        let mut old = noted;
        old.push(from);
        old.sort_unstable();
        old.dedup();
        let now = old.binary_search(&from).expect("it was just put there");
        let mut new = vec![to; old.len()];
        for at in (0..now).rev() {
            new[at] = new[at + 1].checked_sub(shrunk(old[at + 1] - old[at], memory, unit))?;
        }
        for at in now + 1..old.len() {
            // How long it is until then will matter.
            new[at] = new[at - 1] + (old[at] - old[at - 1]);
        }
        Some(Self { readings: old.into_iter().zip(new).collect() })
    }

    fn of(&self, time: Duration) -> Duration {
        let at = self.readings.binary_search_by_key(&time, |(old, _)| *old);
        self.readings[at.expect("all readings were noted")].1
    }
}

/// A distance that is as good as `distance`.
fn shrunk(distance: Duration, memory: Duration, unit: Duration) -> Duration {
    let unit = unit.max(Duration::from_nanos(1));
    let more = distance.saturating_sub(memory);
    distance - whole(more, unit)
}

/// The multiple of `unit` up to `time`.
fn whole(time: Duration, unit: Duration) -> Duration {
    time - rest(time, unit)
}

fn rest(time: Duration, unit: Duration) -> Duration {
    Duration::from_nanos((time.as_nanos() % unit.as_nanos()) as u64)
}

impl Kernel {
    /// Whether all clocks show what they did at the beginning, and the world's own `base`.
    pub(crate) fn is_set_back(&self, configs: &[MachineConfig], base: Duration) -> bool {
        let mut machines = (0..).map(MachineId).zip(self.machines.iter().zip(configs));
        self.now == base
            && machines.all(|(id, (machine, config))| {
                machine.realtime == home(machine, config) && machine.ticks() <= self.fresh_ticks(id)
            })
    }

    /// Whether nothing depends on the time but by how long ago something was.
    pub(crate) fn may_be_set_back(&self) -> bool {
        !self.machines.iter().any(|machine| machine.files.keeps_time() || machine.has_slept())
    }

    /// What it takes to set all clocks back, if it can be done. It makes no difference whether
    /// something is older than `memory`.
    pub(crate) fn setbacks(
        &self,
        configs: &[MachineConfig],
        memory: Duration,
        noted: Vec<Noted>,
    ) -> Option<Vec<Setback>> {
        let machines = (0..).map(MachineId).zip(self.machines.iter().zip(configs));
        machines
            .zip(noted)
            .map(|((id, (machine, config)), Noted { mut realtime, uptime })| {
                realtime.extend(machine.files.all_times());
                let (unit, fresh_ticks) = (config.time_granularity, self.fresh_ticks(id));
                let (now, home) = (machine.realtime, home(machine, config));
                let since_boot = (machine.uptime(), machine.uptime_at_tick(fresh_ticks));
                Some(Setback {
                    realtime: Change::new(now, home, realtime, memory, unit)?,
                    uptime: Change::new(
                        since_boot.0,
                        since_boot.1,
                        uptime,
                        memory,
                        Duration::ZERO,
                    )?,
                    fresh_ticks,
                })
            })
            .collect()
    }

    /// The first tick after those that somebody may have noted: start times are written
    /// down. Strangers, who have no task, note nothing.
    fn fresh_ticks(&self, machine: MachineId) -> u64 {
        let noted = self.tasks.iter().map(|task| self.process(task.proc));
        let noted = noted.filter(|process| process.machine == machine);
        noted.map(|process| process.start_ticks).max().unwrap_or(0) + 1
    }

    /// Sets all clocks back.
    pub(crate) fn set_back(&mut self, setbacks: &[Setback], base: Duration) {
        let was = self.now;
        let moved = |time: Duration| {
            // What was due before now is as late as if it were due now.
            if time < FOR_EVER { (time + base).saturating_sub(was).max(base) } else { time }
        };
        self.now = base;
        for (machine, setback) in self.machines.iter_mut().zip(setbacks) {
            machine.realtime = setback.realtime(machine.realtime);
            machine.set_uptime(setback.uptime(machine.uptime()));
            machine.files.set_back(setback);
        }
        for process in &mut self.procs {
            let setback = &setbacks[usize::from(process.machine.0)];
            let start_ticks = setback.ticks(process.start_ticks);
            if process.start_ticks != start_ticks {
                process.start_ticks = start_ticks;
            }
        }
        for task in self.tasks.iter_mut().filter(|task| task.blocked.is_some()) {
            let deadline = task.blocked.as_mut().and_then(Blocked::deadline_mut);
            deadline.into_iter().for_each(|time| *time = moved(*time));
        }
        for alarm in &mut self.alarms {
            alarm.due = moved(alarm.due);
        }
    }
}

/// No world lasts so long: what is due then never is.
const FOR_EVER: Duration = Duration::from_secs(1 << 60);

/// What a machine's realtime clock is set back to: as it began, and as far between two
/// file times as it is.
fn home(machine: &Machine, config: &MachineConfig) -> Duration {
    match config.time_granularity {
        Duration::ZERO => config.realtime,
        unit => whole(config.realtime, unit) + rest(machine.realtime, unit),
    }
}
