//! Which waits a signal ends (signal(7)).

use locklab_sys::{Errno, Fd};

use super::fs::DescriptionId;
use super::socket::Operation;
use super::wait::Blocked;
use super::{Kernel, ProcId, TaskId};

/// What becomes of a call that begins again after a signal.
enum Anew {
    /// It waits on, as it did.
    WaitsOn,
    /// It waits on, or returns, like this.
    Becomes(Blocked),
    /// It is made once more: its number may stand for something else by now, or
    /// the place in a queue is lost.
    IsMade,
}

impl Blocked {
    /// Whether it begins again after a handler.
    fn restarts(&self, asked_for: bool) -> bool {
        match self {
            // The C library sees to it.
            Self::Thread { .. } => true,
            Self::Lock { .. } | Self::RecordLock { .. } | Self::Child { .. } | Self::AnyChild => {
                asked_for
            }
            Self::Socket { deadline, .. } | Self::Cell { deadline, .. } => {
                asked_for && deadline.is_none()
            }
            Self::Sleep { .. } | Self::Poll { .. } | Self::Failed(_) => false,
        }
    }
}

impl Kernel {
    /// A stop ends the waits on sockets that have a time-out. All others begin
    /// again, and look up anew what they wait for.
    pub(super) fn interrupt_by_stop(&mut self, proc: ProcId) {
        for index in 0..self.tasks.len() {
            if self.tasks[index].proc == proc && self.tasks[index].blocked.is_some() {
                self.stop_wait(TaskId(index as u32));
            }
        }
    }

    fn stop_wait(&mut self, task: TaskId) {
        match &self.task(task).blocked {
            Some(Blocked::Socket { deadline: Some(_), .. }) if !self.is_past_signals(task) => {
                self.replace(task, Blocked::Failed(Errno::EINTR));
            }
            // It asks again when the stop is over.
            Some(Blocked::RecordLock { .. }) => {
                self.machine_of_mut(self.process_of(task)).records.stop(task);
            }
            _ if self.ready(task) => {}
            _ => self.begin_again(task),
        }
    }

    /// What waited for a record lock, or at a socket, when it was stopped asks again.
    pub(super) fn ask_again(&mut self, proc: ProcId) {
        for index in 0..self.tasks.len() {
            let task = TaskId(index as u32);
            match self.tasks[index].blocked {
                _ if self.tasks[index].proc != proc => {}
                Some(Blocked::RecordLock { .. }) => self.begin_again(task),
                Some(Blocked::Socket { .. }) => self.wait_again(task),
                _ => {}
            }
        }
    }

    /// A handler has run, on the longest-lived thread. What has become ready
    /// since the process was stopped it has not noticed.
    pub(super) fn interrupt(&mut self, proc: ProcId, restart: bool, was_stopped: bool) {
        // A stranger has no thread at all.
        let Some(task) = self.signalled_task(proc) else { return };
        let Some(blocked) = &self.task(task).blocked else { return };
        let restarts = blocked.restarts(restart);
        if matches!(blocked, Blocked::Failed(_)) || (!was_stopped && self.is_past_signals(task)) {
            return;
        }
        match restarts {
            true => {
                self.begin_again(task);
                self.wait_again(task);
            }
            false => self.replace(task, Blocked::Failed(Errno::EINTR)),
        }
    }

    fn signalled_task(&self, proc: ProcId) -> Option<TaskId> {
        let at = self.tasks.iter().position(|task| task.proc == proc && !task.ended)?;
        Some(TaskId(at as u32))
    }

    /// Whether a task was woken, and returns what it waited for without a look
    /// at signals.
    fn is_past_signals(&self, task: TaskId) -> bool {
        self.ready(task)
            && match &self.task(task).blocked {
                Some(Blocked::Socket { operation, .. }) => !operation.looks_at_signals_first(),
                // It looks at its descriptors once more, then at signals, then at the time.
                Some(Blocked::Poll { fds, .. }) => self.ends_poll(self.process_of(task), fds),
                _ => true,
            }
    }

    pub(super) fn begin_again(&mut self, task: TaskId) {
        if let Some(Blocked::Socket { operation: Operation::Connect { listener, .. }, .. }) =
            &mut self.task_mut(task).blocked
        {
            *listener = None;
        }
        match self.anew(task) {
            Anew::WaitsOn => {}
            Anew::Becomes(blocked) => self.replace(task, blocked),
            Anew::IsMade => self.unblock(task),
        }
    }

    fn anew(&self, task: TaskId) -> Anew {
        let proc = self.process_of(task);
        let process = self.process(proc);
        match self.task(task).blocked.as_ref().expect("the task waits") {
            Blocked::RecordLock { .. } => Anew::IsMade,
            Blocked::Poll { fds, deadline } => {
                let numbers: Vec<Fd> = fds.iter().map(|&(fd, _)| fd).collect();
                Anew::Becomes(match self.meant(proc, &numbers) {
                    Ok(fds) => Blocked::Poll { fds: fds.into(), deadline: *deadline },
                    Err(errno) => Blocked::Failed(errno),
                })
            }
            // It sets the lowest number aside: a lower one may be free by now.
            Blocked::Socket { operation: Operation::Accept { number }, .. }
                if process.descriptors.lowest_free().is_ok_and(|free| free < *number) =>
            {
                Anew::IsMade
            }
            Blocked::Lock { fd, description, .. } | Blocked::Socket { fd, description, .. } => {
                self.looked_up(proc, *fd, *description)
            }
            Blocked::Cell { cell, expected, woken: false, .. }
                if process.cells.read(cell) != *expected =>
            {
                Anew::Becomes(Blocked::Failed(Errno::EAGAIN))
            }
            _ => Anew::WaitsOn,
        }
    }

    fn looked_up(&self, proc: ProcId, fd: Fd, before: DescriptionId) -> Anew {
        match self.process(proc).descriptors.get(fd) {
            Ok(now) if now == before => Anew::WaitsOn,
            Ok(_) => Anew::IsMade,
            Err(errno) => Anew::Becomes(Blocked::Failed(errno)),
        }
    }

    fn replace(&mut self, task: TaskId, blocked: Blocked) {
        self.unblock(task);
        self.block(task, blocked);
    }
}
