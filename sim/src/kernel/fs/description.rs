use locklab_sys::{FlockOp, OpenFlags};

use super::inode::Ino;

/// The number of an open file description on its machine: lowest free, like
/// everything that has to be the same whichever way led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) struct DescriptionId(u32);

/// How a description holds its inode's `flock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) enum LockMode {
    Shared,
    Exclusive,
}

impl LockMode {
    /// The lock that an operation asks for; none for `LOCK_UN`.
    pub(in crate::kernel) fn asked_by(op: FlockOp) -> Option<Self> {
        match op {
            FlockOp::Shared | FlockOp::TryShared => Some(Self::Shared),
            FlockOp::Exclusive | FlockOp::TryExclusive => Some(Self::Exclusive),
            FlockOp::Unlock => None,
        }
    }
}

/// An open file description: what an `open` made and descriptors share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Description {
    pub(super) ino: Ino,
    pub(super) offset: usize,
    pub(super) reads: bool,
    pub(super) writes: bool,
    lock: Option<LockMode>,
    /// How many descriptors stand for it.
    descriptors: u32,
}

/// The open file descriptions of a machine, and the locks they hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Descriptions(Vec<Option<Description>>);

impl Descriptions {
    /// A new description, for one descriptor.
    pub(super) fn open(&mut self, ino: Ino, flags: OpenFlags) -> DescriptionId {
        let writes = flags.writes();
        // No access mode at all is 0, which is `O_RDONLY`.
        let reads = flags.reads() || !writes;
        let description =
            Some(Description { ino, offset: 0, reads, writes, lock: None, descriptors: 1 });
        let at = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        match self.0.get_mut(at) {
            Some(free) => *free = description,
            None => self.0.push(description),
        }
        DescriptionId(at as u32)
    }

    pub(super) fn get(&self, id: DescriptionId) -> &Description {
        self.0[id.0 as usize].as_ref().expect("a descriptor stands for a description")
    }

    pub(super) fn get_mut(&mut self, id: DescriptionId) -> &mut Description {
        self.0[id.0 as usize].as_mut().expect("a descriptor stands for a description")
    }

    /// One more descriptor stands for it.
    pub(super) fn share(&mut self, id: DescriptionId) {
        self.get_mut(id).descriptors += 1;
    }

    /// One descriptor less stands for it; the inode it was open on, if that
    /// was the last.
    pub(super) fn close(&mut self, id: DescriptionId) -> Option<Ino> {
        let description = self.get_mut(id);
        description.descriptors -= 1;
        if description.descriptors > 0 {
            return None;
        }
        let ino = description.ino;
        self.0[id.0 as usize] = None;
        while self.0.pop_if(|last| last.is_none()).is_some() {}
        Some(ino)
    }

    pub(super) fn is_open(&self, ino: Ino) -> bool {
        self.0.iter().flatten().any(|description| description.ino == ino)
    }

    /// Whether no other description's lock stands in the way.
    pub(super) fn may_lock(&self, id: DescriptionId, mode: LockMode) -> bool {
        let ino = self.get(id).ino;
        let others = self.0.iter().enumerate().filter(|&(at, _)| at != id.0 as usize);
        let mut locks =
            others.filter_map(|(_, other)| other.as_ref().filter(|other| other.ino == ino)?.lock);
        locks.all(|lock| (lock, mode) == (LockMode::Shared, LockMode::Shared))
    }

    /// Takes the lock, or converts it, if nothing stands in the way. Linux
    /// drops the old lock before it looks, and does not take it back.
    pub(super) fn lock(&mut self, id: DescriptionId, mode: LockMode) -> bool {
        if self.get(id).lock == Some(mode) {
            return true;
        }
        let granted = self.may_lock(id, mode);
        self.get_mut(id).lock = granted.then_some(mode);
        granted
    }

    pub(super) fn unlock(&mut self, id: DescriptionId) {
        self.get_mut(id).lock = None;
    }
}
