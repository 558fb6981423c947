//! The names of sockets.

use locklab_sys::{Errno, Mode, SmolStr, Uid};

use super::access::Access;
use super::detour::Detour;
use super::inode::{Content, Ino};
use super::{Caller, FileSystem};
use crate::kernel::Naming;
use crate::kernel::socket::SocketId;

/// The size of `sun_path`.
const ADDRESS_MAX: usize = 108;

/// What Linux refuses of a socket's address before it walks. No path at all
/// would ask `bind` for an abstract address, which programs here do not have.
pub(in crate::kernel) fn check_address(path: &str) -> Result<(), Errno> {
    match path.len() {
        1..=ADDRESS_MAX => Ok(()),
        _ => Err(Errno::EINVAL),
    }
}

impl FileSystem {
    /// A new name, to which a socket can be bound.
    pub(in crate::kernel) fn make_socket(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        mode: Mode,
    ) -> Result<Ino, Errno> {
        let mut detour = Detour::default();
        let place =
            self.free_place(path, &mut detour, caller.uid).map_err(|errno| match errno {
                Errno::EEXIST => Errno::EADDRINUSE,
                other => other,
            })?;
        self.may_add_to(place.dir, caller.uid)?;
        let origin = caller.origin(mode);
        self.create_at(caller, &place, Content::Socket { bound: None }, origin, Naming::Exclusive)
    }

    /// The live socket that a path leads to, for who may write it. A name outlives
    /// its socket.
    pub(in crate::kernel) fn bound(&self, path: &SmolStr, uid: Uid) -> Result<SocketId, Errno> {
        let inode = self.inodes.get(self.resolve(path, true, uid)?);
        inode.check(uid, Access::WRITE)?;
        match inode.content {
            Content::Socket { bound: Some(socket) } => Ok(socket),
            _ => Err(Errno::ECONNREFUSED),
        }
    }

    /// Binds a socket to an inode, which lives as long as the socket.
    pub(in crate::kernel) fn bind(&mut self, ino: Ino, socket: SocketId) {
        self.inodes.get_mut(ino).content = Content::Socket { bound: Some(socket) };
    }

    /// The socket that was bound to an inode is gone.
    pub(in crate::kernel) fn unbind(&mut self, ino: Ino) {
        self.inodes.get_mut(ino).content = Content::Socket { bound: None };
        self.release(ino);
    }
}
