use super::{Places, ProcId};

/// The number of something that a process made: its own, and the lowest that none of
/// what it made has. So it does not depend on what others did before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot {
    maker: ProcId,
    index: u32,
}

impl Slot {
    pub(super) fn maker(self) -> ProcId {
        self.maker
    }

    /// One number for it.
    pub(super) fn number(self) -> u64 {
        u64::from(self.maker.0) << 32 | u64::from(self.index)
    }

    /// The same, had processes changed places.
    pub(super) fn renamed(self, places: &Places) -> Self {
        Self { maker: places.proc(self.maker), ..self }
    }
}

/// Values under numbers. What has come and gone leaves no trace.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Slots<T>(Vec<(Slot, T)>);

impl<T> Slots<T> {
    /// Its number.
    pub(super) fn insert(&mut self, maker: ProcId, value: T) -> Slot {
        let first = self.0.partition_point(|(slot, _)| slot.maker < maker);
        let of_maker = self.0[first..].iter().zip(0..);
        let in_row =
            |((slot, _), index): &(&(Slot, T), u32)| *slot == Slot { maker, index: *index };
        let taken = of_maker.take_while(in_row).count();
        let slot = Slot { maker, index: taken as u32 };
        self.0.insert(first + taken, (slot, value));
        slot
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&T> {
        self.position(slot).map(|at| &self.0[at].1)
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        self.position(slot).map(|at| &mut self.0[at].1)
    }

    pub(super) fn remove(&mut self, slot: Slot) -> Option<T> {
        self.position(slot).map(|at| self.0.remove(at).1)
    }

    /// As it were, had processes changed places.
    pub(super) fn change_places(&mut self, places: &Places) {
        for (slot, _) in &mut self.0 {
            *slot = slot.renamed(places);
        }
        self.0.sort_unstable_by_key(|(slot, _)| *slot);
    }

    /// All values, with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        self.0.iter().map(|(slot, value)| (*slot, value))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn position(&self, slot: Slot) -> Option<usize> {
        self.0.binary_search_by_key(&slot, |(slot, _)| *slot).ok()
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Clone for Slots<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Keeps the buffer that it fills.
    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}
