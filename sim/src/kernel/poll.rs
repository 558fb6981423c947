//! Waiting for one of many.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Errno, Fd, Ret};

use super::fs::{DescriptionId, Target};
use super::wait::Blocked;
use super::{Kernel, Outcome, ProcId, TaskId};

impl Kernel {
    pub(super) fn poll(&mut self, task: TaskId, fds: &[Fd], timeout: Option<Duration>) -> Outcome {
        let proc = self.process_of(task);
        let fds = match self.meant(proc, fds) {
            Ok(fds) => fds,
            Err(errno) => return errno.into(),
        };
        if timeout == Some(Duration::ZERO) || self.any_readable(proc, &fds) {
            return self.readable(proc, &fds).into();
        }
        let deadline = timeout.map(|timeout| self.now.saturating_add(timeout));
        self.block(task, Blocked::Poll { fds: fds.into(), deadline })
    }

    /// What each descriptor stands for now, each once. For one that is not
    /// open, Linux returns and says POLLNVAL.
    fn meant(&self, proc: ProcId, fds: &[Fd]) -> Result<Vec<(Fd, DescriptionId)>, Errno> {
        let descriptors = &self.process(proc).descriptors;
        let mut meant: Vec<(Fd, DescriptionId)> = Vec::with_capacity(fds.len());
        for &fd in fds {
            let description = descriptors.get(fd)?;
            if meant.iter().all(|&(other, _)| other != fd) {
                meant.push((fd, description));
            }
        }
        Ok(meant)
    }

    /// Those that can be read now.
    pub(super) fn readable(&self, proc: ProcId, fds: &[(Fd, DescriptionId)]) -> Ret {
        let readable = fds.iter().filter(|&&(_, description)| self.is_readable(proc, description));
        Ret::Ready(readable.map(|&(fd, _)| fd).collect::<Arc<[Fd]>>())
    }

    pub(super) fn any_readable(&self, proc: ProcId, fds: &[(Fd, DescriptionId)]) -> bool {
        fds.iter().any(|&(_, description)| self.is_readable(proc, description))
    }

    fn is_readable(&self, proc: ProcId, description: DescriptionId) -> bool {
        let machine = self.machine_of(proc);
        match machine.files.opened(description) {
            Target::Inode(_) => true,
            Target::Socket(socket) => machine.sockets.is_readable(socket),
            Target::Process(process) => process.is_some_and(|it| !self.process(it).is_alive()),
        }
    }
}
