use std::hash::{Hash, Hasher};

use locklab_sys::{Fingerprint, FlockOp};

use super::inode::Ino;
use super::target::Target;
use crate::kernel::Places;
use crate::kernel::ProcId;
use crate::kernel::reuse::reusing_clone;
use crate::kernel::slots::{Slot, Slots};
use crate::part::{Owner, Part, Visitor, VisitorMut};

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

/// The open file descriptions of a machine, and the locks they hold: for each process,
/// those that it made. What a process does with its own does not concern the others'.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Descriptions {
    made_by: Vec<Part<Slots<Description>>>,
}

reusing_clone!(Descriptions { made_by });

/// As if they were in one table, and that in a part: how a state is hashed is written down
/// in schedules.
impl Hash for Descriptions {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        struct Table<'a>(&'a Descriptions);
        impl Hash for Table<'_> {
            fn hash<H: Hasher>(&self, hasher: &mut H) {
                hasher.write_usize(self.0.iter().count());
                self.0.iter().for_each(|it| it.hash(hasher));
            }
        }
        Fingerprint::of_state(&Table(self)).hash(hasher);
    }
}

impl Descriptions {
    /// There are processes up to this one, which may make some.
    pub(super) fn expect(&mut self, proc: ProcId) {
        let count = (proc.0 as usize + 1).max(self.made_by.len());
        self.made_by.resize_with(count, Part::default);
    }

    pub(super) fn visit(&self, visitor: &mut impl Visitor) {
        visitor.rest(&self.made_by.len());
        for (made, proc) in self.made_by.iter().zip(0..) {
            visitor.part(made, Owner::Process(proc));
        }
    }

    pub(super) fn visit_mut(&mut self, visitor: &mut impl VisitorMut) {
        self.made_by.iter_mut().for_each(|made| visitor.part(made));
    }

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
        DescriptionId(self.made_by[maker.0 as usize].insert(maker, description))
    }

    pub(super) fn get(&self, id: DescriptionId) -> &Description {
        let made = &self.made_by[id.0.maker().0 as usize];
        made.get(id.0).expect("a descriptor stands for a description")
    }

    pub(super) fn get_mut(&mut self, id: DescriptionId) -> &mut Description {
        let made = &mut self.made_by[id.0.maker().0 as usize];
        made.get_mut(id.0).expect("a descriptor stands for a description")
    }

    fn iter(&self) -> impl Iterator<Item = (Slot, &Description)> {
        self.made_by.iter().flat_map(|made| made.iter())
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
        let made = &mut self.made_by[id.0.maker().0 as usize];
        made.remove(id.0).map(|closed| closed.target)
    }

    /// As they were, had processes changed places; `false` if one stands for a process.
    pub(super) fn change_places(&mut self, places: &Places) -> bool {
        let old = self.made_by.clone();
        for (made, proc) in old.into_iter().zip(0..) {
            let to = places.proc(ProcId(proc));
            if to != ProcId(proc) {
                let now = &mut self.made_by[to.0 as usize];
                *now = made;
                if !now.is_empty() {
                    now.change_places(places);
                }
            }
        }
        self.iter().all(|(_, description)| !matches!(description.target, Target::Process(_)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(super) fn is_open(&self, ino: Ino) -> bool {
        let is_of = |target| matches!(target, Target::Inode(other) if other == ino);
        self.iter().any(|(_, description)| is_of(description.target))
    }

    /// Whether no other description's lock stands in the way. Sockets and
    /// processes can be locked too.
    pub(super) fn may_lock(&self, id: DescriptionId, mode: LockMode) -> bool {
        let target = self.get(id).target;
        let others = self.iter().filter(|&(at, _)| at != id.0);
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
