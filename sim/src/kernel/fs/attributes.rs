//! Changing whose a file is, and its mode. Neither is a change of its content:
//! the modification time stays.

use locklab_sys::{Errno, Mode, SmolStr, Uid};

use super::FileSystem;
use super::inode::Ino;

impl FileSystem {
    pub(in crate::kernel) fn chmod(
        &mut self,
        path: &SmolStr,
        mode: Mode,
        uid: Uid,
    ) -> Result<(), Errno> {
        let ino = self.resolve(path, uid)?;
        self.chmod_inode(ino, mode, uid)
    }

    pub(in crate::kernel) fn chmod_inode(
        &mut self,
        ino: Ino,
        mode: Mode,
        uid: Uid,
    ) -> Result<(), Errno> {
        let inode = self.inodes.get_mut(ino);
        if !inode.is_owned_by(uid) {
            return Err(Errno::EPERM);
        }
        inode.mode = mode;
        Ok(())
    }

    /// An owner may give a file to himself, which changes nothing.
    pub(in crate::kernel) fn chown(
        &mut self,
        path: &SmolStr,
        to: Uid,
        uid: Uid,
    ) -> Result<(), Errno> {
        let ino = self.resolve(path, uid)?;
        let inode = self.inodes.get_mut(ino);
        if !uid.is_root() && (inode.uid != uid || to != uid) {
            return Err(Errno::EPERM);
        }
        inode.uid = to;
        Ok(())
    }
}
