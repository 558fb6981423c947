use std::time::Duration;

use rustix::net::sockopt::{self, Timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType};

use super::{descriptor, known, leave, unit};
use crate::{Direction, Errno, Fd, Reply, Ret, Shutdown};

fn address(path: &str) -> Result<SocketAddrUnix, Errno> {
    // Longer than an address can be: it cannot even be handed to Linux.
    SocketAddrUnix::new(path).map_err(|_| Errno::EINVAL)
}

pub(super) fn socket() -> Reply {
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    let made = rustix::net::socket_with(family, kind, SocketFlags::empty(), None);
    leave(made.map_err(known)?)
}

pub(super) fn bind(fd: Fd, path: &str) -> Reply {
    unit(rustix::net::bind(descriptor(fd)?, &address(path)?))
}

pub(super) fn listen(fd: Fd, backlog: u32) -> Reply {
    let backlog = i32::try_from(backlog).unwrap_or(i32::MAX);
    unit(rustix::net::listen(descriptor(fd)?, backlog))
}

pub(super) fn connect(fd: Fd, path: &str) -> Reply {
    unit(rustix::net::connect(descriptor(fd)?, &address(path)?))
}

pub(super) fn accept(fd: Fd) -> Reply {
    let accepted = rustix::net::accept_with(descriptor(fd)?, SocketFlags::empty());
    leave(accepted.map_err(known)?)
}

pub(super) fn send(fd: Fd, data: &[u8]) -> Reply {
    let sent = rustix::net::send(descriptor(fd)?, data, SendFlags::NOSIGNAL);
    Ok(Ret::Len(sent.map_err(known)? as u32))
}

pub(super) fn recv(fd: Fd, len: u32) -> Reply {
    let mut bytes = vec![0; len as usize];
    let received = rustix::net::recv(descriptor(fd)?, &mut bytes[..], RecvFlags::empty());
    let (received, _) = received.map_err(known)?;
    bytes.truncate(received);
    Ok(Ret::Bytes(bytes.into()))
}

pub(super) fn shutdown(fd: Fd, how: Shutdown) -> Reply {
    let how = match how {
        Shutdown::Read => rustix::net::Shutdown::Read,
        Shutdown::Write => rustix::net::Shutdown::Write,
        Shutdown::Both => rustix::net::Shutdown::Both,
    };
    unit(rustix::net::shutdown(descriptor(fd)?, how))
}

pub(super) fn set_timeout(fd: Fd, of: Direction, timeout: Option<Duration>) -> Reply {
    let of = match of {
        Direction::Receive => Timeout::Recv,
        Direction::Send => Timeout::Send,
    };
    unit(sockopt::set_socket_timeout(descriptor(fd)?, of, timeout))
}

pub(super) fn peer_cred(fd: Fd) -> Reply {
    super::raw::peer_cred(descriptor(fd)?).map(Ret::PeerCred).map_err(known)
}
