use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Errno, Fd, Mode, OpenFlags, RenameFlag, Reply, Ret, SmolStr, Uid};

use super::Process;
use super::fs::{Caller, FileSystem, Target, check_open};
use super::socket::Sockets;
use crate::part::Part;

/// A process about to make a call on files: each method is one.
pub(super) struct Files<'k> {
    pub(super) process: &'k mut Part<Process>,
    pub(super) system: &'k mut FileSystem,
    pub(super) sockets: &'k mut Part<Sockets>,
    pub(super) caller: Caller<'k>,
}

impl Files<'_> {
    pub(super) fn open(self, path: &SmolStr, flags: OpenFlags, mode: Mode) -> Reply {
        check_open(path, flags)?;
        let fd = self.process.descriptors.lowest_free()?;
        let description = self.system.open(self.caller, path, flags, mode)?;
        self.process.descriptors.insert(fd, description, flags.contains(OpenFlags::CLOEXEC));
        Ok(Ret::Fd(fd))
    }

    pub(super) fn read(mut self, fd: Fd, len: u32) -> Reply {
        self.system.read(&mut self.caller, self.process.descriptors.get(fd)?, len).map(Ret::Bytes)
    }

    pub(super) fn write(self, fd: Fd, data: &Arc<[u8]>) -> Reply {
        self.system.write(self.caller, self.process.descriptors.get(fd)?, data).map(Ret::Len)
    }

    pub(super) fn dup(self, fd: Fd) -> Reply {
        let description = self.process.descriptors.get(fd)?;
        let copy = self.process.descriptors.lowest_free()?;
        self.system.share(description);
        self.process.descriptors.insert(copy, description, false);
        Ok(Ret::Fd(copy))
    }

    pub(super) fn stat(self, path: &SmolStr) -> Reply {
        self.system.stat(path, true, self.caller.uid).map(Ret::Stat)
    }

    pub(super) fn lstat(self, path: &SmolStr) -> Reply {
        self.system.stat(path, false, self.caller.uid).map(Ret::Stat)
    }

    pub(super) fn link(self, old: &SmolStr, new: &SmolStr) -> Reply {
        unit(self.system.link(self.caller, old, new))
    }

    pub(super) fn link_fd(self, fd: Fd, new: &SmolStr) -> Reply {
        // As a name in `/proc/self/fd`, it is just not there.
        let description = self.process.descriptors.get(fd).map_err(|_| Errno::ENOENT)?;
        unit(self.system.link_open(self.caller, description, new))
    }

    pub(super) fn symlink(self, target: &SmolStr, path: &SmolStr) -> Reply {
        unit(self.system.symlink(self.caller, target, path))
    }

    pub(super) fn readlink(self, path: &SmolStr) -> Reply {
        self.system.readlink(path, self.caller.uid).map(Ret::Path)
    }

    pub(super) fn rename(self, old: &SmolStr, new: &SmolStr, flag: Option<RenameFlag>) -> Reply {
        unit(self.system.rename(self.caller, old, new, flag))
    }

    pub(super) fn unlink(self, path: &SmolStr) -> Reply {
        unit(self.system.unlink(self.caller, path, None))
    }

    /// The descriptor first, as FreeBSD has it, then as `unlink` or `rmdir`.
    pub(super) fn funlinkat(self, path: &SmolStr, fd: Fd, removedir: bool) -> Reply {
        let Target::Inode(ino) = self.system.opened(self.process.descriptors.get(fd)?) else {
            return Err(Errno::EINVAL);
        };
        unit(match removedir {
            true => self.system.rmdir(self.caller, path, Some(ino)),
            false => self.system.unlink(self.caller, path, Some(ino)),
        })
    }

    pub(super) fn mkdir(self, path: &SmolStr, mode: Mode) -> Reply {
        unit(self.system.mkdir(self.caller, path, mode))
    }

    pub(super) fn rmdir(self, path: &SmolStr) -> Reply {
        unit(self.system.rmdir(self.caller, path, None))
    }

    pub(super) fn chmod(self, path: &SmolStr, mode: Mode) -> Reply {
        unit(self.system.chmod(&self.caller, path, mode))
    }

    pub(super) fn chown(self, path: &SmolStr, to: Uid) -> Reply {
        unit(self.system.chown(&self.caller, path, to))
    }

    pub(super) fn fsync(self, fd: Fd) -> Reply {
        unit(self.system.fsync(self.caller, self.process.descriptors.get(fd)?))
    }

    pub(super) fn readdir(self, fd: Fd) -> Reply {
        self.system.read_directory(self.process.descriptors.get(fd)?).map(Ret::Names)
    }

    pub(super) fn utimensat(self, path: &SmolStr, mtime: Option<Duration>, follow: bool) -> Reply {
        unit(self.system.utimensat(&self.caller, path, mtime, follow))
    }
}

fn unit(done: Result<(), Errno>) -> Reply {
    done.map(|()| Ret::Unit)
}
