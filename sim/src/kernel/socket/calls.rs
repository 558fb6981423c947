//! Calls on sockets that never wait.

use std::time::Duration;

use locklab_sys::{Direction, Errno, Fd, Mode, Reply, Ret, Shutdown, SmolStr, Stat};

use super::{Credentials, SocketId, State};
use crate::kernel::files::Files;
use crate::kernel::fs::{Target, check_address};

impl Files<'_> {
    /// The socket that a descriptor stands for.
    pub(in crate::kernel) fn socket_at(&self, fd: Fd) -> Result<SocketId, Errno> {
        match self.system.opened(self.process.descriptors.get(fd)?) {
            Target::Socket(socket) => Ok(socket),
            _ => Err(Errno::ENOTSOCK),
        }
    }

    pub(in crate::kernel) fn socket(self) -> Reply {
        let fd = self.process.descriptors.lowest_free()?;
        let who = self.credentials();
        let socket = self.sockets.open(who, State::Idle, None);
        let description = self.system.open_special(self.caller.proc, Target::Socket(socket));
        self.process.descriptors.insert(fd, description, false);
        Ok(Ret::Fd(fd))
    }

    pub(in crate::kernel) fn bind(mut self, fd: Fd, path: &SmolStr) -> Reply {
        let id = self.socket_at(fd)?;
        check_address(path)?;
        let mode = self.sockets.get(id).mode;
        let ino = self.system.make_socket(self.caller.reborrow(), path, mode)?;
        let socket = self.sockets.get_mut(id);
        if socket.is_addressed {
            // Linux makes the name before it looks, and takes it away again.
            self.system.unlink(self.caller, path, None)?;
            return Err(Errno::EINVAL);
        }
        socket.name = Some(ino);
        socket.is_addressed = true;
        self.system.bind(ino, id);
        Ok(Ret::Unit)
    }

    pub(in crate::kernel) fn listen(self, fd: Fd, backlog: u32) -> Reply {
        let who = self.credentials();
        let socket = self.socket_at(fd)?;
        self.sockets.listen(socket, backlog, who).map(|()| Ret::Unit)
    }

    /// The caller, as others will be told of it.
    pub(in crate::kernel) fn credentials(&self) -> Credentials {
        Credentials { proc: self.caller.proc, uid: self.caller.uid }
    }

    /// A socket has a mode of its own, which its name gets when it is bound.
    pub(in crate::kernel) fn fchmod(self, fd: Fd, mode: Mode) -> Reply {
        let uid = self.caller.uid;
        match self.system.opened(self.process.descriptors.get(fd)?) {
            Target::Inode(ino) => self.system.chmod_inode(&self.caller, ino, mode)?,
            Target::Socket(id) => {
                let socket = self.sockets.get_mut(id);
                if socket.uid != uid && !uid.is_root() {
                    return Err(Errno::EPERM);
                }
                socket.mode = mode;
            }
            Target::Process(_) => return Err(Errno::EOPNOTSUPP),
        }
        Ok(Ret::Unit)
    }

    /// A socket has a time, too, of which nothing is told here.
    pub(in crate::kernel) fn futimens(self, fd: Fd, mtime: Option<Duration>) -> Reply {
        let uid = self.caller.uid;
        match self.system.opened(self.process.descriptors.get(fd)?) {
            Target::Inode(ino) => self.system.touch(&self.caller, ino, mtime)?,
            Target::Socket(id) => {
                let socket = self.sockets.get(id);
                let is_owned = socket.uid == uid || uid.is_root();
                let may_write = socket.mode.bits() & 0o002 != 0;
                match mtime {
                    Some(_) if !is_owned => return Err(Errno::EPERM),
                    None if !is_owned && !may_write => return Err(Errno::EACCES),
                    _ => {}
                }
            }
            // It is root's, and nobody else may write it.
            Target::Process(_) if mtime.is_none() && !uid.is_root() => return Err(Errno::EACCES),
            Target::Process(_) => return Err(Errno::EOPNOTSUPP),
        }
        Ok(Ret::Unit)
    }

    pub(in crate::kernel) fn fstat(self, fd: Fd) -> Reply {
        let description = self.process.descriptors.get(fd)?;
        let stat = self.system.stat_open(description);
        Ok(Ret::Stat(match self.system.opened(description) {
            Target::Socket(id) => {
                let &super::Socket { uid, mode, .. } = self.sockets.get(id);
                Stat { uid, mode, ..stat }
            }
            _ => stat,
        }))
    }

    /// The socket, and what it is connected to.
    pub(in crate::kernel) fn shut(
        self,
        fd: Fd,
        how: Shutdown,
    ) -> Result<[Option<SocketId>; 2], Errno> {
        let socket = self.socket_at(fd)?;
        Ok([Some(socket), self.sockets.shut(socket, how)])
    }

    /// Zero is no time-out; Linux counts in microseconds.
    pub(in crate::kernel) fn set_timeout(
        self,
        fd: Fd,
        of: Direction,
        timeout: Option<Duration>,
    ) -> Reply {
        let id = self.socket_at(fd)?;
        let socket = self.sockets.get_mut(id);
        let timeout = timeout.filter(|timeout| timeout.as_micros() > 0);
        match of {
            Direction::Receive => socket.receive_timeout = timeout,
            Direction::Send => socket.send_timeout = timeout,
        }
        Ok(Ret::Unit)
    }

    pub(in crate::kernel) fn peer_cred(self, fd: Fd) -> Result<Option<Credentials>, Errno> {
        Ok(self.sockets.get(self.socket_at(fd)?).peer_cred)
    }
}
