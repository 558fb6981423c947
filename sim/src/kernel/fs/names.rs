use std::sync::Arc;

use locklab_sys::{DirEntry, Errno, Mode, SmolStr, Uid};

use super::access::Access;
use super::inode::{Content, Ino};
use super::path::{Last, find};
use super::{Caller, FileSystem};
use crate::kernel::Effect;

/// As many names as ext4 lets a file have.
const LINK_MAX: u32 = 65_000;

impl FileSystem {
    pub(in crate::kernel) fn mkdir(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        mode: Mode,
    ) -> Result<(), Errno> {
        let place = self.walk(path, caller.uid)?;
        let Last::Name(name) = place.last else { return Err(Errno::EEXIST) };
        if self.lookup(place.dir, name)?.is_some() {
            return Err(Errno::EEXIST);
        }
        self.may_add_to(place.dir, caller.uid)?;
        let ino = self.create(&caller, Content::directory(place.dir), mode)?;
        self.add_name(caller, path, place.dir, name, ino, true);
        Ok(())
    }

    pub(in crate::kernel) fn rmdir(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
    ) -> Result<(), Errno> {
        let place = self.walk(path, caller.uid)?;
        let name = match place.last {
            Last::Name(name) => name,
            Last::Dot => return Err(Errno::EINVAL),
            Last::DotDot => return Err(Errno::ENOTEMPTY),
            Last::Root => return Err(Errno::EBUSY),
        };
        let ino = self.lookup(place.dir, name)?.ok_or(Errno::ENOENT)?;
        self.may_remove_from(place.dir, ino, caller.uid)?;
        if !self.inodes.get(ino).is_directory() {
            return Err(Errno::ENOTDIR);
        }
        self.may_displace(ino)?;
        self.remove_name(caller, path, place.dir, name);
        self.release(ino);
        Ok(())
    }

    pub(in crate::kernel) fn unlink(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
    ) -> Result<(), Errno> {
        let place = self.walk(path, caller.uid)?;
        let Last::Name(name) = place.last else { return Err(Errno::EISDIR) };
        let ino = self.lookup(place.dir, name)?.ok_or(Errno::ENOENT)?;
        if !place.slash {
            self.may_remove_from(place.dir, ino, caller.uid)?;
        }
        if self.inodes.get(ino).is_directory() {
            return Err(Errno::EISDIR);
        }
        if place.slash {
            return Err(Errno::ENOTDIR);
        }
        self.remove_name(caller, path, place.dir, name);
        self.release(ino);
        Ok(())
    }

    pub(in crate::kernel) fn link(
        &mut self,
        caller: Caller<'_>,
        old: &SmolStr,
        new: &SmolStr,
    ) -> Result<(), Errno> {
        let ino = self.resolve(old, caller.uid)?;
        let (dir, name) = self.free_place(new, caller.uid)?;
        self.may_link(ino, caller.uid)?;
        self.may_add_to(dir, caller.uid)?;
        let inode = self.inodes.get(ino);
        if inode.is_directory() {
            return Err(Errno::EPERM);
        }
        if inode.names >= LINK_MAX {
            return Err(Errno::EMLINK);
        }
        if self.disk.is_some() {
            self.check_room_for_link(ino)?;
        }
        self.add_name(caller, new, dir, name, ino, true);
        Ok(())
    }

    pub(in crate::kernel) fn rename(
        &mut self,
        mut caller: Caller<'_>,
        old: &SmolStr,
        new: &SmolStr,
    ) -> Result<(), Errno> {
        let from = self.walk(old, caller.uid)?;
        let to = self.walk(new, caller.uid)?;
        let (Last::Name(from_name), Last::Name(to_name)) = (from.last, to.last) else {
            return Err(Errno::EBUSY);
        };
        let source = self.lookup(from.dir, from_name)?.ok_or(Errno::ENOENT)?;
        let target = self.lookup(to.dir, to_name)?;
        let is_directory = self.inodes.get(source).is_directory();
        if !is_directory && (from.slash || to.slash) {
            return Err(Errno::ENOTDIR);
        }
        if self.is_within(to.dir, source) {
            return Err(Errno::EINVAL);
        }
        if target.is_some_and(|target| self.is_within(from.dir, target)) {
            return Err(Errno::ENOTEMPTY);
        }
        if target == Some(source) {
            return Ok(());
        }
        self.may_remove_from(from.dir, source, caller.uid)?;
        if let Some(target) = target {
            self.may_remove_from(to.dir, target, caller.uid)?;
            match (is_directory, self.inodes.get(target).is_directory()) {
                (true, false) => return Err(Errno::ENOTDIR),
                (false, true) => return Err(Errno::EISDIR),
                _ => {}
            }
        } else {
            self.may_add_to(to.dir, caller.uid)?;
        }
        if is_directory && from.dir != to.dir {
            // Its `..` is to change.
            self.inodes.get(source).check(caller.uid, Access::WRITE)?;
        }
        self.may_move(source)?;
        if let Some(target) = target {
            self.may_displace(target)?;
            if self.disk.is_some() {
                self.before_replacement(&caller, source);
            }
            self.remove_name(caller.reborrow(), new, to.dir, to_name);
            self.release(target);
        }
        self.remove_name(caller.reborrow(), old, from.dir, from_name);
        self.add_name(caller, new, to.dir, to_name, source, false);
        if let Content::Directory { parent, .. } = &mut self.inodes.get_mut(source).content {
            *parent = to.dir;
        }
        Ok(())
    }

    /// Where a new name can be put that is to be no directory's.
    pub(super) fn free_place<'p>(&self, path: &'p str, uid: Uid) -> Result<(Ino, &'p str), Errno> {
        let place = self.walk(path, uid)?;
        let Last::Name(name) = place.last else { return Err(Errno::EEXIST) };
        if self.lookup(place.dir, name)?.is_some() {
            return Err(Errno::EEXIST);
        }
        if place.slash {
            return Err(Errno::ENOENT);
        }
        Ok((place.dir, name))
    }

    fn may_move(&self, ino: Ino) -> Result<(), Errno> {
        match self.inodes.get(ino).maker {
            Some(_) => Ok(()),
            None => Err(Errno::EBUSY),
        }
    }

    /// Whether an inode may lose a name, as far as its content goes.
    fn may_displace(&self, ino: Ino) -> Result<(), Errno> {
        self.may_move(ino)?;
        match &self.inodes.get(ino).content {
            Content::Directory { entries, .. } if !entries.is_empty() => Err(Errno::ENOTEMPTY),
            _ => Ok(()),
        }
    }

    /// `given` is what the caller called the new name.
    pub(super) fn add_name(
        &mut self,
        caller: Caller<'_>,
        given: &SmolStr,
        dir: Ino,
        name: &str,
        ino: Ino,
        exclusive: bool,
    ) {
        let entries = self.entries_mut(&caller, dir);
        let at = find(entries, name).expect_err("the name is free");
        entries.insert(at, DirEntry { name: SmolStr::new(name), ino });
        let inode = self.inodes.get_mut(ino);
        inode.names += 1;
        let maker = inode.maker.expect("boot directories get no further names");
        let path = self.normal_path(given, dir, name);
        let by = caller.proc;
        caller.effects.push(Effect::NameAdded { path, ino, maker, by, exclusive });
    }

    /// The inode remains, even without a name.
    fn remove_name(&mut self, caller: Caller<'_>, given: &SmolStr, dir: Ino, name: &str) {
        let entries = self.entries_mut(&caller, dir);
        let at = find(entries, name).expect("the name is there");
        let ino = entries.remove(at).ino;
        let inode = self.inodes.get_mut(ino);
        inode.names -= 1;
        let maker = inode.maker.expect("boot directories keep their names");
        let path = self.normal_path(given, dir, name);
        caller.effects.push(Effect::NameRemoved { path, ino, maker, by: caller.proc });
    }

    /// The entries of a directory, about to change.
    fn entries_mut(&mut self, caller: &Caller<'_>, dir: Ino) -> &mut Vec<DirEntry> {
        if self.disk.is_some() {
            self.before_change(caller.now);
        }
        let inode = self.inodes.get_mut(dir);
        inode.mtime = caller.realtime;
        match &mut inode.content {
            Content::Directory { entries, .. } => Arc::make_mut(entries),
            _ => unreachable!("only directories have entries"),
        }
    }
}
