use std::sync::Arc;

use locklab_sys::{DirEntry, Errno, Mode, SmolStr, Uid};

use super::detour::Detour;
use super::inode::{Content, Ino, Origin};
use super::path::{Last, Place, find};
use super::{Caller, FileSystem};
use crate::kernel::{Effect, Naming};

impl FileSystem {
    pub(in crate::kernel) fn mkdir(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        mode: Mode,
    ) -> Result<(), Errno> {
        let mut detour = Detour::default();
        let place = self.walk(path, &mut detour, caller.uid)?;
        let Last::Name(name) = place.last else { return Err(Errno::EEXIST) };
        if self.lookup(place.dir, name)?.is_some() {
            return Err(Errno::EEXIST);
        }
        self.may_add_to(place.dir, caller.uid)?;
        let origin = caller.origin(mode);
        self.create_at(caller, &place, Content::directory(place.dir), origin, Naming::Exclusive)?;
        Ok(())
    }

    /// `only`: just if the name means this inode.
    pub(in crate::kernel) fn rmdir(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        only: Option<Ino>,
    ) -> Result<(), Errno> {
        let mut detour = Detour::default();
        let place = self.walk(path, &mut detour, caller.uid)?;
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
        self.may_move(ino)?;
        if only.is_some_and(|only| only != ino) {
            return Err(Errno::EDEADLK);
        }
        self.may_displace(ino)?;
        self.remove_name(caller, &place, name);
        self.release(ino);
        Ok(())
    }

    /// `only`: just if the name means this inode.
    pub(in crate::kernel) fn unlink(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        only: Option<Ino>,
    ) -> Result<(), Errno> {
        let mut detour = Detour::default();
        let place = self.walk(path, &mut detour, caller.uid)?;
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
        if only.is_some_and(|only| only != ino) {
            return Err(Errno::EDEADLK);
        }
        self.remove_name(caller, &place, name);
        self.release(ino);
        Ok(())
    }

    /// Where a new name can be put that is to be no directory's.
    pub(super) fn free_place<'p>(
        &self,
        path: &'p SmolStr,
        detour: &'p mut Detour,
        uid: Uid,
    ) -> Result<Place<'p>, Errno> {
        let place = self.walk(path, detour, uid)?;
        let Last::Name(name) = place.last else { return Err(Errno::EEXIST) };
        if self.lookup(place.dir, name)?.is_some() {
            return Err(Errno::EEXIST);
        }
        if place.slash {
            return Err(Errno::ENOENT);
        }
        Ok(place)
    }

    pub(super) fn may_move(&self, ino: Ino) -> Result<(), Errno> {
        match self.inodes.get(ino).maker {
            Some(_) => Ok(()),
            None => Err(Errno::EBUSY),
        }
    }

    /// Whether an inode may lose a name, as far as its content goes.
    pub(super) fn may_displace(&self, ino: Ino) -> Result<(), Errno> {
        self.may_move(ino)?;
        match &self.inodes.get(ino).content {
            Content::Directory { entries, .. } if !entries.is_empty() => Err(Errno::ENOTEMPTY),
            _ => Ok(()),
        }
    }

    /// Creates an inode whose name is free.
    pub(super) fn create_at(
        &mut self,
        caller: Caller<'_>,
        place: &Place<'_>,
        content: Content,
        origin: Origin,
        how: Naming,
    ) -> Result<Ino, Errno> {
        let ino = self.create(content, origin)?;
        self.add_name(caller, place, ino, how);
        Ok(ino)
    }

    /// Puts an inode at a place whose name is free.
    pub(super) fn add_name(
        &mut self,
        caller: Caller<'_>,
        place: &Place<'_>,
        ino: Ino,
        how: Naming,
    ) {
        let Last::Name(name) = place.last else { unreachable!("a free place has a name") };
        let entries = self.entries_mut(&caller, place.dir);
        let at = find(entries, name).expect_err("the name is free");
        entries.insert(at, DirEntry { name: SmolStr::new(name), ino });
        let inode = self.inodes.get_mut(ino);
        inode.names += 1;
        inode.ctime = caller.now;
        let maker = inode.maker.expect("boot directories get no further names");
        let path = self.normal_path(place, name);
        let by = caller.proc;
        caller.effects.push(Effect::NameAdded { path, ino, maker, by, how });
    }

    /// The inode remains, even without a name.
    pub(super) fn remove_name(&mut self, caller: Caller<'_>, place: &Place<'_>, name: &str) {
        let entries = self.entries_mut(&caller, place.dir);
        let at = find(entries, name).expect("the name is there");
        let ino = entries.remove(at).ino;
        let inode = self.inodes.get_mut(ino);
        inode.names -= 1;
        inode.ctime = caller.now;
        let maker = inode.maker.expect("boot directories keep their names");
        let path = self.normal_path(place, name);
        caller.effects.push(Effect::NameRemoved { path, ino, maker, by: caller.proc });
    }

    /// The entries of a directory, about to change.
    fn entries_mut(&mut self, caller: &Caller<'_>, dir: Ino) -> &mut Vec<DirEntry> {
        if self.disk.is_some() {
            self.before_change(caller.time);
        }
        let inode = self.inodes.get_mut(dir);
        inode.mtime = caller.now;
        inode.ctime = caller.now;
        match &mut inode.content {
            Content::Directory { entries, .. } => Arc::make_mut(entries),
            _ => unreachable!("only directories have entries"),
        }
    }
}
