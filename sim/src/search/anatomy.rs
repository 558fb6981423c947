//! What a state is made of, in numbers: so that what two have in common can be told, and what
//! comes of it when some of it changes.

use std::hash::Hash;

use locklab_sys::Fingerprint;

use super::stand::Watch;
use crate::kernel::{Places, ProcId, TaskId, reusing_clone};
use crate::part::{Identity, Owner, Part, Value, Visitor};
use crate::world::State;

/// Some of the parts of a state, by the order in which they are seen; what watches it is the
/// one behind the last.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Parts(u128);

/// With more parts, and what watches, nothing is remembered.
const PARTS_MAX: usize = 128;

/// What a state is made of, part by part.
#[derive(Default)]
pub(super) struct Anatomy {
    /// Of each part, and of what watches, a number that tells which it is and its value.
    numbers: Vec<u128>,
    rest: u128,
    /// Of all of it.
    sum: u128,
    names: Vec<Name>,
    /// How often something of the rest was seen, and how many parts since.
    section: u32,
    since: u32,
}

/// Which part it is, however many others there are: the section, and whose it is, or which of
/// nobody's in this section.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Name {
    section: u32,
    owner: Owner,
    since: u32,
}

reusing_clone!(Anatomy { numbers, rest, sum, names, section, since });

impl Anatomy {
    pub(super) fn look_at(&mut self, state: &State, watch: &Watch) {
        self.numbers.clear();
        self.names.clear();
        (self.rest, self.section, self.since) = (0, 0, 0);
        state.visit(self);
        (self.section, self.since) = (u32::MAX, 0);
        self.number(watch.fingerprint, Owner::Nobody);
        self.sum = self.numbers.iter().fold(self.rest, |sum, number| sum.wrapping_add(*number));
    }

    /// As `here`, but for these parts, which have these numbers.
    pub(super) fn differ_from(&mut self, here: &Self, parts: Parts, numbers: &[u128]) {
        self.clone_from(here);
        for (place, number) in parts.places().zip(numbers) {
            let was = std::mem::replace(&mut self.numbers[place], *number);
            self.sum = self.sum.wrapping_sub(was).wrapping_add(*number);
        }
    }

    /// Of all of it. That of a state that differs in some parts differs by the sum of their
    /// differences.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.sum)
    }

    /// The numbers of all parts, of what watches, and of all the rest.
    pub(super) fn all(&self) -> impl Iterator<Item = u128> {
        self.numbers.iter().copied().chain([self.rest])
    }

    /// Each of these numbers, with that of what it has become in `after`, when processes have
    /// changed places.
    pub(super) fn pairs(
        &self,
        after: &Self,
        places: &Places,
    ) -> impl Iterator<Item = (u128, u128)> {
        let parts = self.names.iter().zip(&self.numbers).map(|(name, number)| {
            let name = name.renamed(places);
            let place = after.names.iter().position(|it| *it == name);
            (*number, after.numbers[place.expect("it has the same parts")])
        });
        parts.chain([(self.rest, after.rest)])
    }

    pub(super) fn number_at(&self, place: usize) -> u128 {
        self.numbers[place]
    }

    pub(super) fn rest(&self) -> u128 {
        self.rest
    }

    fn number(&mut self, part: Fingerprint, owner: Owner) {
        let of_nobody = owner == Owner::Nobody;
        let since = if of_nobody { self.since } else { 0 };
        self.since += u32::from(of_nobody);
        let name = Name { section: self.section, owner, since };
        self.numbers.push(part.as_part(name.number()).0);
        self.names.push(name);
    }

    pub(super) fn has_room(&self) -> bool {
        self.numbers.len() <= PARTS_MAX
    }

    /// Whether they differ in nothing but the values of parts.
    pub(super) fn has_rest_of(&self, other: &Self) -> bool {
        self.rest == other.rest
    }

    /// Nothing if it has not so many.
    pub(super) fn sum(&self, parts: Parts) -> Option<u128> {
        let mut chosen = parts.places().map(|place| self.numbers.get(place));
        chosen.try_fold(self.rest, |sum, number| Some(sum.wrapping_add(*number?)))
    }

    /// Which parts of `after` are others than here.
    pub(super) fn those_changed(&self, after: &Self) -> Parts {
        let pairs = after.names.iter().zip(&after.numbers).enumerate();
        let changed = pairs.filter(|(_, (name, number))| self.number_of(**name) != Some(**number));
        Parts(changed.fold(0, |parts, (place, _)| parts | 1 << place))
    }

    fn number_of(&self, name: Name) -> Option<u128> {
        let place = self.names.iter().position(|it| *it == name)?;
        Some(self.numbers[place])
    }

    pub(super) fn watch(&self) -> Parts {
        Parts(1 << (self.numbers.len() - 1))
    }
}

impl Visitor for Anatomy {
    fn part<T: Value>(&mut self, part: &Part<T>, owner: Owner) {
        self.number(part.fingerprint(), owner);
    }

    fn rest<T: Hash>(&mut self, rest: &T) {
        self.rest = Fingerprint::of_state(&(self.rest, rest)).0;
        (self.section, self.since) = (self.section + 1, 0);
    }
}

impl Name {
    /// Each has another.
    fn number(self) -> u64 {
        let (kind, which) = match self.owner {
            Owner::Nobody => (0, self.since),
            Owner::Process(proc) => (1, proc),
            Owner::Task(task) => (2, task),
        };
        (u64::from(self.section) << 2 | kind) << 30 ^ u64::from(which)
    }

    /// Once processes have changed places.
    fn renamed(self, places: &Places) -> Self {
        let owner = match self.owner {
            Owner::Nobody => Owner::Nobody,
            Owner::Process(proc) => Owner::Process(places.proc(ProcId(proc)).0),
            Owner::Task(task) => Owner::Task(places.task(TaskId(task)).0),
        };
        Self { owner, ..self }
    }
}

/// Finds parts by which value they have.
struct Finder<'a> {
    wanted: &'a [Identity],
    place: usize,
    found: Parts,
}

impl Visitor for Finder<'_> {
    fn part<T: Value>(&mut self, part: &Part<T>, _: Owner) {
        if self.wanted.contains(&part.identity()) {
            self.found.0 |= 1 << self.place;
        }
        self.place += 1;
    }

    fn rest<T: Hash>(&mut self, _: &T) {}
}

impl Parts {
    /// Those of a state that are among these.
    pub(super) fn of(wanted: &[Identity], state: &State) -> Self {
        let mut finder = Finder { wanted, place: 0, found: Self(0) };
        state.visit(&mut finder);
        finder.found
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }

    pub(super) fn places(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (next < 128).then_some(next)
        })
    }
}
