use std::time::Duration;

use locklab_sys::{Cursor, Happening, Image, Progress, Reply, Ret, Role, SmolStr, Task};

use super::{Appointment, CallOutcome, Due, Mind, Performed, Position, World};
use crate::choice::Choice;
use crate::event::Event;
use crate::kernel::{Effect, Outcome, ProcId, ReusedBy, State, TaskId};
use crate::part::Part;
use crate::setup::{Action, Adversary};

impl World {
    /// Makes a choice happen, which must be one of those offered.
    pub fn apply(&mut self, choice: Choice) {
        self.happened.events.clear();
        self.happened.performed = None;
        match choice {
            Choice::Step(task) => self.step(task),
            Choice::Jump => {
                let timer = self.next_timer().expect("time jumps to a timer");
                self.state.kernel.advance_to(timer);
            }
            Choice::Launch(index) => self.launch(index),
            Choice::Fault(index) => self.fault(index),
            Choice::Stop(proc) => {
                spend(&mut self.state.course.budget.stops);
                self.state.kernel.stop(proc);
            }
            Choice::Continue(proc) => self.carry_on(proc),
            Choice::Feed(proc) => self.feed(proc),
            Choice::Kill(proc) => {
                spend(&mut self.state.course.budget.kills);
                self.state.kernel.kill(proc);
            }
            Choice::Until(time) => {
                spend(&mut self.state.course.budget.passes);
                self.state.kernel.advance_to(time);
                self.happened.events.push(Event::TimePassed);
            }
            Choice::Reuse(proc) => self.reuse(proc),
            Choice::FailIo(proc, call) => {
                spend(&mut self.state.course.budget.io_errors);
                self.state.kernel.fail_next(proc, call);
            }
            Choice::Mishap(machine, mishap) => {
                spend(mishap.budget(&mut self.state.course.budget.mishaps));
                self.befall(machine, mishap);
            }
            Choice::Wake(machine) => self.wake(machine),
            Choice::Drain(machine) => {
                self.forget(Due::Drain(machine));
                self.state.kernel.drain_disk(machine);
            }
            Choice::Quiet => self.fall_silent(),
        }
        self.take_effects();
    }

    fn step(&mut self, task: TaskId) {
        let index = task.0 as usize;
        if self.state.kernel.is_blocked(task) {
            let reply = self.state.kernel.finish(task);
            self.perform(task, || CallOutcome::Woke(reply.clone()));
            self.take_effects();
            self.resume(task, reply);
            return;
        }
        let call =
            self.state.minds[index].task().pending().expect("a task that can step has a call");
        let outcome = self.state.kernel.call(task, call);
        match outcome {
            Outcome::Done(reply) => {
                self.perform(task, || CallOutcome::Returned(reply.clone()));
                self.take_effects();
                self.resume(task, reply);
            }
            Outcome::Spawned { reply, task: child, image, .. } => {
                self.perform(task, || CallOutcome::Returned(reply.clone()));
                self.take_effects();
                let of = self.launch_of(task, child);
                self.begin(child, image, of);
                self.resume(task, reply);
            }
            Outcome::Executed { image } => {
                self.perform(task, || CallOutcome::Returned(Ok(Ret::Unit)));
                self.take_effects();
                self.execute(task, image);
            }
            Outcome::Blocked => self.perform(task, || CallOutcome::Blocked),
            Outcome::Ended => self.perform(task, || CallOutcome::Ended),
        }
    }

    /// Notes the call of this step, if calls are recorded.
    fn perform(&mut self, task: TaskId, outcome: impl FnOnce() -> CallOutcome) {
        let position = &mut self.state.minds[task.0 as usize].position;
        if self.happened.recording {
            let call = position.task.pending().expect("the call is still pending").clone();
            let points = position.points.clone();
            self.happened.performed = Some(Performed { task, points, call, outcome: outcome() });
        }
        if !position.points.is_empty() {
            position.points.clear();
        }
    }

    /// Hands a reply to a task, unless its own call was the end of it.
    fn resume(&mut self, task: TaskId, reply: Reply) {
        let index = task.0 as usize;
        let Position { task: program, .. } = &mut *self.state.minds[index].position;
        if program.pending().is_none() {
            return;
        }
        let cursor = &mut self.cursors[index];
        let progress = program.resume(cursor, reply, &mut self.happened.said);
        self.hear(task, progress);
    }

    /// A new task runs up to its first call.
    pub(super) fn begin(&mut self, task: TaskId, image: Image, launch: Option<usize>) {
        assert_eq!(task.0 as usize, self.state.minds.len(), "tasks are numbered in order");
        let role = if self.state.kernel.is_main(task) { Role::Main } else { Role::Thread };
        let (program, cursor, progress) = self.start(image, role);
        let (end, position) = (program.at_end(), Part::new(Position::new(program)));
        self.state.minds.push(Mind { launch, end, position });
        self.cursors.push(cursor);
        self.hear(task, progress);
    }

    /// A task at the first call of an image.
    fn start(&mut self, image: Image, role: Role) -> (Task, Option<Cursor>, Progress) {
        let said = &mut self.happened.said;
        match &self.automaton {
            Some(automaton) => {
                let (task, progress) = automaton.start(image, role, said);
                (task, None, progress)
            }
            None => {
                let (task, cursor, progress) = Task::start(image, role, said);
                (task, Some(cursor), progress)
            }
        }
    }

    /// The process of the set-up that a new task belongs to: a thread, to that
    /// of its maker; a child, to none.
    fn launch_of(&self, maker: TaskId, made: TaskId) -> Option<usize> {
        let is_thread = self.state.kernel.process_of(maker) == self.state.kernel.process_of(made);
        self.state.minds[maker.0 as usize].launch.filter(|_| is_thread)
    }

    /// A task runs another program, up to its first call.
    fn execute(&mut self, task: TaskId, image: Image) {
        let (program, cursor, progress) = self.start(image, Role::Main);
        let mind = &mut self.state.minds[task.0 as usize];
        mind.end = program.at_end();
        mind.position.task = program;
        self.cursors[task.0 as usize] = cursor;
        self.hear(task, progress);
    }

    /// Takes note of what a program said.
    fn hear(&mut self, task: TaskId, progress: Progress) {
        let proc = self.state.kernel.process_of(task);
        let mind = &mut self.state.minds[task.0 as usize];
        for said in self.happened.said.drain(..) {
            match (&said, mind.launch) {
                (Happening::Point(point), launch) => {
                    mind.position.points.push(point);
                    mind.position.last_point = Some(point);
                    if let Some(process) = launch
                        && !self.state.setup.story.is_empty()
                    {
                        let faults = &self.state.setup.story;
                        for fault in self.state.course.story.arrive(faults, process, point) {
                            let at = self.state.kernel.now() + faults[fault].after;
                            enter(
                                &mut self.state.course.agenda,
                                Appointment { at, what: Due::Fault(fault) },
                            );
                        }
                    }
                }
                (Happening::Mark { name, .. }, Some(process)) => {
                    let after = self.state.setup.adversary.after.as_ref();
                    if after.is_some_and(|after| after.process == process && after.mark == *name) {
                        self.state.course.budget.awake = true;
                    }
                }
                (Happening::Mark { .. }, None) => {}
            }
            self.happened.events.push(Event::Said { task, proc, said });
        }
        if let Progress::Aborts(message) = progress {
            self.happened.events.push(Event::Aborted { proc, message: SmolStr::new(message) });
            self.state.kernel.abort(proc);
            self.take_effects();
        }
    }

    fn fault(&mut self, index: usize) {
        self.forget(Due::Fault(index));
        let fault = &self.state.setup.story[index];
        let (process, action) = (fault.process, fault.action);
        let proc = self.state.course.launched[process].expect("who comes to a point was launched");
        let machine = self.state.kernel.process(proc).machine;
        // Who has ended at its point, or is stopped already, is out of reach.
        let in_reach = match action {
            Action::Stop(_) => self.state.kernel.process(proc).state == State::Running,
            Action::Starve(_) => {
                self.state.kernel.process(proc).state == State::Running && !self.is_starved(proc)
            }
            Action::Kill
            | Action::KillAndReuse(_)
            | Action::KillAndRestart(_)
            | Action::FailIo(_) => self.state.kernel.process(proc).is_alive(),
            Action::Machine(mishap) => self.may_befall(machine, mishap),
        };
        if !in_reach {
            self.state.course.story.settle(index, false);
            return;
        }
        match action {
            Action::Stop(time) => {
                self.state.kernel.stop(proc);
                self.appoint(time, Due::Continue(proc));
            }
            Action::Starve(time) => self.starve(proc, time),
            Action::Kill => self.state.kernel.kill(proc),
            Action::KillAndReuse(time) => {
                self.state.kernel.kill(proc);
                self.appoint(time, Due::Reuse(proc, index));
            }
            Action::KillAndRestart(time) => {
                self.state.kernel.kill(proc);
                self.appoint(time, Due::Restart(process, index));
            }
            Action::FailIo(call) => self.state.kernel.fail_next(proc, call),
            Action::Machine(mishap) => self.befall(machine, mishap),
        }
        // A pid that is to be reused has not been, nor a call failed, yet.
        let is_yet_to_come = matches!(
            action,
            Action::KillAndReuse(_) | Action::KillAndRestart(_) | Action::FailIo(_)
        );
        self.state.course.story.settle(index, !is_yet_to_come);
    }

    fn starve(&mut self, proc: ProcId, time: Duration) {
        self.state.course.starved.push(proc);
        self.state.course.starved.sort_unstable();
        self.appoint(time, Due::Feed(proc));
        self.happened.events.push(Event::Starved { proc });
    }

    fn feed(&mut self, proc: ProcId) {
        self.forget(Due::Feed(proc));
        self.state.course.starved.retain(|starved| *starved != proc);
        if self.state.kernel.process(proc).is_alive() {
            self.happened.events.push(Event::Fed { proc });
        }
    }

    fn carry_on(&mut self, proc: ProcId) {
        self.forget(Due::Continue(proc));
        self.state.kernel.cont(proc);
    }

    fn reuse(&mut self, proc: ProcId) {
        let of_story =
            self.state.course.agenda.iter().find_map(|appointment| match appointment.what {
                Due::Reuse(dead, fault) if dead == proc => Some(fault),
                _ => None,
            });
        match of_story {
            Some(fault) => {
                self.forget(Due::Reuse(proc, fault));
            }
            None => spend(&mut self.state.course.budget.reuses),
        }
        if !self.state.kernel.pid_is_free(proc) {
            return;
        }
        self.state.course.strangers += 1;
        let name = smol_str::format_smolstr!("stranger{}", self.state.course.strangers);
        let process = self.state.kernel.process(proc);
        let reused_by = self.state.setup.machines[process.machine.0 as usize].reused_by;
        if reused_by == ReusedBy::Thread && process.container().is_none() {
            self.state.kernel.reuse_pid_by_thread(proc, name);
        } else {
            self.state.kernel.reuse_pid(proc, name);
        }
        if let Some(fault) = of_story {
            self.state.course.story.settle(fault, true);
        }
    }

    fn fall_silent(&mut self) {
        self.state.course.budget.quiet = true;
        self.happened.events.push(Event::Quiet);
        for index in 0..self.state.minds.len() {
            let proc = self.state.kernel.process_of(TaskId(index as u32));
            let told = self.state.course.agenda.iter().any(|due| due.what == Due::Continue(proc));
            if self.state.kernel.process(proc).is_stopped() && !told {
                self.state.kernel.cont(proc);
            }
        }
    }

    pub(super) fn appoint(&mut self, after: Duration, what: Due) {
        enter(
            &mut self.state.course.agenda,
            Appointment { at: self.state.kernel.now() + after, what },
        );
    }

    /// Takes an appointment off the agenda, if it is there.
    pub(super) fn forget(&mut self, what: Due) {
        self.state.course.agenda.retain(|appointment| appointment.what != what);
    }

    /// Moves what the kernel saw to the events, and ends the tasks of
    /// processes that ended.
    pub(super) fn take_effects(&mut self) {
        if self.state.kernel.effects().is_empty() {
            return;
        }
        for effect in self.state.kernel.effects() {
            match effect {
                Effect::IoFailed { proc, call } => {
                    let mut faults = self.state.setup.story.iter().enumerate();
                    let told = faults.find(|&(index, fault)| {
                        fault.action == Action::FailIo(*call)
                            && self.state.course.launched[fault.process] == Some(*proc)
                            && self.state.course.story.is_over(index)
                            && !self.state.course.story.fired()[index]
                    });
                    if let Some((fault, _)) = told {
                        self.state.course.story.settle(fault, true);
                    }
                }
                Effect::Ended { proc, .. } => {
                    for (index, mind) in self.state.minds.iter_mut().enumerate() {
                        if self.state.kernel.process_of(TaskId(index as u32)) == *proc {
                            mind.end();
                            self.cursors[index] = None;
                        }
                    }
                }
                Effect::ThreadEnded { task, .. } => {
                    self.state.minds[task.0 as usize].end();
                    self.cursors[task.0 as usize] = None;
                }
                _ => {}
            }
            self.happened.events.push(Event::Effect(effect.clone()));
        }
        self.state.kernel.clear_effects();
    }
}

/// Puts an appointment behind all that are not later.
pub(super) fn enter(agenda: &mut Vec<Appointment>, appointment: Appointment) {
    let index = agenda.partition_point(|other| other.at <= appointment.at);
    agenda.insert(index, appointment);
}

fn spend(budget: &mut u32) {
    if *budget != Adversary::FREE {
        *budget = budget.checked_sub(1).expect("a move is offered while its budget lasts");
    }
}
