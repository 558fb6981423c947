//! The threads of a process.

use locklab_sys::{Errno, ExitStatus, Image, Pid, Ret};

use super::container::Inside;
use super::namespace::Numbered;
use super::pid::Holder;
use super::wait::Blocked;
use super::{Effect, Kernel, Outcome, ProcId, Process, Task, TaskId};

/// What there is to know of a process that has, or had, more than one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Threads {
    /// None once it has ended: the pid is that of a zombie, while others go on.
    main: Option<TaskId>,
    /// The other live ones, oldest first.
    others: Vec<Thread>,
    /// How many there have been.
    started: u32,
    /// Who waits for a memory cell, in the order in which they came.
    pub(super) queue: Vec<TaskId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    task: TaskId,
    tid: Pid,
    inside: Option<Inside>,
    /// When it started, in ticks of 10 ms since boot.
    pub(super) start_ticks: u64,
}

impl Threads {
    fn of(main: TaskId) -> Self {
        Self { main: Some(main), others: Vec::new(), started: 1, queue: Vec::new() }
    }

    fn is_last(&self, task: TaskId) -> bool {
        match self.main {
            Some(main) => main == task && self.others.is_empty(),
            None => self.others.len() == 1,
        }
    }
}

impl Process {
    /// Whether its main thread has ended, and others have not.
    pub(super) fn has_lost_its_main(&self) -> bool {
        self.threads.as_ref().is_some_and(|threads| threads.main.is_none())
    }
}

impl Kernel {
    /// Whether a task has ended, alone or with its process.
    pub fn has_ended(&self, task: TaskId) -> bool {
        self.task(task).ended || !self.process(self.process_of(task)).is_alive()
    }

    pub(super) fn spawn_thread(&mut self, by: TaskId, image: &Image) -> Outcome {
        let proc = self.process_of(by);
        let task = TaskId(self.tasks.len() as u32);
        let machine = self.process(proc).machine;
        let container = self.process(proc).container();
        let Some(numbered) = self.number(machine, container, Holder::Thread(task)) else {
            return Errno::EAGAIN.into();
        };
        let Numbered { pid: tid, inside } = numbered;
        let start_ticks = self.machine(machine).ticks();
        let threads = &mut self.process_mut(proc).threads;
        let threads = threads.get_or_insert_with(|| Box::new(Threads::of(by)));
        threads.others.push(Thread { task, tid, inside, start_ticks });
        threads.started += 1;
        let number = threads.started;
        self.add_task(proc, number);
        self.effects.push(Effect::ThreadStarted { proc, task });
        Outcome::Spawned { reply: Ok(Ret::Pid(tid)), proc, task, image: image.clone() }
    }

    pub(super) fn thread_exit(&mut self, task: TaskId, code: u8) -> Outcome {
        let proc = self.process_of(task);
        if self.process(proc).threads.as_ref().is_none_or(|threads| threads.is_last(task)) {
            // Since Linux 5.19 it is the last thread's code that counts.
            self.end(proc, ExitStatus::Code(code));
        } else {
            self.end_thread(task);
            self.hand_over_children(|of| of == task, self.first_thread(proc));
        }
        Outcome::Ended
    }

    pub(super) fn join(&mut self, task: TaskId, tid: Pid) -> Outcome {
        let proc = self.process_of(task);
        if tid == self.tid(task) {
            return Errno::EDEADLK.into();
        }
        let process = self.process(proc);
        let joined = match self.pids_of(proc).get(tid) {
            Some(Holder::Thread(other)) if self.process_of(other) == proc => Some(other),
            Some(Holder::Process(other)) if other == proc => {
                process.threads.as_ref().and_then(|threads| threads.main)
            }
            _ => None,
        };
        match joined {
            Some(other) => self.block(task, Blocked::Thread { task: other }),
            None => Ret::Unit.into(),
        }
    }

    /// Linux's thread id: the main thread's is the pid.
    pub(super) fn tid(&self, task: TaskId) -> Pid {
        match self.is_main(task) {
            true => self.process(self.process_of(task)).pid,
            false => self.thread(task).tid,
        }
    }

    /// A live thread that is not the main one.
    pub(super) fn thread(&self, task: TaskId) -> &Thread {
        let threads = self.process(self.process_of(task)).threads.as_ref();
        let thread = threads.and_then(|threads| threads.others.iter().find(|it| it.task == task));
        thread.expect("the thread lives")
    }

    /// All other threads end; this one is the main thread from here on, with
    /// the pid as its id.
    pub(super) fn become_only_thread(&mut self, task: TaskId) {
        let proc = self.process_of(task);
        let Some(threads) = self.process(proc).threads.as_ref() else { return };
        let all = threads.main.into_iter().chain(threads.others.iter().map(|it| it.task));
        let others: Vec<TaskId> = all.filter(|&other| other != task).collect();
        for other in others {
            self.end_thread(other);
        }
        if !self.is_main(task) {
            self.take_over_from_main(task);
        }
        self.hand_over_children(|of| of != task, task);
    }

    /// Linux exchanges the ids of the two.
    fn take_over_from_main(&mut self, task: TaskId) {
        let proc = self.process_of(task);
        let is_main = |it: &Task| it.proc == proc && it.number == 1;
        let main = self.tasks.iter().position(is_main).expect("a process has had a main thread");
        self.tasks[main].number = self.task(task).number;
        self.tasks[main].parent_death_signal = None;
        self.task_mut(task).number = 1;
        let threads = self.threads_mut(proc);
        let thread = threads.others.pop().expect("it is the only other thread");
        threads.main = Some(task);
        self.free(proc, thread.tid, thread.inside);
    }

    /// Ends one thread of several. The main one's pid stays in use, and what it
    /// has asked to be told of its parent's end, as long as the process lives.
    fn end_thread(&mut self, task: TaskId) {
        self.unblock(task);
        let proc = self.process_of(task);
        let is_main = self.is_main(task);
        let ended = self.task_mut(task);
        ended.ended = true;
        if is_main {
            self.threads_mut(proc).main = None;
        } else {
            ended.parent_death_signal = None;
            let Thread { tid, inside, .. } = *self.thread(task);
            self.threads_mut(proc).others.retain(|it| it.task != task);
            self.free(proc, tid, inside);
        }
        self.effects.push(Effect::ThreadEnded { proc, task });
    }

    pub(super) fn threads_mut(&mut self, proc: ProcId) -> &mut Threads {
        self.process_mut(proc).threads.as_mut().expect("the process has had several threads")
    }

    /// The process has ended, and with it all threads.
    pub(super) fn free_thread_ids(&mut self, proc: ProcId, threads: &Threads) {
        for thread in &threads.others {
            self.free(proc, thread.tid, thread.inside);
        }
    }
}
