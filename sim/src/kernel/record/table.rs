//! What is held.

use std::ops;

use super::{DescriptionId, Lock, LockMode, Owner, ProcId, Range, RecordLocks, Target};

/// A lock of an owner after a change, and which one before it was, if those who
/// wait for it go on waiting.
pub(super) type Piece = (Lock, Option<usize>);

impl RecordLocks {
    /// How many are held.
    pub(in crate::kernel) fn count(&self) -> usize {
        self.table.len()
    }

    /// Whether a process has some lock there, on its own account.
    pub(in crate::kernel) fn are_of(&self, target: Target, proc: ProcId) -> bool {
        self.first_of(target, Owner::Process(proc), Range::ALL).is_some()
    }

    /// Whether an open file description has some lock there.
    pub(in crate::kernel) fn are_of_open(&self, target: Target, id: DescriptionId) -> bool {
        self.first_of(target, Owner::Description(id), Range::ALL).is_some()
    }

    /// The first lock that another holds and that conflicts with `asked`.
    pub(super) fn in_the_way(&self, asked: &Lock) -> Option<usize> {
        self.table.iter().position(|held| held.conflicts(asked))
    }

    /// The first lock that an owner has in a range.
    pub(super) fn first_of(&self, target: Target, owner: Owner, range: Range) -> Option<usize> {
        let mut group = self.group(target, owner);
        group.find(|&at| self.table[at].range.overlaps(range))
    }

    pub(super) fn get(&self, at: usize) -> &Lock {
        &self.table[at]
    }

    /// Takes a lock that nothing is in the way of: it replaces what its owner
    /// has there, and joins what it touches.
    pub(super) fn take(&mut self, lock: &Lock) {
        self.enter(lock);
        self.settle();
    }

    /// As [`take`](Self::take), before anybody who is woken looks; its place,
    /// unless it joined another.
    pub(super) fn enter(&mut self, lock: &Lock) -> Option<usize> {
        self.change(lock.target, lock.owner, Some(lock.mode), lock.range)
    }

    /// Drops what an owner has in a range.
    pub(super) fn drop_range(&mut self, target: Target, owner: Owner, range: Range) {
        self.change(target, owner, None, range);
        self.settle();
    }

    fn change(
        &mut self,
        target: Target,
        owner: Owner,
        mode: Option<LockMode>,
        range: Range,
    ) -> Option<usize> {
        let group = self.group(target, owner);
        let (mut grown, mut heir) = (range, None);
        let mut pieces: Vec<Piece> = Vec::new();
        for (index, held) in self.table[group.clone()].iter().enumerate() {
            if Some(held.mode) == mode && held.range.touches(range) {
                grown = grown.with(held.range);
                heir = heir.or(Some(index));
            } else if held.range.overlaps(range) {
                let rest = held.range.without(range);
                pieces.extend(rest.map(|range| (Lock { range, ..*held }, None)));
            } else {
                pieces.push((*held, Some(index)));
            }
        }
        pieces.extend(mode.map(|mode| (Lock { target, owner, mode, range: grown }, heir)));
        pieces.sort_by_key(|(lock, _)| lock.range.first);
        self.rehang(&group, &pieces);
        let is_new = |&(lock, was): &Piece| was.is_none() && lock.range == range;
        let at = pieces.iter().position(is_new).map(|at| group.start + at);
        self.table.splice(group, pieces.into_iter().map(|(lock, _)| lock));
        at
    }

    /// The locks of an owner; where they would be, if it has none.
    fn group(&self, target: Target, owner: Owner) -> ops::Range<usize> {
        let of_target = self.table.partition_point(|lock| lock.target < target)
            ..self.table.partition_point(|lock| lock.target <= target);
        let is_mine = |lock: &Lock| lock.owner == owner;
        match self.table[of_target.clone()].iter().position(is_mine) {
            Some(at) => {
                let first = of_target.start + at;
                let mine = self.table[first..of_target.end].iter().take_while(|it| is_mine(it));
                first..first + mine.count()
            }
            None => of_target.end..of_target.end,
        }
    }
}
