use std::time::Duration;

use locklab_sys::Clock;

use super::{Course, Due, World};
use crate::choice::Choice;
use crate::kernel::{IoCall, MachineId, TaskId};
use crate::mishap::Budgets;

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

/// What the course of a world says of what may happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Front {
    /// What must happen now, alone.
    pub(crate) forced: Option<Choice>,
    /// Whether the adversary may move, as long as something can happen.
    pub(crate) is_awake: bool,
    /// Whether it may let time pass, and whether something may befall machines.
    pub(crate) may_pass: bool,
    pub(crate) may_mishap: bool,
    /// Whether the adversary is silent for good.
    pub(crate) is_quiet: bool,
}

/// A step that a task can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ability {
    /// Whether it concerns nobody but who makes it.
    pub(crate) is_local: bool,
    /// Whether it would only wait, and nobody could tell.
    pub(crate) only_waits: bool,
}

impl World {
    /// Writes into `offer` what may happen next.
    pub fn offer(&self, offer: &mut Offer) {
        offer.steps.clear();
        offer.may_move = false;
        if let Some(forced) = self.forced() {
            offer.steps.push(forced);
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
        offer.may_move = course.is_awake() && (!offer.steps.is_empty() || !self.is_over());
    }

    /// Writes into `moves` what the adversary may do where it may move: at
    /// least fall silent, which comes last.
    pub fn moves(&self, moves: &mut Vec<Choice>) {
        moves.clear();
        for index in 0..self.state.minds.len() {
            self.offer_moves_on(TaskId(index as u32), moves);
        }
        if self.state.course.budget.passes > 0 && self.somebody_can_step() {
            self.offer_passes(moves);
        }
        self.offer_mishaps(moves);
        moves.push(Choice::Quiet);
    }

    /// What the course says of it.
    pub(crate) fn front(&self) -> Front {
        let course = &*self.state.course;
        Front {
            forced: self.forced(),
            is_awake: course.is_awake(),
            may_pass: course.budget.passes > 0,
            may_mishap: course.budget.mishaps != Budgets::default(),
            is_quiet: course.budget.quiet,
        }
    }

    /// Nothing if it cannot make a step.
    pub(crate) fn ability(&self, task: TaskId) -> Option<Ability> {
        self.can_step(task).then(|| Ability {
            is_local: self.is_local(task),
            only_waits: self.would_only_wait(task),
        })
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
            Due::Launch(index) | Due::Restart(index, _) => Choice::Launch(index),
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

    fn would_only_wait(&self, task: TaskId) -> bool {
        let call = self.pending(task).filter(|_| !self.state.kernel.is_blocked(task));
        call.is_some_and(|call| self.state.kernel.would_only_wait(task, call))
    }

    fn is_local(&self, task: TaskId) -> bool {
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

    /// Adds what the adversary may do to the process whose main task this is.
    pub(crate) fn offer_moves_on(&self, task: TaskId, choices: &mut Vec<Choice>) {
        if !self.state.kernel.is_main(task) {
            return;
        }
        let proc = self.state.kernel.process_of(task);
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

    /// Adds all critical instants up to which time may pass.
    pub(crate) fn offer_passes(&self, moves: &mut Vec<Choice>) {
        moves.extend(self.instants().into_iter().map(Choice::Until));
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
        // Where no rule declares a duration, no file is looked at.
        let is_declared = !self.state.setup.durations.is_empty();
        for (machine, stamp) in
            is_declared.then(|| self.state.kernel.file_times()).into_iter().flatten()
        {
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
