//! Waiting for one of many.

use std::time::Duration;

use locklab_sys::{Errno, Fd, Reply, Ret, Shutdown};

use super::fs::{DescriptionId, Target};
use super::socket::SocketId;
use super::wait::Blocked;
use super::{Kernel, MachineId, Outcome, ProcId, TaskId};

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
    pub(super) fn meant(
        &self,
        proc: ProcId,
        fds: &[Fd],
    ) -> Result<Vec<(Fd, DescriptionId)>, Errno> {
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

    /// Those that can be read now. Linux looks the numbers up again after the
    /// wait: another thread may have closed one.
    pub(super) fn readable(&self, proc: ProcId, fds: &[(Fd, DescriptionId)]) -> Reply {
        let descriptors = &self.process(proc).descriptors;
        let mut readable = Vec::new();
        for &(fd, _) in fds {
            if self.is_readable(proc, descriptors.get(fd)?) {
                readable.push(fd);
            }
        }
        Ok(Ret::Ready(readable.into()))
    }

    /// Whether a `poll` that waits would return now.
    pub(super) fn ends_poll(&self, proc: ProcId, fds: &[(Fd, DescriptionId)]) -> bool {
        let is_woken = self.any_readable(proc, fds);
        is_woken && !(self.process(proc).threads.is_some() && self.finds_nothing(proc, fds))
    }

    /// Whether a `poll` that is woken waits on. A number that another thread has
    /// closed may stand for something else.
    fn finds_nothing(&self, proc: ProcId, fds: &[(Fd, DescriptionId)]) -> bool {
        matches!(self.readable(proc, fds), Ok(Ret::Ready(fds)) if fds.is_empty())
    }

    pub(super) fn shutdown(&mut self, proc: ProcId, fd: Fd, how: Shutdown) -> Reply {
        let machine = self.process(proc).machine;
        for end in self.files(proc).shut(fd, how)?.into_iter().flatten() {
            self.wake_polls(machine, end);
        }
        Ok(Ret::Unit)
    }

    /// Wakes who polls a socket, though there may be nothing to be read: that
    /// shows where its numbers stand for something else by now.
    fn wake_polls(&mut self, machine: MachineId, socket: SocketId) {
        for index in 0..self.tasks.len() {
            let task = TaskId(index as u32);
            let proc = self.process_of(task);
            let Some(Blocked::Poll { fds, .. }) = &self.task(task).blocked else { continue };
            let files = &self.machine(machine).files;
            let is_woken = self.process(proc).machine == machine
                && self.is_threaded(task)
                && fds.iter().any(|&(_, it)| files.opened(it) == Target::Socket(socket));
            if is_woken && !self.finds_nothing(proc, fds) {
                self.begin_again(task);
            }
        }
    }

    fn any_readable(&self, proc: ProcId, fds: &[(Fd, DescriptionId)]) -> bool {
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
