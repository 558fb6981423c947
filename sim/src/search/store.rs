//! What numbers stand for.
//!
//! A state that waits to be gone on from is kept as numbers: one part of it in a thousand is
//! new, and all others are shared with other states.

use std::any::Any;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::anatomy::{Anatomy, Name, Names};
use super::stand::Watch;
use super::table::Table;
use crate::kernel::ProcId;
use crate::part::{Owner, Part, Value, Visitor, VisitorMut};
use crate::world::{State, World};

/// All parts of all states that were come to, by their numbers. All cores share it: what a
/// number stands for is no matter of who saw it first.
pub(super) struct Store {
    parts: [RwLock<Table<u128, Kept>>; SHELVES],
    rests: RwLock<Table<u128, Arc<Rest>>>,
}

/// A part, or what watches.
type Kept = Box<dyn Any + Send + Sync>;

/// What cores wait for seldom.
const SHELVES: usize = 64;

/// What a part takes, and a rest with the state by which it is known, in bytes.
const PART_BYTES: u64 = 400;
const REST_BYTES: u64 = 3_000;

/// A state by whose rest it is known what is in no part of others that have the same, and
/// what their parts are called.
pub(super) struct Rest {
    pub(super) state: State,
    watch: Arc<Watch>,
    anatomy: Anatomy,
    pub(super) names: Names,
    /// The places of the parts that say where tasks stand.
    pub(super) tasks: std::ops::Range<usize>,
}

impl Rest {
    fn new(state: &State, watch: &Arc<Watch>, anatomy: &Anatomy, names: &Names) -> Self {
        let of_tasks = || names.iter().filter(|name| matches!(name.owner(), Owner::Task(_)));
        let last = of_tasks().map(|name| name.section()).max();
        let count = of_tasks().filter(|name| Some(name.section()) == last).count();
        // What watches comes behind them.
        let end = names.len() - 1;
        Self {
            state: state.clone(),
            watch: Arc::clone(watch),
            anatomy: anatomy.clone(),
            names: names.clone(),
            tasks: end - count..end,
        }
    }

    /// The place of what a process is, in its own section.
    pub(super) fn process(&self, proc: ProcId) -> usize {
        let is_its = |name: &Name| name.owner() == Owner::Process(proc.0);
        self.names.iter().position(is_its).expect("there is such a process")
    }
}

impl Default for Store {
    fn default() -> Self {
        let parts = std::array::from_fn(|_| RwLock::default());
        Self { parts, rests: RwLock::default() }
    }
}

impl Store {
    /// Keeps what a state is made of that is not kept yet.
    pub(super) fn keep(&self, state: &State, watch: &Arc<Watch>, anatomy: &Anatomy, names: &Names) {
        let mut keeper = Keeper { store: self, numbers: anatomy.numbers().iter() };
        state.visit(&mut keeper);
        keeper.keep(watch);
        if self.rest(anatomy.rest()).is_none() {
            let rest = Arc::new(Rest::new(state, watch, anatomy, names));
            locked(&self.rests).insert(anatomy.rest(), rest);
        }
        debug_assert!(
            self.rest(anatomy.rest()).is_some_and(|rest| rest.names == *names),
            "states with the same rest have parts of the same names"
        );
    }

    /// How much memory it takes, reckoned from how much it keeps: that is the same however
    /// many cores there are, since whatever is remembered leads to what is kept.
    pub(super) fn bytes(&self) -> u64 {
        let parts: usize = self.parts.iter().map(|shelf| shared(shelf).len()).sum();
        parts as u64 * PART_BYTES + shared(&self.rests).len() as u64 * REST_BYTES
    }

    pub(super) fn rest(&self, number: u128) -> Option<Arc<Rest>> {
        shared(&self.rests).get(&number).cloned()
    }

    /// Makes a world that is made of what `here` says, and what watches it, to be made of
    /// what `there` says.
    pub(super) fn go(
        &self,
        world: &mut World,
        watch: &mut Arc<Watch>,
        here: &mut Anatomy,
        there: &Anatomy,
    ) {
        if here.rest() != there.rest() {
            let rest = self.rest(there.rest()).expect("what there is is kept");
            world.go_to(&rest.state);
            watch.clone_from(&rest.watch);
            here.clone_from(&rest.anatomy);
        }
        let numbers = here.numbers().iter().zip(there.numbers());
        let mut putter = Putter { store: self, numbers };
        world.change_parts(&mut putter);
        if let Some(number) = putter.next() {
            self.get(number, |kept: &Arc<Watch>| watch.clone_from(kept));
        }
        here.clone_from(there);
    }

    fn shelf(&self, number: u128) -> &RwLock<Table<u128, Kept>> {
        // Tables go by the lower half.
        &self.parts[(number >> 64) as usize % SHELVES]
    }

    fn get<T: Any>(&self, number: u128, put: impl FnOnce(&T)) {
        let shelf = shared(self.shelf(number));
        let kept = shelf.get(&number).expect("what there is is kept");
        put(kept.downcast_ref().expect("the number says which part it is"));
    }
}

fn shared<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn locked<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps parts.
struct Keeper<'a> {
    store: &'a Store,
    numbers: std::slice::Iter<'a, u128>,
}

impl Keeper<'_> {
    fn keep<T: Clone + Any + Send + Sync>(&mut self, part: &T) {
        let number = *self.numbers.next().expect("each has a number");
        let shelf = self.store.shelf(number);
        if !shared(shelf).contains_key(&number) {
            locked(shelf).insert(number, Box::new(part.clone()));
        }
    }
}

impl Visitor for Keeper<'_> {
    fn part<T: Value>(&mut self, part: &Part<T>, _: Owner) {
        self.keep(part);
    }

    fn rest<T: Hash>(&mut self, _: &T) {}
}

/// Puts parts in their places, where others are.
struct Putter<'a> {
    store: &'a Store,
    numbers: std::iter::Zip<std::slice::Iter<'a, u128>, std::slice::Iter<'a, u128>>,
}

impl Putter<'_> {
    /// The number of what is to be put in the next place.
    fn next(&mut self) -> Option<u128> {
        let (here, there) = self.numbers.next().expect("each has a number");
        (here != there).then_some(*there)
    }
}

impl VisitorMut for Putter<'_> {
    fn part<T: Value>(&mut self, part: &mut Part<T>) {
        if let Some(number) = self.next() {
            self.store.get(number, |kept: &Part<T>| part.clone_from(kept));
        }
    }
}
