//! Calls that may wait.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Errno, ExitStatus, Fd, FlockOp, Pid, Reply, Ret};

use super::fs::{DescriptionId, LockMode};
use super::socket::{Operation, SocketId};
use super::{Kernel, Outcome, ProcId, State, Task, TaskId};

/// A call that waits, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Blocked {
    Lock {
        description: DescriptionId,
        mode: LockMode,
    },
    Child {
        child: ProcId,
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
        socket: SocketId,
        operation: Operation,
        deadline: Option<Duration>,
    },
    /// A stop has ended the wait: the call returns EINTR.
    Interrupted,
}

impl Blocked {
    /// Lets the deadline come so much later, unless it has come.
    pub(super) fn postpone(&mut self, now: Duration, by: Duration) {
        let deadline = match self {
            Self::Lock { .. } | Self::Child { .. } | Self::Interrupted => None,
            Self::Sleep { deadline } => Some(deadline),
            Self::Poll { deadline, .. } | Self::Socket { deadline, .. } => deadline.as_mut(),
        };
        if let Some(deadline) = deadline.filter(|deadline| **deadline > now) {
            *deadline = deadline.saturating_add(by);
        }
    }

    fn deadline(&self) -> Option<Duration> {
        match *self {
            Self::Lock { .. } | Self::Child { .. } | Self::Interrupted => None,
            Self::Sleep { deadline } => Some(deadline),
            Self::Poll { deadline, .. } | Self::Socket { deadline, .. } => deadline,
        }
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
        let Task { proc, blocked: Some(blocked) } = self.task(task) else { return false };
        let is_due = blocked.deadline().is_some_and(|deadline| deadline <= self.now);
        is_due
            || match blocked {
                Blocked::Lock { description, mode } => {
                    self.machine_of(*proc).files.may_lock(*description, *mode)
                }
                Blocked::Child { child } => self.zombie(*child).is_some(),
                Blocked::Sleep { .. } => false,
                Blocked::Poll { fds, .. } => self.any_readable(*proc, fds),
                Blocked::Socket { socket, operation, .. } => {
                    self.is_operable(*proc, *socket, operation)
                }
                Blocked::Interrupted => true,
            }
    }

    /// Lets a waiting call return.
    ///
    /// # Panics
    ///
    /// When it is not [ready](Self::ready).
    pub fn finish(&mut self, task: TaskId) -> Reply {
        assert!(self.ready(task), "a call that is not ready cannot return");
        let blocked = self.task_mut(task).blocked.take().expect("a ready task waits");
        let proc = self.process_of(task);
        Ok(match blocked {
            Blocked::Lock { description, mode } => {
                self.machine_of_mut(proc).files.lock(description, mode);
                Ret::Unit
            }
            Blocked::Child { child } => self.collect(child),
            Blocked::Sleep { .. } => Ret::Unit,
            Blocked::Poll { fds, .. } => self.readable(proc, &fds),
            Blocked::Socket { socket, operation, .. } => {
                return self.operate(proc, socket, operation);
            }
            Blocked::Interrupted => return Err(Errno::EINTR),
        })
    }

    /// The earliest instant, later than now, at which a waiting call of a live
    /// process is due. Timers of stopped processes go on.
    pub fn next_timer(&self) -> Option<Duration> {
        let deadlines = self.tasks.iter().filter_map(|task| task.blocked.as_ref()?.deadline());
        deadlines.filter(|&deadline| deadline > self.now).min()
    }

    pub(super) fn flock(&mut self, task: TaskId, fd: Fd, op: FlockOp) -> Outcome {
        let files = self.files(self.process_of(task));
        let description = match files.descriptors.get(fd) {
            Ok(description) => description,
            Err(errno) => return errno.into(),
        };
        match files.system.flock(description, op) {
            Ok(None) => Ret::Unit.into(),
            Ok(Some(mode)) => self.block(task, Blocked::Lock { description, mode }),
            Err(errno) => errno.into(),
        }
    }

    pub(super) fn wait(&mut self, task: TaskId, pid: Pid) -> Outcome {
        let caller = self.process_of(task);
        let found = self.pids_of(caller).get(pid);
        let Some(child) = found.filter(|&found| self.process(found).parent == Some(caller)) else {
            return Errno::ECHILD.into();
        };
        if self.zombie(child).is_some() {
            return self.collect(child).into();
        }
        self.block(task, Blocked::Child { child })
    }

    pub(super) fn nanosleep(&mut self, task: TaskId, duration: Duration) -> Outcome {
        if duration.is_zero() {
            return Ret::Unit.into();
        }
        let deadline = self.now.saturating_add(duration);
        self.block(task, Blocked::Sleep { deadline })
    }

    /// Reaps a child that has ended; its status.
    fn collect(&mut self, child: ProcId) -> Ret {
        let status = self.zombie(child).expect("the child has ended");
        self.reap(child);
        Ret::Exited(status)
    }

    fn zombie(&self, proc: ProcId) -> Option<ExitStatus> {
        match self.process(proc).state {
            State::Zombie(status) => Some(status),
            _ => None,
        }
    }

    pub(super) fn block(&mut self, task: TaskId, blocked: Blocked) -> Outcome {
        self.task_mut(task).blocked = Some(blocked);
        Outcome::Blocked
    }
}
