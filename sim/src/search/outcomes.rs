//! What choices have come to.
//!
//! Most of what a choice brings about does not depend on most of the world: where other tasks
//! stand, what else is open. So what it looked at is taken down when it is made, and it is
//! not made again where all of that is the same.

use std::any::Any;
use std::hash::Hash;
use std::sync::Arc;

use locklab_sys::Fingerprint;

use super::anatomy::{Anatomy, Parts};
use super::stand::{Stand, Watch};
use super::symmetry::Orders;
use super::table::Table;
use crate::choice::Choice;
use crate::part::{Identity, Owner, Part, Value, Visitor, VisitorMut};
use crate::world::{State, World};

/// What an outcome takes, with parts that nothing else has, in bytes.
const OUTCOME_BYTES: u64 = 1_500;

/// What has been seen to come of choices.
#[derive(Default)]
pub(super) struct Outcomes {
    /// How many are remembered.
    max: usize,
    /// By the choice, and by where the task stands whose step it is: what it has looked at.
    looks: Table<Fingerprint, Vec<Parts>>,
    known: Table<Fingerprint, Outcome>,
    /// To which state each state of this batch comes by what must happen, and once it is put
    /// in order.
    arrivals: Table<Fingerprint, Fingerprint>,
    pub(super) orders: Orders,
}

/// What came of a choice.
pub(super) struct Outcome {
    pub(super) is_silent: bool,
    /// Which parts of the state it came to are others than before, their numbers, and they.
    parts: Parts,
    numbers: Box<[u128]>,
    picked: Box<[Box<dyn Any + Send>]>,
    /// Which parts of that before it are others after it.
    gone: Parts,
    /// The number of the rest, and the state it came to, if the rest is another than before.
    rest: Option<(u128, Box<State>)>,
    watch: Arc<Watch>,
}

/// A choice that was made.
pub(super) struct Made {
    pub(super) choice: Choice,
    /// Where the task stood whose step it was.
    pub(super) node: Option<Fingerprint>,
    /// Whether it told of nothing but where programs stand.
    pub(super) is_silent: bool,
    /// Whether who watches was told of it.
    pub(super) is_heard: bool,
}

impl Outcomes {
    /// Those that take about so many bytes.
    pub(super) fn within(bytes: u64) -> Self {
        Self { max: (bytes / OUTCOME_BYTES) as usize, ..Self::default() }
    }

    pub(super) fn begin_batch(&mut self) {
        self.arrivals.clear();
    }

    /// Where it was seen in this batch that a state comes to.
    pub(super) fn arrival(&self, raw: Fingerprint) -> Option<Fingerprint> {
        self.arrivals.get(&raw).copied()
    }

    pub(super) fn arrived(&mut self, raw: Fingerprint, at: Fingerprint) {
        self.arrivals.insert(raw, at);
    }

    /// What comes of `choice` of a task at `node`, if that is known.
    pub(super) fn find(
        &self,
        choice: Choice,
        node: Option<Fingerprint>,
        here: &Anatomy,
    ) -> Option<&Outcome> {
        let choice = Fingerprint::of_state(&(choice, node));
        let looks = self.looks.get(&choice)?;
        looks.iter().find_map(|parts| self.known.get(&key(choice, *parts, here)?))
    }

    /// Takes note of what came of it, which is the same wherever the parts are that it has
    /// `seen`, if nothing but parts has changed.
    pub(super) fn learn(
        &mut self,
        made: Made,
        seen: &[Identity],
        (before, after): (&Stand, &Anatomy),
        (state, watch): (&State, &Arc<Watch>),
    ) {
        let here = &before.anatomy;
        if !after.has_room() || self.max == 0 {
            return;
        }
        // What is needed again is soon learned again; most belongs to states left behind.
        if self.known.len() >= self.max {
            self.known.clear();
            self.looks.clear();
        }
        let changed = here.those_changed(after);
        let mut looks = Parts::of(seen, &before.state);
        if made.is_heard {
            looks = looks.and(here.watch());
        }
        let choice = Fingerprint::of_state(&(made.choice, made.node));
        let all = self.looks.entry(choice).or_default();
        if !all.contains(&looks) {
            all.push(looks);
        }
        let outcome = Outcome {
            is_silent: made.is_silent,
            parts: changed,
            numbers: changed.places().map(|place| after.number_at(place)).collect(),
            picked: Picker::pick(changed, state),
            gone: after.those_changed(here),
            rest: (!here.has_rest_of(after)).then(|| (after.rest(), Box::new(state.clone()))),
            watch: Arc::clone(watch),
        };
        self.known.extend(key(choice, looks, here).map(|key| (key, outcome)));
    }
}

fn key(choice: Fingerprint, parts: Parts, here: &Anatomy) -> Option<Fingerprint> {
    let choice = Fingerprint::of_state(&(choice, parts)).0;
    here.sum(parts).map(|sum| Fingerprint(sum.wrapping_add(choice)))
}

impl Outcome {
    /// The fingerprint of what comes of it.
    pub(super) fn fingerprint(&self, here: &Anatomy) -> Fingerprint {
        let rest = self.rest.as_ref().map_or(here.rest(), |(rest, _)| *rest);
        let gone = self.gone.places().map(|place| here.number_at(place)).chain([here.rest()]);
        let come = self.numbers.iter().copied().chain([rest]);
        let left = gone.fold(here.fingerprint().0, u128::wrapping_sub);
        Fingerprint(come.fold(left, u128::wrapping_add))
    }

    /// Makes of a world that stands `here`, and of who watches it, what came of it, of which
    /// it is told `after`.
    pub(super) fn befall(
        &self,
        world: &mut World,
        watch: &mut Arc<Watch>,
        (here, after): (&Anatomy, &mut Anatomy),
    ) {
        let mut putter = Putter { parts: self.parts, place: 0, picked: &self.picked };
        world.change_parts(self.rest.as_ref().map(|(_, rest)| &**rest), &mut putter);
        if self.parts.has(putter.place) {
            watch.clone_from(&self.watch);
        }
        match self.rest {
            Some(_) => after.look_at(world.state(), watch),
            None => after.differ_from(here, self.parts, &self.numbers),
        }
    }
}

/// Takes copies of some parts.
struct Picker {
    parts: Parts,
    place: usize,
    picked: Vec<Box<dyn Any + Send>>,
}

impl Picker {
    fn pick(parts: Parts, state: &State) -> Box<[Box<dyn Any + Send>]> {
        let mut picker = Self { parts, place: 0, picked: Vec::new() };
        state.visit(&mut picker);
        picker.picked.into()
    }
}

impl Visitor for Picker {
    fn part<T: Value>(&mut self, part: &Part<T>, _: Owner) {
        if self.parts.has(self.place) {
            self.picked.push(Box::new(part.clone()));
        }
        self.place += 1;
    }

    fn rest<T: Hash>(&mut self, _: &T) {}
}

/// Puts copies of parts in their places.
struct Putter<'a> {
    parts: Parts,
    place: usize,
    picked: &'a [Box<dyn Any + Send>],
}

impl VisitorMut for Putter<'_> {
    fn part<T: Value>(&mut self, part: &mut Part<T>) {
        if self.parts.has(self.place) {
            let (first, others) = self.picked.split_first().expect("each is picked");
            part.clone_from(first.downcast_ref().expect("what is put is as it was picked"));
            self.picked = others;
        }
        self.place += 1;
    }
}
