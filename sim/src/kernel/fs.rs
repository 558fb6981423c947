//! The file system of a machine.

mod access;
mod attributes;
mod bind;
mod description;
mod detour;
mod disk;
mod durable;
mod inode;
mod io;
mod link;
mod list;
mod names;
mod open;
mod path;
mod power;
mod rename;
mod renamed;
mod stamp;
mod symlink;
mod target;
mod times;
mod tree;

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{DirEntry, FileKind, Mode, SmolStr, Stat, Uid};

use super::reuse::reusing_clone;
use super::{Effect, MachineConfig, ProcId};
use crate::part::{Owner, Part, Visitor, VisitorMut};
pub(super) use bind::check_address;
use description::Descriptions;
pub(super) use description::{DescriptionId, LockMode};
use disk::Disk;
pub use disk::{IoCall, Room};
pub use durable::{Durability, Survivor};
pub(super) use inode::Ino;
use inode::{Content, Inode, Inodes, Origin, ROOT};
pub(super) use open::check_open;
use stamp::Stamp;
pub(super) use target::Target;

/// The size that ext4 shows for a directory of one block.
const DIRECTORY_SIZE: u32 = 4096;

/// The directories that a machine boots with, besides `/`, which is root's. Like
/// the mount points they mostly are, they can be neither removed nor renamed.
/// `/run` is the ordinary user's, as `/run/user/1000` is.
const BOOT_DIRECTORIES: [(&str, Uid, Mode); 2] =
    [("run", Uid::USER, Mode::new(0o755)), ("tmp", Uid::ROOT, Mode::new(0o1777))];

/// What sticky directories and hard links are guarded by beyond their modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Protections {
    hardlinks: bool,
    symlinks: bool,
    /// 1 where all may write, 2 also where the group may.
    regular: u8,
}

/// The inodes of a machine, and what is open: sockets and processes too.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct FileSystem {
    inodes: Part<Inodes>,
    open: Descriptions,
    protections: Protections,
    /// Of file times.
    granularity: Duration,
    /// None for a disk that has endless room, never fails, and never loses
    /// its power.
    disk: Option<Box<Disk>>,
}

reusing_clone!(FileSystem { inodes, open, protections, granularity, disk });

/// Who makes a file call, when, and where its effects are noted.
pub(super) struct Caller<'a> {
    pub(super) proc: ProcId,
    pub(super) uid: Uid,
    /// By the file system's clock.
    pub(super) now: Stamp,
    /// Since the world began.
    pub(super) time: Duration,
    pub(super) effects: &'a mut Vec<Effect>,
}

impl Caller<'_> {
    pub(super) fn reborrow(&mut self) -> Caller<'_> {
        let &mut Caller { proc, uid, now, time, ref mut effects } = self;
        Caller { proc, uid, now, time, effects }
    }

    /// What the caller creates, of which the umask takes its part.
    fn origin(&self, mode: Mode) -> Origin {
        let (uid, mode) = (self.uid, access::masked(mode));
        Origin { maker: Some(self.proc), now: self.now, uid, mode }
    }
}

impl FileSystem {
    pub(super) fn new(config: &MachineConfig) -> Self {
        let granularity = config.time_granularity;
        let now = Stamp::new(config.realtime, granularity);
        let mut inodes = Inodes::new(config.inode_numbers, now);
        let entries = BOOT_DIRECTORIES
            .map(|(name, uid, mode)| {
                let origin = Origin { maker: None, now, uid, mode };
                let ino = inodes.create(Content::directory(ROOT), origin, None);
                inodes.get_mut(ino).names = 1;
                DirEntry { name: SmolStr::new_static(name), ino }
            })
            .to_vec();
        inodes.get_mut(ROOT).content =
            Content::Directory { parent: ROOT, entries: Arc::new(entries) };
        let protections = Protections {
            hardlinks: config.protected_hardlinks,
            symlinks: config.protected_symlinks,
            regular: config.protected_regular,
        };
        let disk = Disk::new(config, &inodes).map(Box::new);
        Self {
            inodes: Part::new(inodes),
            open: Descriptions::default(),
            protections,
            granularity,
            disk,
        }
    }

    pub(super) fn visit(&self, visitor: &mut impl Visitor) {
        let Self { inodes, open, protections, granularity, disk } = self;
        visitor.rest(&(protections, granularity, disk));
        visitor.part(inodes, Owner::Nobody);
        open.visit(visitor);
    }

    pub(super) fn visit_mut(&mut self, visitor: &mut impl VisitorMut) {
        visitor.part(&mut self.inodes);
        self.open.visit_mut(visitor);
    }

    /// There are processes up to this one.
    pub(super) fn expect(&mut self, proc: ProcId) {
        self.open.expect(proc);
    }

    /// The numbers in use, sorted.
    pub(super) fn inodes(&self) -> impl Iterator<Item = Ino> {
        self.inodes.iter().map(|inode| inode.ino)
    }

    fn stat_inode(&self, ino: Ino) -> Stat {
        let inode = self.inodes.get(ino);
        let (kind, nlink, size) = match &inode.content {
            Content::File(data) => (FileKind::File, inode.names, data.len() as u32),
            Content::Symlink(target) => (FileKind::Symlink, inode.names, target.len() as u32),
            Content::Socket { .. } => (FileKind::Socket, inode.names, 0),
            Content::Directory { entries, .. } => {
                let is_directory = |entry: &&DirEntry| self.inodes.get(entry.ino).is_directory();
                let below = entries.iter().filter(is_directory).count() as u32;
                // Its entry in the parent, its own `.`, and each `..` below.
                let nlink = if inode.names == 0 { 0 } else { 2 + below };
                (FileKind::Directory, nlink, DIRECTORY_SIZE)
            }
        };
        let &Inode { mtime, ctime, uid, mode, .. } = inode;
        Stat { ino, kind, nlink, size, mtime: mtime.get(), ctime: ctime.get(), uid, mode }
    }

    /// Forgets an inode that nothing leads to any more.
    fn release(&mut self, ino: Ino) {
        let inode = self.inodes.get(ino);
        if inode.names == 0 && !inode.is_bound() && !self.open.is_open(ino) {
            self.inodes.remove(ino);
            if let Some(disk) = &mut self.disk {
                disk.forget(ino);
            }
        }
    }
}
