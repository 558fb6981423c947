use std::time::Duration;

use rustix::net::sockopt::{self, Timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType};

use super::{Host, known, unit};
use crate::{Direction, Errno, Fd, PeerCred, Pid, Reply, Ret, Shutdown};

fn address(path: &str) -> Result<SocketAddrUnix, Errno> {
    // Longer than an address can be: it cannot even be handed to Linux.
    SocketAddrUnix::new(path).map_err(|_| Errno::EINVAL)
}

impl Host {
    pub(super) fn socket(&mut self) -> Reply {
        let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
        let made = rustix::net::socket_with(family, kind, SocketFlags::CLOEXEC, None);
        self.keep(made.map_err(known)?)
    }

    pub(super) fn bind(&self, fd: Fd, path: &str) -> Reply {
        unit(rustix::net::bind(self.get(fd)?, &address(path)?))
    }

    pub(super) fn listen(&self, fd: Fd, backlog: u32) -> Reply {
        let backlog = i32::try_from(backlog).unwrap_or(i32::MAX);
        unit(rustix::net::listen(self.get(fd)?, backlog))
    }

    pub(super) fn connect(&self, fd: Fd, path: &str) -> Reply {
        unit(rustix::net::connect(self.get(fd)?, &address(path)?))
    }

    pub(super) fn accept(&mut self, fd: Fd) -> Reply {
        let accepted = rustix::net::accept_with(self.get(fd)?, SocketFlags::CLOEXEC);
        self.keep(accepted.map_err(known)?)
    }

    pub(super) fn send(&self, fd: Fd, data: &[u8]) -> Reply {
        let sent = rustix::net::send(self.get(fd)?, data, SendFlags::NOSIGNAL);
        Ok(Ret::Len(sent.map_err(known)? as u32))
    }

    pub(super) fn recv(&self, fd: Fd, len: u32) -> Reply {
        let mut bytes = vec![0; len as usize];
        let received = rustix::net::recv(self.get(fd)?, &mut bytes[..], RecvFlags::empty());
        let (received, _) = received.map_err(known)?;
        bytes.truncate(received);
        Ok(Ret::Bytes(bytes.into()))
    }

    pub(super) fn shutdown(&self, fd: Fd, how: Shutdown) -> Reply {
        let how = match how {
            Shutdown::Read => rustix::net::Shutdown::Read,
            Shutdown::Write => rustix::net::Shutdown::Write,
            Shutdown::Both => rustix::net::Shutdown::Both,
        };
        unit(rustix::net::shutdown(self.get(fd)?, how))
    }

    pub(super) fn set_timeout(&self, fd: Fd, of: Direction, timeout: Option<Duration>) -> Reply {
        let of = match of {
            Direction::Receive => Timeout::Recv,
            Direction::Send => Timeout::Send,
        };
        unit(sockopt::set_socket_timeout(self.get(fd)?, of, timeout))
    }

    pub(super) fn peer_cred(&self, fd: Fd) -> Reply {
        let fd = self.get(fd)?;
        // There may be nobody, whose pid is 0: rustix has no such pid.
        let is_connected = rustix::net::getpeername(fd) != Err(rustix::io::Errno::NOTCONN);
        if !is_connected && !sockopt::socket_acceptconn(fd).map_err(known)? {
            return Ok(Ret::PeerCred(PeerCred { pid: Pid(0) }));
        }
        let cred = sockopt::socket_peercred(fd).map_err(known)?;
        Ok(Ret::PeerCred(PeerCred { pid: Pid(cred.pid.as_raw_pid().cast_unsigned()) }))
    }
}
