use locklab_sys::{Errno, RenameFlag, SmolStr};

use super::access::Access;
use super::inode::{Content, Ino};
use super::path::{Last, Place};
use super::{Caller, FileSystem};
use crate::kernel::Naming;

impl FileSystem {
    pub(in crate::kernel) fn rename(
        &mut self,
        mut caller: Caller<'_>,
        old: &SmolStr,
        new: &SmolStr,
        flag: Option<RenameFlag>,
    ) -> Result<(), Errno> {
        let (mut before, mut after) = Default::default();
        let from = self.walk(old, &mut before, caller.uid)?;
        let to = self.walk(new, &mut after, caller.uid)?;
        let exchanges = flag == Some(RenameFlag::Exchange);
        let replaces = flag != Some(RenameFlag::NoReplace);
        let Last::Name(from_name) = from.last else { return Err(Errno::EBUSY) };
        let Last::Name(to_name) = to.last else {
            return Err(if replaces { Errno::EBUSY } else { Errno::EEXIST });
        };
        let source = self.lookup(from.dir, from_name)?.ok_or(Errno::ENOENT)?;
        let target = self.lookup(to.dir, to_name)?;
        let source_is_directory = self.inodes.get(source).is_directory();
        let target_is_directory = target.map(|target| self.inodes.get(target).is_directory());
        match (flag, target_is_directory) {
            (Some(RenameFlag::NoReplace), Some(_)) => return Err(Errno::EEXIST),
            (Some(RenameFlag::Exchange), None) => return Err(Errno::ENOENT),
            (Some(RenameFlag::Exchange), Some(false)) if to.slash => return Err(Errno::ENOTDIR),
            _ => {}
        }
        if !source_is_directory && (from.slash || (to.slash && !exchanges)) {
            return Err(Errno::ENOTDIR);
        }
        if self.is_within(to.dir, source) {
            return Err(Errno::EINVAL);
        }
        if target.is_some_and(|target| self.is_within(from.dir, target)) {
            return Err(if exchanges { Errno::EINVAL } else { Errno::ENOTEMPTY });
        }
        if target == Some(source) {
            return Ok(());
        }
        self.may_remove_from(from.dir, source, caller.uid)?;
        match target {
            Some(target) => self.may_remove_from(to.dir, target, caller.uid)?,
            None => self.may_add_to(to.dir, caller.uid)?,
        }
        match (source_is_directory, target_is_directory) {
            (true, Some(false)) if !exchanges => return Err(Errno::ENOTDIR),
            (false, Some(true)) if !exchanges => return Err(Errno::EISDIR),
            _ => {}
        }
        if from.dir != to.dir {
            // The `..` of a directory that moves is to change.
            if source_is_directory {
                self.inodes.get(source).check(caller.uid, Access::WRITE)?;
            }
            if let Some(target) = target.filter(|_| exchanges && target_is_directory == Some(true))
            {
                self.inodes.get(target).check(caller.uid, Access::WRITE)?;
            }
        }
        self.may_move(source)?;
        if let Some(target) = target {
            match exchanges {
                true => self.may_move(target)?,
                false => self.may_displace(target)?,
            }
            if self.disk.is_some() && !exchanges {
                self.before_replacement(&caller, source);
            }
            self.remove_name(caller.reborrow(), &to, to_name);
        }
        self.remove_name(caller.reborrow(), &from, from_name);
        // Where a directory goes, nothing is, or one that is empty.
        let exclusive = !replaces || (source_is_directory && !exchanges);
        let how = if exclusive { Naming::Exclusive } else { Naming::Moved };
        self.put(caller.reborrow(), &to, source, how);
        match target {
            Some(target) if exchanges => self.put(caller, &from, target, Naming::Moved),
            Some(target) => self.release(target),
            None => {}
        }
        Ok(())
    }

    /// Gives a place to an inode that has just lost another.
    fn put(&mut self, caller: Caller<'_>, place: &Place<'_>, ino: Ino, how: Naming) {
        self.add_name(caller, place, ino, how);
        if let Content::Directory { parent, .. } = &mut self.inodes.get_mut(ino).content {
            *parent = place.dir;
        }
    }
}
