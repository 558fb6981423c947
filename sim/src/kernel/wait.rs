//! Calls that may wait.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Call, Errno, Fd, FlockOp, Reply, Ret, SmolStr};

use super::fs::{DescriptionId, LockMode};
use super::futex::woken_or_late;
use super::signals::Signals;
use super::socket::{Operation, SocketId};
use super::{Kernel, Outcome, ProcId, Process, Task, TaskId};

/// A call that waits, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Blocked {
    Lock {
        fd: Fd,
        description: DescriptionId,
        mode: LockMode,
    },
    /// The machine's record locks know for what.
    RecordLock {
        fd: Fd,
        description: DescriptionId,
    },
    Child {
        child: ProcId,
    },
    AnyChild,
    Thread {
        task: TaskId,
    },
    Sleep {
        deadline: Duration,
    },
    /// The descriptors and what they meant when the call began.
    Poll {
        fds: Arc<[(Fd, DescriptionId)]>,
        deadline: Option<Duration>,
    },
    Socket {
        fd: Fd,
        description: DescriptionId,
        socket: SocketId,
        operation: Operation,
        deadline: Option<Duration>,
    },
    /// A memory cell, whoever else waits for it.
    Cell {
        cell: SmolStr,
        expected: i64,
        deadline: Option<Duration>,
        woken: bool,
    },
    /// A signal has ended the wait: the call fails.
    Failed(Errno),
}

impl Blocked {
    /// Lets the deadline come so much later, unless it has come.
    pub(super) fn postpone(&mut self, now: Duration, by: Duration) {
        if let Some(deadline) = self.deadline_mut().filter(|deadline| **deadline > now) {
            *deadline = deadline.saturating_add(by);
        }
    }

    pub(super) fn deadline_mut(&mut self) -> Option<&mut Duration> {
        match self {
            Self::Sleep { deadline } => Some(deadline),
            Self::Poll { deadline, .. }
            | Self::Socket { deadline, .. }
            | Self::Cell { deadline, .. } => deadline.as_mut(),
            _ => None,
        }
    }

    fn deadline(&self) -> Option<Duration> {
        match *self {
            Self::Sleep { deadline } => Some(deadline),
            Self::Poll { deadline, .. }
            | Self::Socket { deadline, .. }
            | Self::Cell { deadline, .. } => deadline,
            _ => None,
        }
    }

    /// What stays open until the call returns, even if another thread closes
    /// every descriptor of it.
    fn descriptions(&self) -> impl Iterator<Item = DescriptionId> {
        let (one, many) = match self {
            Self::Lock { description, .. }
            | Self::RecordLock { description, .. }
            | Self::Socket { description, .. } => (Some(*description), &[][..]),
            Self::Poll { fds, .. } => (None, &fds[..]),
            _ => (None, &[][..]),
        };
        one.into_iter().chain(many.iter().map(|&(_, description)| description))
    }
}

impl Task {
    /// Whether it cannot make a call even if its process runs.
    pub(super) fn is_held_up(&self) -> bool {
        self.ended || self.blocked.is_some()
    }
}

impl Kernel {
    /// Whether a call of the task waits.
    pub fn is_blocked(&self, task: TaskId) -> bool {
        self.task(task).blocked.is_some()
    }

    /// Whether a call of the task waits that could return now, if its process
    /// is not stopped.
    pub fn ready(&self, task: TaskId) -> bool {
        let Task { proc, state } = self.task(task);
        let Some(blocked) = &state.blocked else { return false };
        let is_due = blocked.deadline().is_some_and(|deadline| deadline <= self.now);
        is_due
            || match blocked {
                Blocked::Lock { description, mode, .. } => {
                    self.machine_of(*proc).files.may_lock(*description, *mode)
                }
                Blocked::RecordLock { .. } => self.machine_of(*proc).records.is_over(task),
                // Another thread may have been told of its end.
                Blocked::Child { child } => !self.process(*child).is_alive(),
                Blocked::AnyChild => {
                    self.process(*proc).children.is_empty() || self.first_zombie(task).is_some()
                }
                Blocked::Thread { task } => self.task(*task).ended,
                Blocked::Sleep { .. } => false,
                Blocked::Cell { woken, .. } => *woken,
                Blocked::Poll { fds, .. } => self.ends_poll(*proc, fds),
                Blocked::Socket { socket, operation, .. } => {
                    self.is_operable(*proc, *socket, operation)
                }
                Blocked::Failed(_) => true,
            }
    }

    /// Whether a call would now only wait, for a lock, and nobody could tell a task
    /// that waits in it from one that has not made it yet.
    pub(crate) fn would_only_wait(&self, task: TaskId, call: &Call) -> bool {
        let &Call::Flock { fd, op: op @ (FlockOp::Exclusive | FlockOp::Shared) } = call else {
            return false;
        };
        let proc = self.process_of(task);
        let Process { descriptors, signals, .. } = self.process(proc);
        let Ok(description) = descriptors.get(fd) else { return false };
        let Some(mode) = LockMode::asked_by(op) else { return false };
        !self.is_threaded(task)
            && *signals == Signals::default()
            && !self.machine_of(proc).files.holds_lock(description)
            && !self.machine_of(proc).files.may_lock(description, mode)
    }

    /// Lets a waiting call return.
    ///
    /// # Panics
    ///
    /// When it is not [ready](Self::ready).
    pub fn finish(&mut self, task: TaskId) -> Reply {
        assert!(self.ready(task), "a call that is not ready cannot return");
        let blocked = self.task_mut(task).blocked.take().expect("a ready task waits");
        let reply = self.conclude(task, &blocked);
        self.let_go(task, &blocked);
        reply
    }

    fn conclude(&mut self, task: TaskId, blocked: &Blocked) -> Reply {
        let proc = self.process_of(task);
        match blocked {
            Blocked::Lock { description, mode, .. } => {
                self.machine_of_mut(proc).files.lock(*description, *mode);
                Ok(Ret::Unit)
            }
            Blocked::RecordLock { fd, description } => {
                self.take_record_lock(task, *fd, *description)
            }
            Blocked::Child { child } => self.collect(*child).map(|(_, status)| Ret::Exited(status)),
            Blocked::AnyChild => {
                let child = self.first_zombie(task).ok_or(Errno::ECHILD)?;
                self.collect(child).map(|ended| Ret::Child(Some(ended)))
            }
            Blocked::Thread { .. } | Blocked::Sleep { .. } => Ok(Ret::Unit),
            Blocked::Cell { woken, .. } => woken_or_late(*woken),
            Blocked::Poll { fds, .. } => self.readable(proc, fds),
            Blocked::Socket { socket, operation, .. } => {
                self.operate(proc, *socket, operation.clone())
            }
            Blocked::Failed(errno) => Err(*errno),
        }
    }

    /// The earliest instant, later than now, at which a waiting call of a live
    /// process is due, or its timer. Those of stopped processes go on.
    pub fn next_timer(&self) -> Option<Duration> {
        self.timers().min()
    }

    /// All instants, later than now, at which a waiting call of a live process is due, or
    /// a timer.
    pub(crate) fn timers(&self) -> impl Iterator<Item = Duration> {
        let deadlines = self.tasks.iter().filter_map(|task| task.blocked.as_ref()?.deadline());
        let alarms = self.alarms.iter().map(|alarm| alarm.due);
        deadlines.chain(alarms).filter(|&due| due > self.now)
    }

    pub(super) fn flock(&mut self, task: TaskId, fd: Fd, op: FlockOp) -> Outcome {
        let files = self.files(self.process_of(task));
        let description = match files.process.descriptors.get(fd) {
            Ok(description) => description,
            Err(errno) => return errno.into(),
        };
        match files.system.flock(description, op) {
            Ok(None) => Ret::Unit.into(),
            Ok(Some(mode)) => self.block(task, Blocked::Lock { fd, description, mode }),
            Err(errno) => errno.into(),
        }
    }

    pub(super) fn nanosleep(&mut self, task: TaskId, duration: Duration) -> Outcome {
        if duration.is_zero() {
            return Ret::Unit.into();
        }
        let deadline = self.now.saturating_add(duration);
        self.block(task, Blocked::Sleep { deadline })
    }

    pub(super) fn is_threaded(&self, task: TaskId) -> bool {
        self.process(self.process_of(task)).threads.is_some()
    }

    pub(super) fn block(&mut self, task: TaskId, blocked: Blocked) -> Outcome {
        if self.is_threaded(task) {
            self.hold(task, &blocked);
        }
        self.task_mut(task).blocked = Some(blocked);
        Outcome::Blocked
    }

    /// Ends a wait, if there is one, whatever it waits for.
    pub(super) fn unblock(&mut self, task: TaskId) {
        if let Some(blocked) = self.task_mut(task).blocked.take() {
            if let Blocked::RecordLock { .. } = blocked {
                self.machine_of_mut(self.process_of(task)).records.give_up(task);
            }
            self.let_go(task, &blocked);
        }
    }

    /// Keeps what a waiting call needs from the hands of other threads.
    fn hold(&mut self, task: TaskId, blocked: &Blocked) {
        let files = self.files(self.process_of(task));
        for description in blocked.descriptions() {
            files.system.share(description);
        }
        if let Blocked::Socket { operation: Operation::Accept { number }, .. } = blocked {
            files.process.descriptors.reserve(*number);
        }
    }

    fn let_go(&mut self, task: TaskId, blocked: &Blocked) {
        if !self.is_threaded(task) {
            return;
        }
        let proc = self.process_of(task);
        for description in blocked.descriptions() {
            self.release(proc, description);
        }
        match blocked {
            Blocked::Socket { operation: Operation::Accept { number }, .. } => {
                self.process_mut(proc).descriptors.give_back(*number);
            }
            Blocked::Cell { woken: false, .. } => self.leave_queue(task),
            _ => {}
        }
    }
}
