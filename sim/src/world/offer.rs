use std::time::Duration;

use locklab_sys::Clock;

use super::{Course, Due, World};
use crate::choice::Choice;
use crate::kernel::{IoCall, MachineId, ProcId, TaskId};

/// How close to a critical instant passing time comes, on either side: one
/// tick of the start-time clock, the coarsest there is but for that of some
/// file systems.
const CLOSE: Duration = Duration::from_millis(10);

/// What a world offers.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// What must happen now, alone; else the steps that can be taken, or the
    /// jump to the next timer when none can. Empty when nobody can ever run.
    pub steps: Vec<Choice>,
    /// Whether the adversary may move instead: [`World::moves`] says how.
    pub may_move: bool,
}

impl Offer {
    /// Whether there is nothing to choose: one ordinary step, and no move.
    pub fn goes_without_saying(&self) -> bool {
        !self.may_move && matches!(self.steps[..], [only] if only.is_ordinary())
    }

    /// Whether the run is over.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && !self.may_move
    }
}

impl World {
    /// Writes into `offer` what may happen next.
    pub fn offer(&self, offer: &mut Offer) {
        offer.steps.clear();
        if let Some(forced) = self.forced() {
            offer.steps.push(forced);
            offer.may_move = false;
            return;
        }
        let course = &*self.state.course;
        for index in 0..self.state.minds.len() {
            let task = TaskId(index as u32);
            if self.can_go_on(task, course) {
                offer.steps.push(Choice::Step(task));
            }
        }
        if offer.steps.is_empty() && self.next_timer().is_some() {
            offer.steps.push(Choice::Jump);
        }
        offer.may_move = course.budget.awake
            && !course.budget.quiet
            && (!offer.steps.is_empty() || !self.is_over());
    }

    /// Writes into `moves` what the adversary may do where it may move: at
    /// least fall silent, which comes last.
    pub fn moves(&self, moves: &mut Vec<Choice>) {
        moves.clear();
        for index in 0..self.state.minds.len() {
            let task = TaskId(index as u32);
            if self.state.kernel.is_main(task) {
                self.offer_moves_on(self.state.kernel.process_of(task), moves);
            }
        }
        if self.state.course.budget.passes > 0 && self.somebody_can_step() {
            moves.extend(self.instants().into_iter().map(Choice::Until));
        }
        self.offer_mishaps(moves);
        moves.push(Choice::Quiet);
    }

    /// Everything that may happen next.
    pub fn choices(&self) -> Vec<Choice> {
        let mut offer = Offer::default();
        self.offer(&mut offer);
        let mut choices = offer.steps;
        if offer.may_move {
            let mut moves = Vec::new();
            self.moves(&mut moves);
            choices.append(&mut moves);
        }
        choices
    }

    /// Whether every process with a task has ended.
    pub fn is_over(&self) -> bool {
        self.state.course.agenda.is_empty()
            && self.state.minds.iter().all(|mind| mind.task().pending().is_none())
    }

    fn forced(&self) -> Option<Choice> {
        let Course { story, agenda, .. } = &*self.state.course;
        if let Some(fault) = story.due() {
            return Some(Choice::Fault(fault));
        }
        let now = self.state.kernel.now();
        let mut due = agenda.iter().take_while(|appointment| appointment.at <= now);
        let appointment = due.find(|appointment| !self.is_held(appointment))?;
        Some(match appointment.what {
            Due::Launch(index) => Choice::Launch(index),
            Due::Fault(index) => Choice::Fault(index),
            Due::Continue(proc) => Choice::Continue(proc),
            Due::Feed(proc) => Choice::Feed(proc),
            Due::Reuse(proc, _) => Choice::Reuse(proc),
            Due::Wake(machine) => Choice::Wake(machine),
            Due::Drain(machine) => Choice::Drain(machine),
        })
    }

    fn can_step(&self, task: TaskId) -> bool {
        self.can_go_on(task, &self.state.course)
    }

    /// It is asked of every task before each choice: the course is looked up once.
    fn can_go_on(&self, task: TaskId, course: &Course) -> bool {
        let kernel = &self.state.kernel;
        if self.state.minds[task.0 as usize].task().pending().is_none() {
            return false;
        }
        let proc = kernel.process_of(task);
        let process = kernel.process(proc);
        !process.is_stopped()
            && !course.is_starved(proc, process)
            && (!kernel.is_blocked(task) || kernel.ready(task))
    }

    /// Whether it is a step that would only wait, and that nobody could tell.
    pub(crate) fn would_only_wait(&self, choice: Choice) -> bool {
        let Choice::Step(task) = choice else { return false };
        let call = self.pending(task).filter(|_| !self.state.kernel.is_blocked(task));
        call.is_some_and(|call| self.state.kernel.would_only_wait(task, call))
    }

    /// Whether it is a step that concerns nobody but who makes it.
    pub(crate) fn is_local(&self, choice: Choice) -> bool {
        let Choice::Step(task) = choice else { return false };
        let call = self.pending(task).filter(|_| !self.state.kernel.is_blocked(task));
        call.is_some_and(|call| self.state.kernel.is_local(task, call))
    }

    /// The earliest time at which something happens by itself.
    pub(super) fn next_timer(&self) -> Option<Duration> {
        let mut agenda = self.state.course.agenda.iter();
        let due = agenda.find(|appointment| !self.is_held(appointment)).map(|next| next.at);
        [self.state.kernel.next_timer(), due].into_iter().flatten().min()
    }

    /// Whether something is to happen at a time.
    pub(crate) fn has_timer(&self) -> bool {
        self.next_timer().is_some()
    }

    fn somebody_can_step(&self) -> bool {
        (0..self.state.minds.len()).any(|index| self.can_step(TaskId(index as u32)))
    }

    fn offer_moves_on(&self, proc: ProcId, choices: &mut Vec<Choice>) {
        let process = self.state.kernel.process(proc);
        if !process.is_alive() {
            if self.state.course.budget.reuses > 0 && self.state.kernel.pid_is_free(proc) {
                choices.push(Choice::Reuse(proc));
            }
            return;
        }
        if process.is_stopped() {
            choices.push(Choice::Continue(proc));
        } else if self.state.course.budget.stops > 0 {
            choices.push(Choice::Stop(proc));
        }
        if self.state.course.budget.kills > 0 {
            choices.push(Choice::Kill(proc));
        }
        if self.state.course.budget.io_errors > 0 {
            choices.extend(IoCall::ALL.map(|call| Choice::FailIo(proc, call)));
        }
    }

    /// The critical instants ahead: the next timer, and close before and
    /// after every time at which a file has an age that some rule declares.
    pub(super) fn instants(&self) -> Vec<Duration> {
        let now = self.state.kernel.now();
        let mut instants: Vec<Duration> = Vec::new();
        if self.state.setup.every_timer {
            instants.extend(self.state.kernel.timers());
            instants.extend(self.state.course.agenda.iter().map(|appointment| appointment.at));
        } else {
            instants.extend(self.next_timer());
        }
        for (machine, stamp) in self.state.kernel.file_times() {
            for declared in &self.state.setup.durations {
                let age = stamp + *declared;
                for due in [Some(age), self.next_file_time(machine, age)].into_iter().flatten() {
                    if let Some(due) = self.world_time(machine, due) {
                        instants.push(due.saturating_sub(CLOSE));
                        instants.push(due + CLOSE);
                    }
                }
            }
        }
        instants.retain(|instant| *instant > now);
        instants.sort_unstable();
        instants.dedup();
        instants
    }

    /// The first file time after `time`, where they are far between. Who asks
    /// the file system for the time, by a file that it makes, sees none earlier.
    fn next_file_time(&self, machine: MachineId, time: Duration) -> Option<Duration> {
        let granularity = self.state.kernel.time_granularity(machine);
        let since = time.as_nanos().checked_rem(granularity.as_nanos())? as u64;
        (granularity > CLOSE).then(|| time + (granularity - Duration::from_nanos(since)))
    }

    /// When a machine's realtime clock will show `realtime`, if it is ahead.
    fn world_time(&self, machine: MachineId, realtime: Duration) -> Option<Duration> {
        let ahead = realtime.checked_sub(self.state.kernel.clock(machine, Clock::Realtime))?;
        Some(self.state.kernel.now() + ahead)
    }
}
