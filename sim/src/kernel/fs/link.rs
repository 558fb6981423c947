use locklab_sys::{Errno, SmolStr};

use super::description::DescriptionId;
use super::detour::Detour;
use super::inode::Ino;
use super::path::Place;
use super::target::Target;
use super::{Caller, FileSystem};
use crate::kernel::Naming;

/// As many names as ext4 lets a file have.
const LINK_MAX: u32 = 65_000;

impl FileSystem {
    /// Of a symbolic link, another name for itself.
    pub(in crate::kernel) fn link(
        &mut self,
        caller: Caller<'_>,
        old: &SmolStr,
        new: &SmolStr,
    ) -> Result<(), Errno> {
        let ino = self.resolve(old, false, caller.uid)?;
        let mut detour = Detour::default();
        let place = self.free_place(new, &mut detour, caller.uid)?;
        self.link_inode(caller, ino, &place)
    }

    pub(in crate::kernel) fn link_open(
        &mut self,
        caller: Caller<'_>,
        id: DescriptionId,
        new: &SmolStr,
    ) -> Result<(), Errno> {
        let mut detour = Detour::default();
        let place = self.free_place(new, &mut detour, caller.uid)?;
        // What is no file is in no file system that has names.
        let Target::Inode(ino) = self.opened(id) else { return Err(Errno::EXDEV) };
        self.link_inode(caller, ino, &place)
    }

    fn link_inode(&mut self, caller: Caller<'_>, ino: Ino, place: &Place<'_>) -> Result<(), Errno> {
        self.may_link(ino, caller.uid)?;
        self.may_add_to(place.dir, caller.uid)?;
        let inode = self.inodes.get_mut(ino);
        if inode.is_directory() {
            return Err(Errno::EPERM);
        }
        if inode.names == 0 && !inode.may_be_named {
            return Err(Errno::ENOENT);
        }
        if inode.names >= LINK_MAX {
            return Err(Errno::EMLINK);
        }
        if self.disk.is_some() {
            self.check_room_for_link(ino)?;
        }
        self.inodes.get_mut(ino).may_be_named = false;
        self.add_name(caller, place, ino, Naming::Exclusive);
        Ok(())
    }
}
