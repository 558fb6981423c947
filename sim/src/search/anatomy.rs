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

/// What a state is made of, part by part: all there is to be known of it, to whoever knows
/// which number stands for what.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Anatomy {
    /// Of each part, and of what watches, a number that tells which it is and its value.
    numbers: Vec<u128>,
    rest: u128,
    /// Of all of it.
    sum: u128,
}

reusing_clone!(Anatomy { numbers, rest, sum });

/// Which part it is, however many others there are: the section, and whose it is, or which of
/// nobody's in this section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    section: u32,
    owner: Owner,
    since: u32,
}

/// What the parts of a state are called, in their order. States with the same rest have the
/// same names.
pub(super) type Names = Vec<Name>;

impl Anatomy {
    /// Looks at a state, and at what watches it; and writes down what its parts are called.
    pub(super) fn look_at(&mut self, state: &State, watch: &Watch, names: &mut Names) {
        self.numbers.clear();
        self.rest = 0;
        names.clear();
        let mut looker = Looker { anatomy: self, names, section: 0, since: 0 };
        state.visit(&mut looker);
        (looker.section, looker.since) = (u32::MAX, 0);
        looker.number(watch.fingerprint, Owner::Nobody);
        self.sum = self.numbers.iter().fold(self.rest, |sum, number| sum.wrapping_add(*number));
    }

    /// Becomes what has these numbers.
    pub(super) fn become_of(&mut self, numbers: impl Iterator<Item = u128>, rest: u128) {
        self.numbers.clear();
        self.numbers.extend(numbers);
        self.rest = rest;
        self.sum = self.numbers.iter().fold(rest, |sum, number| sum.wrapping_add(*number));
    }

    /// Becomes as `here`, but for the parts at these places, which have these numbers.
    pub(super) fn differ_from(&mut self, here: &Self, parts: &[(u8, u128)]) {
        self.clone_from(here);
        for (place, number) in parts {
            let was = std::mem::replace(&mut self.numbers[usize::from(*place)], *number);
            self.sum = self.sum.wrapping_sub(was).wrapping_add(*number);
        }
    }

    /// Of all of it. That of a state that differs in some parts differs by the sum of their
    /// differences.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.sum)
    }

    /// The numbers of all parts, and of what watches.
    pub(super) fn numbers(&self) -> &[u128] {
        &self.numbers
    }

    pub(super) fn rest(&self) -> u128 {
        self.rest
    }

    /// What it takes, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (size_of::<Self>() + self.numbers.len() * size_of::<u128>()) as u64
    }

    pub(super) fn has_room(&self) -> bool {
        self.numbers.len() <= PARTS_MAX
    }

    /// The number of what watches.
    pub(super) fn watch(&self) -> u128 {
        self.numbers[self.numbers.len() - 1]
    }

    /// Something else watches.
    pub(super) fn set_watch(&mut self, number: u128) {
        let last = self.numbers.len() - 1;
        let was = std::mem::replace(&mut self.numbers[last], number);
        self.sum = self.sum.wrapping_sub(was).wrapping_add(number);
    }
}

struct Looker<'a> {
    anatomy: &'a mut Anatomy,
    names: &'a mut Names,
    /// How often something of the rest was seen, and how many parts since.
    section: u32,
    since: u32,
}

impl Looker<'_> {
    fn number(&mut self, part: Fingerprint, owner: Owner) {
        let of_nobody = owner == Owner::Nobody;
        let since = if of_nobody { self.since } else { 0 };
        self.since += u32::from(of_nobody);
        let name = Name { section: self.section, owner, since };
        self.anatomy.numbers.push(part.as_part(name.number()).0);
        self.names.push(name);
    }
}

impl Visitor for Looker<'_> {
    fn part<T: Value>(&mut self, part: &Part<T>, owner: Owner) {
        self.number(part.fingerprint(), owner);
    }

    fn rest<T: Hash>(&mut self, rest: &T) {
        self.anatomy.rest = Fingerprint::of_state(&(self.anatomy.rest, rest)).0;
        (self.section, self.since) = (self.section + 1, 0);
    }
}

impl Name {
    pub(super) fn owner(self) -> Owner {
        self.owner
    }

    pub(super) fn section(self) -> u32 {
        self.section
    }

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
    pub(super) fn renamed(self, places: &Places) -> Self {
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
            self.found = self.found.with(self.place);
        }
        self.place += 1;
    }

    fn rest<T: Hash>(&mut self, _: &T) {}
}

impl Parts {
    pub(super) const NONE: Self = Self(0);

    /// Those of a state that are among these.
    pub(super) fn of(wanted: &[Identity], state: &State) -> Self {
        let mut finder = Finder { wanted, place: 0, found: Self::NONE };
        state.visit(&mut finder);
        finder.found
    }

    pub(super) fn with(self, place: usize) -> Self {
        // What has no room is remembered nowhere.
        Self(self.0 | 1_u128.checked_shl(place as u32).unwrap_or(0))
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
