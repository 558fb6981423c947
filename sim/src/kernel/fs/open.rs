use locklab_sys::{Errno, Mode, OpenFlags, SmolStr};

use super::access::Access;
use super::description::DescriptionId;
use super::detour::Detour;
use super::inode::{Content, Ino};
use super::path::{Last, Place, check_path};
use super::target::Target;
use super::{Caller, FileSystem};
use crate::kernel::Naming;

/// What Linux refuses of an `open` before it gives out a descriptor.
pub(in crate::kernel) fn check_open(path: &str, flags: OpenFlags) -> Result<(), Errno> {
    let creates = flags.contains(OpenFlags::CREAT);
    if creates && flags.contains(OpenFlags::DIRECTORY) {
        return Err(Errno::EINVAL);
    }
    if flags.contains(OpenFlags::TMPFILE) && (creates || !flags.writes()) {
        return Err(Errno::EINVAL);
    }
    check_path(path)
}

impl FileSystem {
    pub(in crate::kernel) fn open(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        flags: OpenFlags,
        mode: Mode,
    ) -> Result<DescriptionId, Errno> {
        let maker = caller.proc;
        let ino = if flags.contains(OpenFlags::TMPFILE) {
            self.create_nameless(&caller, path, flags, mode)?
        } else {
            let mut detour = Detour::default();
            let place = self.walk(path, &mut detour, caller.uid)?;
            self.open_at(caller, &place, flags, mode)?
        };
        let writes = flags.writes();
        // No access mode at all is 0, which is `O_RDONLY`.
        let reads = flags.reads() || !writes;
        Ok(self.open.open(maker, Target::Inode(ino), reads, writes))
    }

    fn open_at(
        &mut self,
        caller: Caller<'_>,
        place: &Place<'_>,
        flags: OpenFlags,
        mode: Mode,
    ) -> Result<Ino, Errno> {
        let ino = match place.last {
            Last::Name(name) if flags.contains(OpenFlags::CREAT) => {
                if place.slash {
                    return Err(Errno::EISDIR);
                }
                let Some(ino) = self.lookup(place.dir, name)? else {
                    self.may_add_to(place.dir, caller.uid)?;
                    let (content, origin) = (Content::empty_file(), caller.origin(mode));
                    let how = if flags.contains(OpenFlags::EXCL) {
                        Naming::Exclusive
                    } else {
                        Naming::Created
                    };
                    return self.create_at(caller, place, content, origin, how);
                };
                ino
            }
            _ => self.target(place)?,
        };
        if flags.contains(OpenFlags::CREAT | OpenFlags::EXCL) {
            return Err(Errno::EEXIST);
        }
        let follows = place.slash || !flags.contains(OpenFlags::NOFOLLOW);
        if follows && self.inodes.get(ino).is_symlink() {
            return self.open_link(caller, place, flags, mode);
        }
        self.open_present(&caller, place.dir, ino, flags)
    }

    fn open_present(
        &mut self,
        caller: &Caller<'_>,
        dir: Ino,
        ino: Ino,
        flags: OpenFlags,
    ) -> Result<Ino, Errno> {
        let is_directory = self.inodes.get(ino).is_directory();
        let truncates = flags.contains(OpenFlags::TRUNC);
        if flags.contains(OpenFlags::CREAT) {
            if is_directory {
                return Err(Errno::EISDIR);
            }
            self.may_create_over(dir, ino, caller.uid)?;
        }
        if is_directory && (truncates || flags.writes()) {
            return Err(Errno::EISDIR);
        }
        if !is_directory && flags.contains(OpenFlags::DIRECTORY) {
            return Err(Errno::ENOTDIR);
        }
        let inode = self.inodes.get(ino);
        if inode.is_symlink() {
            return Err(Errno::ELOOP);
        }
        inode.check(caller.uid, Access::asked_by(flags))?;
        match inode.content {
            Content::Socket { .. } => return Err(Errno::ENXIO),
            Content::File(_) if truncates => self.truncate(caller, ino),
            _ => {}
        }
        Ok(ino)
    }

    fn truncate(&mut self, caller: &Caller<'_>, ino: Ino) {
        if self.disk.is_some() {
            self.before_truncation(caller, ino);
        }
        let inode = self.inodes.get_mut(ino);
        inode.content = Content::empty_file();
        // Linux does so even when the file was empty already.
        inode.mtime = caller.now;
        inode.ctime = caller.now;
    }

    /// Opens what the link at a place leads to, or creates it.
    #[cold]
    fn open_link(
        &mut self,
        caller: Caller<'_>,
        place: &Place<'_>,
        flags: OpenFlags,
        mode: Mode,
    ) -> Result<Ino, Errno> {
        let mut detour = self.follow(place, caller.uid)?;
        let place = self.walk_on(&mut detour, caller.uid)?;
        self.open_at(caller, &place, flags, mode)
    }

    /// `O_TMPFILE`.
    fn create_nameless(
        &mut self,
        caller: &Caller<'_>,
        path: &SmolStr,
        flags: OpenFlags,
        mode: Mode,
    ) -> Result<Ino, Errno> {
        let dir = self.resolve(path, !flags.contains(OpenFlags::NOFOLLOW), caller.uid)?;
        if !self.inodes.get(dir).is_directory() {
            return Err(Errno::ENOTDIR);
        }
        self.may_add_to(dir, caller.uid)?;
        let ino = self.create(Content::empty_file(), caller.origin(mode))?;
        self.inodes.get_mut(ino).may_be_named = !flags.contains(OpenFlags::EXCL);
        Ok(ino)
    }
}
