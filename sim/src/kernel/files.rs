use std::sync::Arc;

use locklab_sys::{Errno, Fd, Mode, OpenFlags, Reply, Ret, SmolStr, Uid};

use super::descriptors::Descriptors;
use super::fs::{Caller, FileSystem, check_open};
use super::socket::Sockets;

/// A process about to make a call on files: each method is one.
pub(super) struct Files<'k> {
    pub(super) descriptors: &'k mut Descriptors,
    pub(super) system: &'k mut FileSystem,
    pub(super) sockets: &'k mut Sockets,
    pub(super) caller: Caller<'k>,
}

impl Files<'_> {
    pub(super) fn open(self, path: &SmolStr, flags: OpenFlags, mode: Mode) -> Reply {
        check_open(path, flags)?;
        let fd = self.descriptors.lowest_free()?;
        let description = self.system.open(self.caller, path, flags, mode)?;
        self.descriptors.insert(fd, description, flags.contains(OpenFlags::CLOEXEC));
        Ok(Ret::Fd(fd))
    }

    pub(super) fn read(mut self, fd: Fd, len: u32) -> Reply {
        self.system.read(&mut self.caller, self.descriptors.get(fd)?, len).map(Ret::Bytes)
    }

    pub(super) fn write(self, fd: Fd, data: &Arc<[u8]>) -> Reply {
        self.system.write(self.caller, self.descriptors.get(fd)?, data).map(Ret::Len)
    }

    pub(super) fn stat(self, path: &SmolStr) -> Reply {
        self.system.stat(path, self.caller.uid).map(Ret::Stat)
    }

    pub(super) fn link(self, old: &SmolStr, new: &SmolStr) -> Reply {
        unit(self.system.link(self.caller, old, new))
    }

    pub(super) fn rename(self, old: &SmolStr, new: &SmolStr) -> Reply {
        unit(self.system.rename(self.caller, old, new))
    }

    pub(super) fn unlink(self, path: &SmolStr) -> Reply {
        unit(self.system.unlink(self.caller, path))
    }

    pub(super) fn mkdir(self, path: &SmolStr, mode: Mode) -> Reply {
        unit(self.system.mkdir(self.caller, path, mode))
    }

    pub(super) fn rmdir(self, path: &SmolStr) -> Reply {
        unit(self.system.rmdir(self.caller, path))
    }

    pub(super) fn chmod(self, path: &SmolStr, mode: Mode) -> Reply {
        unit(self.system.chmod(path, mode, self.caller.uid))
    }

    pub(super) fn chown(self, path: &SmolStr, to: Uid) -> Reply {
        unit(self.system.chown(path, to, self.caller.uid))
    }

    pub(super) fn fsync(self, fd: Fd) -> Reply {
        unit(self.system.fsync(self.caller, self.descriptors.get(fd)?))
    }

    pub(super) fn readdir(self, fd: Fd) -> Reply {
        self.system.read_directory(self.descriptors.get(fd)?).map(Ret::Names)
    }
}

fn unit(done: Result<(), Errno>) -> Reply {
    done.map(|()| Ret::Unit)
}
