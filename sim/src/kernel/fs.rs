//! The file system of a machine.

mod bind;
mod description;
mod inode;
mod io;
mod list;
mod names;
mod open;
mod path;
mod target;

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{DirEntry, FileKind, SmolStr, Stat};

use super::reuse::reusing_clone;
use super::{Effect, InodeNumbers, ProcId};
pub(super) use bind::check_address;
use description::Descriptions;
pub(super) use description::{DescriptionId, LockMode};
pub(super) use inode::Ino;
use inode::{Content, Inodes, ROOT};
pub(super) use open::check_open;
pub(super) use target::Target;

/// The size that ext4 shows for a directory of one block.
const DIRECTORY_SIZE: u32 = 4096;

/// The directories that a machine boots with, besides `/`. Like the mount
/// points they mostly are, they can be neither removed nor renamed.
const BOOT_DIRECTORIES: [&str; 2] = ["run", "tmp"];

/// The inodes of a machine, and what is open: sockets and processes too.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct FileSystem {
    inodes: Inodes,
    open: Descriptions,
}

reusing_clone!(FileSystem { inodes, open });

/// Who makes a file call, when, and where its effects are noted.
pub(super) struct Caller<'a> {
    pub(super) proc: ProcId,
    pub(super) realtime: Duration,
    pub(super) effects: &'a mut Vec<Effect>,
}

impl Caller<'_> {
    pub(super) fn reborrow(&mut self) -> Caller<'_> {
        Caller { proc: self.proc, realtime: self.realtime, effects: self.effects }
    }
}

impl FileSystem {
    pub(super) fn new(numbers: InodeNumbers, realtime: Duration) -> Self {
        let mut inodes = Inodes::new(numbers, realtime);
        let entries = BOOT_DIRECTORIES
            .map(|name| {
                let ino = inodes.create(Content::directory(ROOT), realtime, None);
                inodes.get_mut(ino).names = 1;
                DirEntry { name: SmolStr::new_static(name), ino }
            })
            .to_vec();
        inodes.get_mut(ROOT).content =
            Content::Directory { parent: ROOT, entries: Arc::new(entries) };
        Self { inodes, open: Descriptions::default() }
    }

    /// The modification times of what processes created and still lives.
    pub(super) fn mtimes(&self) -> impl Iterator<Item = Duration> {
        self.inodes.iter().filter(|inode| inode.maker.is_some()).map(|inode| inode.mtime)
    }

    /// The numbers in use, sorted.
    pub(super) fn inodes(&self) -> impl Iterator<Item = Ino> {
        self.inodes.iter().map(|inode| inode.ino)
    }

    fn stat_inode(&self, ino: Ino) -> Stat {
        let inode = self.inodes.get(ino);
        let (kind, nlink, size) = match &inode.content {
            Content::File(data) => (FileKind::File, inode.names, data.len() as u32),
            Content::Socket { .. } => (FileKind::Socket, inode.names, 0),
            Content::Directory { entries, .. } => {
                let is_directory = |entry: &&DirEntry| self.inodes.get(entry.ino).is_directory();
                let below = entries.iter().filter(is_directory).count() as u32;
                // Its entry in the parent, its own `.`, and each `..` below.
                let nlink = if inode.names == 0 { 0 } else { 2 + below };
                (FileKind::Directory, nlink, DIRECTORY_SIZE)
            }
        };
        Stat { ino, kind, nlink, size, mtime: inode.mtime }
    }

    /// Forgets an inode that nothing leads to any more.
    fn release(&mut self, ino: Ino) {
        let inode = self.inodes.get(ino);
        if inode.names == 0 && !inode.is_bound() && !self.open.is_open(ino) {
            self.inodes.remove(ino);
        }
    }
}
