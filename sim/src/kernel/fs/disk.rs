//! A disk that has an end, fails, or loses its power.

use locklab_sys::Errno;
use serde::Serialize;

use super::durable::Durable;
use super::inode::{Content, Ino, Inodes, Origin};
use super::{Caller, FileSystem};
use crate::kernel::reuse::reusing_clone;
use crate::kernel::{Effect, MachineConfig, ProcId};

/// The unit in which content takes room, of ext4 and tmpfs both.
const BLOCK: usize = 4096;

/// How much there is room for on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Room {
    /// Blocks of 4 KiB: a file takes one for every begun 4 KiB of its content,
    /// a directory of ext4 (inode numbers lowest-free) one, and so does a symbolic
    /// link with a long target.
    pub blocks: u32,
    /// Inodes, those that a machine boots with included. On tmpfs (inode
    /// numbers fresh) a second name counts as one.
    pub inodes: u32,
}

/// A call that moves content between memory and disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IoCall {
    /// `read`.
    Read,
    /// `write`.
    Write,
    /// `fsync`.
    Fsync,
}

impl IoCall {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Fsync];
}

/// What keeps a disk from being as programs like to think of it.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Disk {
    room: Option<Room>,
    /// Somebody else has taken all blocks but so many.
    full_at: Option<u32>,
    /// Whose next call of a kind fails, sorted.
    failing: Vec<(ProcId, IoCall)>,
    pub(super) durable: Option<Durable>,
}

reusing_clone!(Disk { room, full_at, failing, durable });

impl Disk {
    pub(super) fn new(config: &MachineConfig, inodes: &Inodes) -> Option<Self> {
        let durable = config.durability.map(|durability| Durable::new(durability, inodes));
        let limited = config.room.is_some() || durable.is_some();
        limited.then(|| Self { room: config.room, durable, ..Self::default() })
    }

    /// Whether it is like any other, by now.
    fn is_ordinary(&self) -> bool {
        *self == Self::default()
    }

    /// Fails if this very call was to fail.
    pub(super) fn check(&mut self, caller: &mut Caller<'_>, call: IoCall) -> Result<(), Errno> {
        let Ok(at) = self.failing.binary_search(&(caller.proc, call)) else { return Ok(()) };
        self.failing.remove(at);
        caller.effects.push(Effect::IoFailed { proc: caller.proc, call });
        Err(Errno::EIO)
    }

    fn blocks_max(&self) -> Option<u32> {
        let room = self.room.map(|room| room.blocks);
        [room, self.full_at].into_iter().flatten().min()
    }

    /// An inode is gone.
    pub(super) fn forget(&mut self, ino: Ino) {
        if let Some(durable) = &mut self.durable {
            durable.forget(ino);
        }
    }
}

impl FileSystem {
    /// Somebody takes all the room that is left for content. What they have
    /// not, what is freed by others, can be used.
    pub(in crate::kernel) fn fill(&mut self) {
        let used = self.blocks_used();
        self.disk.get_or_insert_default().full_at = Some(used);
    }

    /// They give it back.
    pub(in crate::kernel) fn drain(&mut self) {
        if let Some(disk) = &mut self.disk {
            disk.full_at = None;
        }
        self.forget_ordinary_disk();
    }

    /// Lets the next such call of a process fail with EIO.
    pub(in crate::kernel) fn fail_next(&mut self, proc: ProcId, call: IoCall) {
        let failing = &mut self.disk.get_or_insert_default().failing;
        if let Err(at) = failing.binary_search(&(proc, call)) {
            failing.insert(at, (proc, call));
        }
    }

    /// A process has ended: no call of it will fail.
    pub(in crate::kernel) fn forgive(&mut self, proc: ProcId) {
        if let Some(disk) = &mut self.disk {
            disk.failing.retain(|(failing, _)| *failing != proc);
            self.forget_ordinary_disk();
        }
    }

    /// What is over leaves no trace.
    fn forget_ordinary_disk(&mut self) {
        self.disk.take_if(|disk| disk.is_ordinary());
    }

    /// A new inode without a name; ENOSPC without room for it.
    pub(super) fn create(&mut self, content: Content, origin: Origin) -> Result<Ino, Errno> {
        let mut reserved = None;
        if let Some(disk) = &self.disk {
            let blocks = self.blocks_of(&content);
            self.check_room(disk, 1, blocks)?;
            reserved = disk.durable.as_ref().and_then(Durable::reserved);
        }
        Ok(self.inodes.create(content, origin, reserved))
    }

    /// A second name takes an inode's room on tmpfs.
    #[cold]
    pub(super) fn check_room_for_link(&self, ino: Ino) -> Result<(), Errno> {
        let is_first = self.inodes.get(ino).names == 0;
        match &self.disk {
            Some(disk) if self.inodes.are_fresh() && !is_first => self.check_room(disk, 1, 0),
            _ => Ok(()),
        }
    }

    fn check_room(&self, disk: &Disk, inodes: u32, blocks: u32) -> Result<(), Errno> {
        let has_inodes = disk.room.is_none_or(|room| self.inodes_used() + inodes <= room.inodes);
        let has_blocks =
            blocks == 0 || disk.blocks_max().is_none_or(|max| self.blocks_used() + blocks <= max);
        if has_inodes && has_blocks { Ok(()) } else { Err(Errno::ENOSPC) }
    }

    /// A process is about to write so much at `from`: for how much of it there
    /// is room.
    #[cold]
    pub(super) fn before_write(
        &mut self,
        caller: &mut Caller<'_>,
        ino: Ino,
        from: usize,
        len: usize,
    ) -> Result<usize, Errno> {
        let has = self.file_len(ino);
        let used = self.blocks_used();
        let Some(disk) = &mut self.disk else { return Ok(len) };
        disk.check(caller, IoCall::Write)?;
        let upto = match disk.blocks_max() {
            // What the file has already cannot be taken from it.
            Some(max) => {
                let grown = blocks(has) + max.saturating_sub(used);
                (from + len).min(grown as usize * BLOCK)
            }
            None => from + len,
        };
        let fits = upto.checked_sub(from).filter(|fits| *fits > 0).ok_or(Errno::ENOSPC)?;
        self.before_overwrite(caller.time, ino);
        Ok(fits)
    }

    fn file_len(&self, ino: Ino) -> usize {
        match &self.inodes.get(ino).content {
            Content::File(data) => data.len(),
            _ => 0,
        }
    }

    fn blocks_of(&self, content: &Content) -> u32 {
        match content {
            Content::File(data) => blocks(data.len()),
            Content::Directory { .. } if !self.inodes.are_fresh() => 1,
            Content::Symlink(target) => u32::from(target.len() >= self.long_target()),
            _ => 0,
        }
    }

    /// A shorter target is kept in the inode of its symbolic link.
    fn long_target(&self) -> usize {
        if self.inodes.are_fresh() { 128 } else { 60 }
    }

    fn blocks_used(&self) -> u32 {
        self.inodes.iter().map(|inode| self.blocks_of(&inode.content)).sum()
    }

    fn inodes_used(&self) -> u32 {
        let all = self.inodes.iter();
        if self.inodes.are_fresh() {
            // One more for an open file without a name.
            all.map(|inode| if inode.is_directory() { 1 } else { inode.names.max(1) }).sum()
        } else {
            all.count() as u32
        }
    }
}

fn blocks(len: usize) -> u32 {
    len.div_ceil(BLOCK) as u32
}
