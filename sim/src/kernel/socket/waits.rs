//! Calls on sockets that may wait.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use locklab_sys::{Direction, Errno, Fd, Reply, Ret, SmolStr};

use super::SocketId;
use crate::kernel::fs::{Target, check_address};
use crate::kernel::wait::Blocked;
use crate::kernel::{Kernel, MachineId, Outcome, ProcId, Task, TaskId};

/// A call on a socket that waits until it can be done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) enum Operation {
    Receive {
        len: u32,
    },
    Send {
        data: Arc<[u8]>,
    },
    Accept {
        /// The number that the connection gets, set aside before the wait.
        number: Fd,
    },
    Connect {
        path: SmolStr,
        /// Where too many wait: a `connect` is woken by the listener it found,
        /// wherever the path leads by then, and looks the path up again. None
        /// once that listener is gone.
        listener: Option<SocketId>,
    },
}

impl Operation {
    /// Whether who is woken by what it waits for, and gets a signal before it
    /// runs, is told of the signal: so it was seen on a Linux 6.18.
    pub(in crate::kernel) fn looks_at_signals_first(&self) -> bool {
        matches!(self, Self::Receive { .. } | Self::Connect { .. })
    }

    /// Which time-out bounds it.
    fn direction(&self) -> Direction {
        match self {
            Self::Receive { .. } | Self::Accept { .. } => Direction::Receive,
            Self::Send { .. } | Self::Connect { .. } => Direction::Send,
        }
    }
}

impl Kernel {
    pub(in crate::kernel) fn accept(&mut self, task: TaskId, fd: Fd) -> Outcome {
        let descriptors = &self.process(self.process_of(task)).descriptors;
        // Linux sets a descriptor aside before it looks what `fd` is.
        match descriptors.get(fd).and(descriptors.lowest_free()) {
            Ok(number) => self.on_socket(task, fd, Operation::Accept { number }),
            Err(errno) => errno.into(),
        }
    }

    /// Does an operation on the socket that a descriptor stands for, or waits.
    #[inline(never)]
    pub(in crate::kernel) fn on_socket(
        &mut self,
        task: TaskId,
        fd: Fd,
        mut operation: Operation,
    ) -> Outcome {
        let proc = self.process_of(task);
        let socket = match self.files(proc).socket_at(fd) {
            Ok(socket) => socket,
            Err(errno) => return errno.into(),
        };
        if let Poll::Ready(reply) = self.attempt(proc, socket, &mut operation) {
            return reply.into();
        }
        let deadline = self.deadline(proc, socket, &operation);
        let description = self.process(proc).descriptors.get(fd).expect("it was just looked up");
        self.block(task, Blocked::Socket { fd, description, socket, operation, deadline })
    }

    fn attempt(&mut self, proc: ProcId, id: SocketId, operation: &mut Operation) -> Poll<Reply> {
        let files = self.files(proc);
        let who = files.credentials();
        match operation {
            Operation::Receive { len } => files.sockets.recv(id, *len).map_ok(Ret::Bytes),
            Operation::Send { data } => files.sockets.send(id, data).map_ok(Ret::Len),
            &mut Operation::Accept { number } => {
                let accepted = files.sockets.accept(id, who.uid).map_ok(|socket| {
                    let description = files.system.open_special(who.proc, Target::Socket(socket));
                    files.process.descriptors.insert(number, description, false);
                    Ret::Fd(number)
                });
                if let Poll::Ready(Ok(_)) = accepted {
                    self.wake_one_connector(self.process(proc).machine, id);
                }
                accepted
            }
            Operation::Connect { path, listener } => {
                check_address(path)?;
                let found = files.system.bound(path, who.uid)?;
                *listener = Some(found);
                files.sockets.connect(id, found, who).map_ok(|()| Ret::Unit)
            }
        }
    }

    /// Whether an operation that waits could be done, or fail, now.
    pub(in crate::kernel) fn is_operable(
        &self,
        proc: ProcId,
        id: SocketId,
        operation: &Operation,
    ) -> bool {
        let sockets = &self.machine_of(proc).sockets;
        match operation {
            Operation::Receive { .. } | Operation::Accept { .. } => sockets.is_readable(id),
            Operation::Send { .. } => sockets.may_send_again(id),
            Operation::Connect { path, listener } => {
                // Nothing wakes it when the listener is shut down.
                let is_woken = listener.is_none_or(|listener| sockets.has_woken(listener));
                is_woken && self.full_listener(proc, path).is_none()
            }
        }
    }

    /// Where a path leads, if too many wait there.
    fn full_listener(&self, proc: ProcId, path: &SmolStr) -> Option<SocketId> {
        let machine = self.machine_of(proc);
        let found = machine.files.bound(path, self.process(proc).uid).ok()?;
        let sockets = &machine.sockets;
        (sockets.takes_connections(found) && sockets.is_full(found)).then_some(found)
    }

    /// A call that has begun again is bounded by the time-out that there is now:
    /// it had none, or it would have failed. A `connect` looks its path up, and may
    /// have to wait there: until it is woken, even if there is room before.
    pub(in crate::kernel) fn wait_again(&mut self, task: TaskId) {
        let proc = self.process_of(task);
        let Some(Blocked::Socket { socket, operation, deadline: None, .. }) =
            &self.task(task).blocked
        else {
            return;
        };
        let renewed = self.deadline(proc, *socket, operation);
        let found = match operation {
            Operation::Connect { path, listener: None } => self.full_listener(proc, path),
            _ => None,
        };
        if let Some(Blocked::Socket { operation, deadline, .. }) = &mut self.task_mut(task).blocked
        {
            *deadline = renewed;
            if let Operation::Connect { listener, .. } = operation {
                *listener = listener.or(found);
            }
        }
    }

    /// How long a wait that begins now lasts at most.
    fn deadline(&self, proc: ProcId, socket: SocketId, operation: &Operation) -> Option<Duration> {
        let timeout = self.machine_of(proc).sockets.timeout(socket, operation.direction());
        timeout.map(|timeout| self.now.saturating_add(timeout))
    }

    /// Does an operation that has waited, unless its time is up.
    pub(in crate::kernel) fn operate(
        &mut self,
        proc: ProcId,
        id: SocketId,
        mut operation: Operation,
    ) -> Reply {
        if let Operation::Send { .. } = operation {
            // A reset comes before EPIPE only for those who wait.
            self.machine_of_mut(proc).sockets.take_reset(id)?;
        }
        if let Operation::Connect { listener: Some(listener), .. } = operation {
            self.machine_of_mut(proc).sockets.look(listener);
        }
        match self.attempt(proc, id, &mut operation) {
            Poll::Ready(reply) => reply,
            Poll::Pending => Err(Errno::EAGAIN),
        }
    }

    fn wake_one_connector(&mut self, machine: MachineId, listening: SocketId) {
        let waits_there = |task: &&Task| match &task.blocked {
            Some(Blocked::Socket { operation: Operation::Connect { listener, .. }, .. }) => {
                *listener == Some(listening) && self.process(task.proc).machine == machine
            }
            _ => false,
        };
        let waiters = self.tasks.iter().filter(waits_there).count() as u32;
        self.machine_mut(machine).sockets.wake_one(listening, waiters);
    }

    /// Closes a socket that no descriptor stands for any more.
    pub(in crate::kernel) fn close_socket(&mut self, machine: MachineId, closed: SocketId) {
        let home = self.machine_mut(machine);
        if let Some(ino) = home.sockets.close(closed) {
            home.files.unbind(ino);
        }
        let of_machine = |task: &&mut Task| self.procs[task.proc.0 as usize].machine == machine;
        for task in self.tasks.iter_mut().filter(of_machine) {
            // It is looked before it is changed: whoever waits for something else stays shared.
            let connects = matches!(
                &task.blocked,
                Some(Blocked::Socket { operation: Operation::Connect { listener, .. }, .. })
                    if *listener == Some(closed)
            );
            if connects
                && let Some(Blocked::Socket { operation, .. }) = &mut task.blocked
                && let Operation::Connect { listener, .. } = operation
            {
                *listener = None;
            }
        }
    }
}
