//! Parents and children: who is whose, and who adopts whom.

use locklab_sys::{Errno, ExitStatus, Pid, Reply, Ret, Signal, Uid};

use super::wait::Blocked;
use super::{Kernel, Outcome, ProcId, State, Task, TaskId};

/// A child, in its parent's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Child {
    pub(super) proc: ProcId,
    /// The thread whose child it is: who made it, or was there to adopt it.
    pub(super) of: TaskId,
}

impl Kernel {
    /// The zombie that a `wait` of this thread for any child takes: of its own
    /// children the eldest, else of those of the next thread.
    pub(super) fn first_zombie(&self, task: TaskId) -> Option<ProcId> {
        let children = self.process(self.process_of(task)).children.iter();
        let zombies = children.filter(|child| self.zombie(child.proc).is_some());
        let threads_later = |child: &&Child| child.of.0.wrapping_sub(task.0);
        zombies.min_by_key(threads_later).map(|child| child.proc)
    }

    pub(super) fn set_parent_death_signal(&mut self, task: TaskId, signal: Signal) {
        let has_parent = self.process(self.process_of(task)).parent.is_some();
        let is_any = signal != Signal::Probe && has_parent;
        self.task_mut(task).parent_death_signal = is_any.then_some(signal);
    }

    /// Who becomes another is no longer told of the end of its parent.
    pub(super) fn set_uid(&mut self, proc: ProcId, uid: Uid) -> Reply {
        let process = self.process_mut(proc);
        if uid == process.uid {
            return Ok(Ret::Unit);
        }
        if !process.uid.is_root() {
            return Err(Errno::EPERM);
        }
        process.uid = uid;
        for task in self.tasks.iter_mut().filter(|task| task.proc == proc) {
            task.parent_death_signal = None;
        }
        Ok(Ret::Unit)
    }

    /// Finds new parents for the children of a process that has ended.
    pub(super) fn orphan_children_of(&mut self, parent: ProcId) {
        if self.process(parent).children.is_empty() {
            return;
        }
        let children = std::mem::take(&mut self.process_mut(parent).children);
        let reaper = self.reaper_of(parent);
        for child in &children {
            self.process_mut(child.proc).parent = reaper;
            match reaper {
                Some(reaper) => {
                    let of = self.first_thread(reaper);
                    self.process_mut(reaper).children.push(Child { of, ..*child });
                }
                None if self.zombie(child.proc).is_some() => self.reap(child.proc),
                None => {}
            }
        }
        for child in &children {
            self.tell_of_parents_end(child.proc, parent);
        }
    }

    /// The children of threads that have ended, all others' or one's, become
    /// those of a thread of the same process, and are told as if it were not.
    pub(super) fn hand_over_children(&mut self, from: impl Fn(TaskId) -> bool, to: TaskId) {
        let parent = self.process_of(to);
        let children = &mut self.process_mut(parent).children;
        let orphans: Vec<Child> = children.extract_if(.., |child| from(child.of)).collect();
        children.extend(orphans.iter().map(|orphan| Child { of: to, ..*orphan }));
        for orphan in &orphans {
            self.tell_of_parents_end(orphan.proc, parent);
        }
    }

    /// Delivers the signals that threads of a child have asked for.
    fn tell_of_parents_end(&mut self, child: ProcId, parent: ProcId) {
        for index in 0..self.tasks.len() {
            let task = &mut self.tasks[index];
            if task.proc != child {
                continue;
            }
            // Init never ends: who is its child is told no more.
            let signal = match self.procs[child.0 as usize].parent {
                Some(_) => task.parent_death_signal,
                None => task.parent_death_signal.take(),
            };
            // It is the parent who sends it.
            if let Some(signal) = signal
                && self.process(parent).may_signal(self.process(child), signal)
            {
                self.deliver(child, signal);
            }
        }
    }

    /// Who adopts the children of a process: the nearest subreaper above, else the
    /// container's init, else the machine's.
    fn reaper_of(&self, proc: ProcId) -> Option<ProcId> {
        let container = self.process(proc).container();
        let mut above = self.process(proc).parent;
        while let Some(ancestor) = above {
            let process = self.process(ancestor);
            if process.is_subreaper && process.is_alive() {
                return above;
            }
            above = process.parent;
        }
        container.filter(|&init| self.process(init).is_alive())
    }

    /// The longest-lived of the threads of a live process.
    pub(super) fn first_thread(&self, proc: ProcId) -> TaskId {
        let is_one = |task: &Task| task.proc == proc && !task.ended;
        let at = self.tasks.iter().position(is_one).expect("a live process has a thread");
        TaskId(at as u32)
    }

    pub(super) fn wait(&mut self, task: TaskId, pid: Pid) -> Outcome {
        let child = match self.child(task, pid) {
            Ok(child) => child,
            Err(errno) => return errno.into(),
        };
        match self.zombie(child) {
            Some(_) => self.collect(child).map(|(_, status)| Ret::Exited(status)).into(),
            None => self.block(task, Blocked::Child { child }),
        }
    }

    pub(super) fn wait_any(&mut self, task: TaskId) -> Outcome {
        match self.try_wait(task, None) {
            Ok(Ret::Child(None)) => self.block(task, Blocked::AnyChild),
            reply => reply.into(),
        }
    }

    pub(super) fn try_wait(&mut self, task: TaskId, child: Option<Pid>) -> Reply {
        let zombie = match child {
            Some(pid) => {
                let child = self.child(task, pid)?;
                self.zombie(child).map(|_| child)
            }
            None if self.process(self.process_of(task)).children.is_empty() => {
                return Err(Errno::ECHILD);
            }
            None => self.first_zombie(task),
        };
        let ended = zombie.map(|child| self.collect(child)).transpose()?;
        Ok(Ret::Child(ended))
    }

    /// A child of the task's process. A thread is nobody's.
    fn child(&self, task: TaskId, pid: Pid) -> Result<ProcId, Errno> {
        let caller = self.process_of(task);
        let found = self.pids_of(caller).process(pid);
        found.filter(|&found| self.process(found).parent == Some(caller)).ok_or(Errno::ECHILD)
    }

    /// Reaps a child that has ended, unless another thread has; how it did.
    pub(super) fn collect(&mut self, child: ProcId) -> Result<(Pid, ExitStatus), Errno> {
        let status = self.zombie(child).ok_or(Errno::ECHILD)?;
        self.reap(child);
        Ok((self.process(child).pid, status))
    }

    fn zombie(&self, proc: ProcId) -> Option<ExitStatus> {
        match self.process(proc).state {
            State::Zombie(status) => Some(status),
            _ => None,
        }
    }
}
