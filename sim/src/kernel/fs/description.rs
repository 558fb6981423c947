use locklab_sys::FlockOp;

use super::inode::Ino;
use super::target::Target;
use crate::kernel::Places;
use crate::kernel::ProcId;
use crate::kernel::reuse::reusing_clone;
use crate::kernel::slots::{Slot, Slots};

/// The number of an open file description on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) struct DescriptionId(pub(in crate::kernel) Slot);

/// How a description holds the `flock` of what it is open on.
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

/// An open file description: what an `open`, `socket`, `accept` or `pidfd_open`
/// made and descriptors share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Description {
    pub(super) target: Target,
    pub(super) offset: usize,
    pub(super) reads: bool,
    pub(super) writes: bool,
    lock: Option<LockMode>,
    /// How many descriptors stand for it.
    descriptors: u32,
}

impl Description {
    pub(super) fn is_locked(&self) -> bool {
        self.lock.is_some()
    }
}

/// The open file descriptions of a machine, and the locks they hold.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Descriptions {
    table: Slots<Description>,
}

reusing_clone!(Descriptions { table });

impl Descriptions {
    /// A new description, for one descriptor.
    pub(super) fn open(
        &mut self,
        maker: ProcId,
        target: Target,
        reads: bool,
        writes: bool,
    ) -> DescriptionId {
        let description =
            Description { target, offset: 0, reads, writes, lock: None, descriptors: 1 };
        DescriptionId(self.table.insert(maker, description))
    }

    pub(super) fn get(&self, id: DescriptionId) -> &Description {
        self.table.get(id.0).expect("a descriptor stands for a description")
    }

    pub(super) fn get_mut(&mut self, id: DescriptionId) -> &mut Description {
        self.table.get_mut(id.0).expect("a descriptor stands for a description")
    }

    /// One more descriptor stands for it.
    pub(super) fn share(&mut self, id: DescriptionId) {
        self.get_mut(id).descriptors += 1;
    }

    /// Whether a single descriptor stands for it.
    pub(super) fn is_last(&self, id: DescriptionId) -> bool {
        self.get(id).descriptors == 1
    }

    /// One descriptor less stands for it; what it was open on, if that was the
    /// last.
    pub(super) fn close(&mut self, id: DescriptionId) -> Option<Target> {
        let description = self.get_mut(id);
        description.descriptors -= 1;
        if description.descriptors > 0 {
            return None;
        }
        self.table.remove(id.0).map(|closed| closed.target)
    }

    /// As they were, had processes changed places; `false` if one stands for a process.
    pub(super) fn change_places(&mut self, places: &Places) -> bool {
        self.table.change_places(places);
        let mut all = self.table.iter();
        all.all(|(_, description)| !matches!(description.target, Target::Process(_)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.table.iter().next().is_none()
    }

    pub(super) fn is_open(&self, ino: Ino) -> bool {
        let is_of = |target| matches!(target, Target::Inode(other) if other == ino);
        self.table.iter().any(|(_, description)| is_of(description.target))
    }

    /// Whether no other description's lock stands in the way. Sockets and
    /// processes can be locked too.
    pub(super) fn may_lock(&self, id: DescriptionId, mode: LockMode) -> bool {
        let target = self.get(id).target;
        let others = self.table.iter().filter(|&(at, _)| at != id.0);
        let locks = others.filter_map(|(_, other)| Some((other.lock?, other.target)));
        let mut locks = locks.filter(|&(_, other)| other == target);
        locks.all(|(lock, _)| (lock, mode) == (LockMode::Shared, LockMode::Shared))
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
