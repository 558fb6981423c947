//! Changing whose a file is, and its mode. Neither is a change of its content:
//! the modification time stays.

use locklab_sys::{Errno, Mode, SmolStr, Uid};

use super::inode::Ino;
use super::{Caller, FileSystem};

impl FileSystem {
    pub(in crate::kernel) fn chmod(
        &mut self,
        caller: &Caller<'_>,
        path: &SmolStr,
        mode: Mode,
    ) -> Result<(), Errno> {
        let ino = self.resolve(path, true, caller.uid)?;
        self.chmod_inode(caller, ino, mode)
    }

    pub(in crate::kernel) fn chmod_inode(
        &mut self,
        caller: &Caller<'_>,
        ino: Ino,
        mode: Mode,
    ) -> Result<(), Errno> {
        if !self.inodes.get(ino).is_owned_by(caller.uid) {
            return Err(Errno::EPERM);
        }
        let inode = self.about_to_change(caller, ino);
        inode.mode = mode;
        inode.ctime = caller.now;
        Ok(())
    }

    /// An owner may give a file to himself, which changes no more than a time.
    pub(in crate::kernel) fn chown(
        &mut self,
        caller: &Caller<'_>,
        path: &SmolStr,
        to: Uid,
    ) -> Result<(), Errno> {
        let uid = caller.uid;
        let ino = self.resolve(path, true, uid)?;
        if !uid.is_root() && (self.inodes.get(ino).uid != uid || to != uid) {
            return Err(Errno::EPERM);
        }
        let inode = self.about_to_change(caller, ino);
        inode.uid = to;
        inode.ctime = caller.now;
        Ok(())
    }
}
