//! What a stop does to calls that wait (signal(7)).

use locklab_sys::{Errno, Fd};

use super::fs::DescriptionId;
use super::socket::Operation;
use super::wait::Blocked;
use super::{Kernel, ProcId, TaskId};

/// What becomes of a call that begins again after a stop.
enum Anew {
    /// It waits on, as it did.
    WaitsOn,
    /// It waits on, or returns, like this.
    Becomes(Blocked),
    /// Its number stands for something else by now: it is made once more.
    IsMade,
}

impl Kernel {
    /// A stop ends the waits on sockets that have a time-out. All others begin
    /// again, and look up anew what they wait for.
    pub(super) fn interrupt(&mut self, proc: ProcId) {
        for index in 0..self.tasks.len() {
            if self.tasks[index].proc == proc && self.tasks[index].blocked.is_some() {
                self.interrupt_task(TaskId(index as u32));
            }
        }
    }

    fn interrupt_task(&mut self, task: TaskId) {
        let is_ready = self.ready(task);
        match &mut self.task_mut(task).blocked {
            Some(Blocked::Socket { deadline: Some(_), operation, .. })
                if !is_ready || operation.looks_at_signals_first() =>
            {
                self.replace(task, Blocked::Failed(Errno::EINTR));
            }
            _ if is_ready => {}
            Some(Blocked::Socket { operation: Operation::Connect { listener, .. }, .. }) => {
                *listener = None;
                self.begin_again(task);
            }
            _ => self.begin_again(task),
        }
    }

    /// Only threads can have changed what a waiting call looks up.
    fn begin_again(&mut self, task: TaskId) {
        if !self.is_threaded(task) {
            return;
        }
        match self.anew(task) {
            Anew::WaitsOn => {}
            Anew::Becomes(blocked) => self.replace(task, blocked),
            Anew::IsMade => {
                self.unblock(task);
            }
        }
    }

    fn anew(&self, task: TaskId) -> Anew {
        let proc = self.process_of(task);
        let process = self.process(proc);
        match self.task(task).blocked.as_ref().expect("the task waits") {
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
