use locklab_sys::{Errno, Mode, SmolStr, Uid};

use super::detour::Detour;
use super::inode::{Content, Origin};
use super::path::check_path;
use super::{Caller, FileSystem};
use crate::kernel::Naming;

impl FileSystem {
    pub(in crate::kernel) fn symlink(
        &mut self,
        caller: Caller<'_>,
        target: &SmolStr,
        path: &SmolStr,
    ) -> Result<(), Errno> {
        // That it could be walked: not that it leads anywhere.
        check_path(target)?;
        let mut detour = Detour::default();
        let place = self.free_place(path, &mut detour, caller.uid)?;
        self.may_add_to(place.dir, caller.uid)?;
        let all = Mode::new(0o777);
        let origin = Origin { mode: all, ..caller.origin(all) };
        self.create_at(
            caller,
            &place,
            Content::Symlink(target.clone()),
            origin,
            Naming::Exclusive,
        )?;
        Ok(())
    }

    pub(in crate::kernel) fn readlink(&self, path: &SmolStr, uid: Uid) -> Result<SmolStr, Errno> {
        match &self.inodes.get(self.resolve(path, false, uid)?).content {
            Content::Symlink(target) => Ok(target.clone()),
            _ => Err(Errno::EINVAL),
        }
    }
}
