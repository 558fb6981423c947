//! Timers that end in a signal.

use std::time::Duration;

use locklab_sys::Ret;

use super::{Kernel, MachineId, ProcId};

/// When a process gets a `SIGALRM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Alarm {
    /// Since the world began.
    pub(super) due: Duration,
    pub(super) proc: ProcId,
}

impl Kernel {
    /// Sets a process's timer anew; what was left of it.
    pub(super) fn setitimer(&mut self, proc: ProcId, after: Duration) -> Ret {
        let before = self.disarm(proc);
        let left = before.map_or(Duration::ZERO, |alarm| alarm.due - self.now);
        let after = whole_micros(after);
        if !after.is_zero() {
            let alarm = Alarm { due: self.now.saturating_add(after), proc };
            let at = self.alarms.partition_point(|other| *other < alarm);
            self.alarms.insert(at, alarm);
        }
        Ret::Time(whole_micros(left))
    }

    pub(super) fn disarm(&mut self, proc: ProcId) -> Option<Alarm> {
        let at = self.alarms.iter().position(|alarm| alarm.proc == proc)?;
        Some(self.alarms.remove(at))
    }

    /// The timers of a machine that rests go by its monotonic clock.
    pub(super) fn postpone_alarms(&mut self, machine: MachineId, by: Duration) {
        for alarm in &mut self.alarms {
            if self.procs[alarm.proc.0 as usize].machine == machine {
                alarm.due = alarm.due.saturating_add(by);
            }
        }
        self.alarms.sort_unstable();
    }

    /// The first timer that is due no later than `to`, which is then no more.
    pub(super) fn take_alarm(&mut self, to: Duration) -> Option<Alarm> {
        let first = self.alarms.first().filter(|alarm| alarm.due <= to)?;
        let first = *first;
        self.alarms.remove(0);
        Some(first)
    }
}

fn whole_micros(time: Duration) -> Duration {
    Duration::new(time.as_secs(), time.subsec_micros() * 1000)
}
