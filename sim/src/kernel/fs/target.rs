use std::time::Duration;

use locklab_sys::{FileKind, Mode, Stat, Uid};

use super::inode::Ino;
use crate::kernel::ProcId;
use crate::kernel::socket::SocketId;

/// What a description is open on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::kernel) enum Target {
    /// A file or a directory.
    Inode(Ino),
    Socket(SocketId),
    /// A process, by a pidfd; `None` is init.
    Process(Option<ProcId>),
}

impl Target {
    /// What `fstat` tells of what is no file, but for the user and mode of a
    /// socket: it has a number of its own kind, and no times. A pidfd's number
    /// belongs to one process for as long as the world lasts; a socket's, for as
    /// long as the socket.
    pub(super) fn stat_special(self) -> Stat {
        let (ino, kind) = match self {
            Self::Inode(_) => unreachable!("a file has an inode"),
            Self::Socket(socket) => (socket.number(), FileKind::Socket),
            Self::Process(None) => (1, FileKind::Process),
            Self::Process(Some(proc)) => (2 + u64::from(proc.0), FileKind::Process),
        };
        let (uid, mode) = (Uid::ROOT, Mode::new(0o700));
        let never = Duration::ZERO;
        Stat { ino, kind, nlink: 1, size: 0, mtime: never, ctime: never, uid, mode }
    }
}
