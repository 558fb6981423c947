//! Calls on sockets that never wait.

use std::time::Duration;

use locklab_sys::{Direction, Errno, Fd, PeerCred, Pid, Reply, Ret, Shutdown, SmolStr};

use super::{SocketId, State};
use crate::kernel::files::Files;
use crate::kernel::fs::{Target, check_address};

impl Files<'_> {
    /// The socket that a descriptor stands for.
    pub(in crate::kernel) fn socket_at(&self, fd: Fd) -> Result<SocketId, Errno> {
        match self.system.opened(self.descriptors.get(fd)?) {
            Target::Socket(socket) => Ok(socket),
            _ => Err(Errno::ENOTSOCK),
        }
    }

    pub(in crate::kernel) fn socket(self) -> Reply {
        let fd = self.descriptors.lowest_free()?;
        let socket = self.sockets.open(State::Idle, Pid(0));
        self.descriptors.insert(fd, self.system.open_special(Target::Socket(socket)));
        Ok(Ret::Fd(fd))
    }

    pub(in crate::kernel) fn bind(mut self, fd: Fd, path: &SmolStr) -> Reply {
        let id = self.socket_at(fd)?;
        check_address(path)?;
        let ino = self.system.make_socket(self.caller.reborrow(), path)?;
        let socket = self.sockets.get_mut(id);
        if socket.is_addressed {
            // Linux makes the name before it looks, and takes it away again.
            self.system.unlink(self.caller, path)?;
            return Err(Errno::EINVAL);
        }
        socket.name = Some(ino);
        socket.is_addressed = true;
        self.system.bind(ino, id);
        Ok(Ret::Unit)
    }

    pub(in crate::kernel) fn listen(self, fd: Fd, backlog: u32, pid: Pid) -> Reply {
        self.sockets.listen(self.socket_at(fd)?, backlog, pid).map(|()| Ret::Unit)
    }

    pub(in crate::kernel) fn shutdown(self, fd: Fd, how: Shutdown) -> Reply {
        self.sockets.shut(self.socket_at(fd)?, how);
        Ok(Ret::Unit)
    }

    /// Zero is no time-out; Linux counts in microseconds.
    pub(in crate::kernel) fn set_timeout(
        self,
        fd: Fd,
        of: Direction,
        timeout: Option<Duration>,
    ) -> Reply {
        let socket = self.sockets.get_mut(self.socket_at(fd)?);
        let timeout = timeout.filter(|timeout| timeout.as_micros() > 0);
        match of {
            Direction::Receive => socket.receive_timeout = timeout,
            Direction::Send => socket.send_timeout = timeout,
        }
        Ok(Ret::Unit)
    }

    pub(in crate::kernel) fn peer_cred(self, fd: Fd) -> Reply {
        let pid = self.sockets.get(self.socket_at(fd)?).peer_pid;
        Ok(Ret::PeerCred(PeerCred { pid }))
    }
}
