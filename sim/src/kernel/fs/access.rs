//! Who may do what with an inode. Root may do everything, but for what the
//! protections of sticky directories deny even to root.

use locklab_sys::{Errno, Mode, OpenFlags, Uid};

use super::inode::{Content, Ino, Inode};
use super::{FileSystem, Protections};

/// The umask of every process.
const UMASK: Mode = Mode::new(0o022);

/// What is asked of an inode: bits as in a mode.
#[derive(Clone, Copy)]
pub(super) struct Access(u16);

impl Access {
    pub(super) const SEARCH: Self = Self(1);
    pub(super) const WRITE: Self = Self(2);
    const READ: Self = Self(4);
    const READ_WRITE: Self = Self(6);
    /// What adding and removing names asks of a directory.
    const CHANGE: Self = Self(3);

    /// What an `open` asks: truncating is writing.
    pub(super) fn asked_by(flags: OpenFlags) -> Self {
        match (flags.writes(), flags.contains(OpenFlags::TRUNC)) {
            (true, _) if flags.reads() => Self::READ_WRITE,
            (true, _) => Self::WRITE,
            (false, true) => Self::READ_WRITE,
            (false, false) => Self::READ,
        }
    }
}

/// What is left of a mode that a new file is asked to have.
pub(super) fn masked(mode: Mode) -> Mode {
    mode.masked(UMASK)
}

impl Inode {
    pub(super) fn check(&self, uid: Uid, access: Access) -> Result<(), Errno> {
        // The owner's bits count for the owner, even if others may more.
        let bits = if uid == self.uid { self.mode.bits() >> 6 } else { self.mode.bits() };
        match bits & access.0 == access.0 || uid.is_root() {
            true => Ok(()),
            false => Err(Errno::EACCES),
        }
    }

    /// Whether a user may change mode, and what else only an owner may.
    pub(super) fn is_owned_by(&self, uid: Uid) -> bool {
        uid == self.uid || uid.is_root()
    }

    pub(super) fn is_sticky(&self) -> bool {
        self.mode.contains(Mode::STICKY)
    }
}

impl FileSystem {
    pub(super) fn may_add_to(&self, dir: Ino, uid: Uid) -> Result<(), Errno> {
        self.inodes.get(dir).check(uid, Access::CHANGE)
    }

    /// Whether a user may take a name of `ino` out of a directory.
    pub(super) fn may_remove_from(&self, dir: Ino, ino: Ino, uid: Uid) -> Result<(), Errno> {
        let dir = self.inodes.get(dir);
        dir.check(uid, Access::CHANGE)?;
        if dir.is_sticky() && !dir.is_owned_by(uid) && !self.inodes.get(ino).is_owned_by(uid) {
            return Err(Errno::EPERM);
        }
        Ok(())
    }

    /// `fs.protected_hardlinks`: a link needs a file that the user owns, or could
    /// read and write.
    pub(super) fn may_link(&self, ino: Ino, uid: Uid) -> Result<(), Errno> {
        let inode = self.inodes.get(ino);
        let is_safe = || {
            let is_file = matches!(inode.content, Content::File(_));
            is_file && inode.check(uid, Access::READ_WRITE).is_ok()
        };
        if self.protections.hardlinks && !inode.is_owned_by(uid) && !is_safe() {
            return Err(Errno::EPERM);
        }
        Ok(())
    }

    /// `fs.protected_symlinks`: in a sticky directory that all may write, only
    /// one's own links are followed, and those of the directory's owner, at the
    /// end of a path; not others, not even by root.
    pub(super) fn may_follow(&self, dir: Ino, link: Ino, uid: Uid) -> Result<(), Errno> {
        let (dir, link) = (self.inodes.get(dir), self.inodes.get(link));
        let is_public = dir.is_sticky() && dir.mode.bits() & 0o002 != 0;
        if self.protections.symlinks && is_public && ![uid, dir.uid].contains(&link.uid) {
            return Err(Errno::EACCES);
        }
        Ok(())
    }

    /// `fs.protected_regular`: `O_CREAT` does not open another's file in a sticky
    /// directory that all may write, unless it is the directory's owner's; not
    /// even for root. Of what is no file this holds without the switch.
    pub(super) fn may_create_over(&self, dir: Ino, ino: Ino, uid: Uid) -> Result<(), Errno> {
        let (dir, inode) = (self.inodes.get(dir), self.inodes.get(ino));
        if !dir.is_sticky() || inode.uid == uid || inode.uid == dir.uid {
            return Ok(());
        }
        let is_file = matches!(inode.content, Content::File(_));
        let Protections { regular, .. } = self.protections;
        let bits = dir.mode.bits();
        let by_others = bits & 0o002 != 0 && (!is_file || regular > 0);
        let by_group = bits & 0o020 != 0 && is_file && regular > 1;
        if by_others || by_group { Err(Errno::EACCES) } else { Ok(()) }
    }
}
