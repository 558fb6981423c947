use std::sync::Arc;

use locklab_sys::{DirEntry, Errno, FlockOp, SmolStr, Stat, Uid};

use super::IoCall;
use super::description::{DescriptionId, LockMode};
use super::inode::Content;
use super::target::Target;
use super::{Caller, FileSystem};
use crate::kernel::ProcId;
use crate::kernel::socket::SocketId;

/// No file grows beyond this.
const FILE_SIZE_MAX: usize = 1 << 20;

impl FileSystem {
    pub(in crate::kernel) fn read(
        &mut self,
        caller: &mut Caller<'_>,
        id: DescriptionId,
        len: u32,
    ) -> Result<Arc<[u8]>, Errno> {
        let description = self.open.get_mut(id);
        if !description.reads {
            return Err(Errno::EBADF);
        }
        // A socket or a process.
        let Target::Inode(ino) = description.target else { return Err(Errno::EINVAL) };
        let Content::File(data) = &self.inodes.get(ino).content else {
            return Err(Errno::EISDIR);
        };
        if let Some(disk) = &mut self.disk {
            disk.check(caller, IoCall::Read)?;
        }
        let from = description.offset.min(data.len());
        let upto = from.saturating_add(len as usize).min(data.len());
        description.offset += upto - from;
        Ok(match &data[from..upto] {
            [] => Arc::default(),
            all if all.len() == data.len() => Arc::clone(data),
            part => part.into(),
        })
    }

    /// Writes what fits; how many bytes that were.
    pub(in crate::kernel) fn write(
        &mut self,
        mut caller: Caller<'_>,
        id: DescriptionId,
        bytes: &Arc<[u8]>,
    ) -> Result<u32, Errno> {
        let description = self.open.get_mut(id);
        if !description.writes {
            return Err(Errno::EBADF);
        }
        let Target::Inode(ino) = description.target else { return Err(Errno::EINVAL) };
        if bytes.is_empty() {
            return Ok(0);
        }
        let from = description.offset;
        if from >= FILE_SIZE_MAX {
            return Err(Errno::EFBIG);
        }
        let mut written = bytes.len().min(FILE_SIZE_MAX - from);
        if self.disk.is_some() {
            let fits = self.before_write(&mut caller, ino, from, written);
            if fits == Err(Errno::ENOSPC) {
                // Linux stamps a file before it looks for room.
                let inode = self.inodes.get_mut(ino);
                (inode.mtime, inode.ctime) = (caller.now, caller.now);
            }
            written = fits?;
        }
        self.open.get_mut(id).offset += written;
        let inode = self.inodes.get_mut(ino);
        let Content::File(data) = &mut inode.content else {
            unreachable!("no directory is open for writing");
        };
        overwrite(data, from, bytes, written);
        inode.mtime = caller.now;
        inode.ctime = caller.now;
        Ok(written as u32)
    }

    pub(in crate::kernel) fn read_directory(
        &self,
        id: DescriptionId,
    ) -> Result<Arc<[DirEntry]>, Errno> {
        let Target::Inode(ino) = self.opened(id) else { return Err(Errno::ENOTDIR) };
        let inode = self.inodes.get(ino);
        match &inode.content {
            Content::File(_) | Content::Symlink(_) | Content::Socket { .. } => Err(Errno::ENOTDIR),
            Content::Directory { .. } if inode.names == 0 => Err(Errno::ENOENT),
            Content::Directory { entries, .. } => Ok(entries.as_slice().into()),
        }
    }

    /// `follow`: not of a symbolic link itself.
    pub(in crate::kernel) fn stat(
        &self,
        path: &SmolStr,
        follow: bool,
        uid: Uid,
    ) -> Result<Stat, Errno> {
        self.resolve(path, follow, uid).map(|ino| self.stat_inode(ino))
    }

    pub(in crate::kernel) fn stat_open(&self, id: DescriptionId) -> Stat {
        match self.opened(id) {
            Target::Inode(ino) => self.stat_inode(ino),
            special => special.stat_special(),
        }
    }

    pub(in crate::kernel) fn opened(&self, id: DescriptionId) -> Target {
        self.open.get(id).target
    }

    pub(in crate::kernel) fn reads(&self, id: DescriptionId) -> bool {
        self.open.get(id).reads
    }

    pub(in crate::kernel) fn writes(&self, id: DescriptionId) -> bool {
        self.open.get(id).writes
    }

    /// A description of what is no file, for one descriptor.
    pub(in crate::kernel) fn open_special(
        &mut self,
        maker: ProcId,
        target: Target,
    ) -> DescriptionId {
        self.open.open(maker, target, true, true)
    }

    /// One more descriptor stands for this description.
    pub(in crate::kernel) fn share(&mut self, id: DescriptionId) {
        self.open.share(id);
    }

    /// Whether a single descriptor stands for it.
    pub(in crate::kernel) fn is_last(&self, id: DescriptionId) -> bool {
        self.open.is_last(id)
    }

    /// The socket that no descriptor stands for any more, if it was one.
    #[must_use]
    pub(in crate::kernel) fn close(&mut self, id: DescriptionId) -> Option<SocketId> {
        match self.open.close(id)? {
            Target::Inode(ino) => self.release(ino),
            Target::Socket(socket) => return Some(socket),
            Target::Process(_) => {}
        }
        None
    }

    /// Does what needs no waiting; the lock that is to be waited for.
    pub(in crate::kernel) fn flock(
        &mut self,
        id: DescriptionId,
        op: FlockOp,
    ) -> Result<Option<LockMode>, Errno> {
        let Some(mode) = LockMode::asked_by(op) else {
            self.open.unlock(id);
            return Ok(None);
        };
        if self.open.lock(id, mode) {
            return Ok(None);
        }
        match op {
            FlockOp::TryShared | FlockOp::TryExclusive => Err(Errno::EAGAIN),
            _ => Ok(Some(mode)),
        }
    }

    /// Whether a waiting `flock` could take the lock now.
    pub(in crate::kernel) fn holds_lock(&self, id: DescriptionId) -> bool {
        self.open.get(id).is_locked()
    }

    pub(in crate::kernel) fn may_lock(&self, id: DescriptionId, mode: LockMode) -> bool {
        self.open.may_lock(id, mode)
    }

    /// Takes the lock that was waited for.
    pub(in crate::kernel) fn lock(&mut self, id: DescriptionId, mode: LockMode) {
        let granted = self.open.lock(id, mode);
        assert!(granted, "a lock is taken when it may be");
    }
}

/// Puts the first `written` of `bytes` at `from`, zeros into the gap before.
fn overwrite(data: &mut Arc<[u8]>, from: usize, bytes: &Arc<[u8]>, written: usize) {
    let covers_all = from == 0 && written == bytes.len() && written >= data.len();
    if covers_all {
        *data = Arc::clone(bytes);
        return;
    }
    let mut grown = data.to_vec();
    grown.resize(grown.len().max(from + written), 0);
    grown[from..from + written].copy_from_slice(&bytes[..written]);
    *data = grown.into();
}
