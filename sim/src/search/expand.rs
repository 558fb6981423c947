use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use locklab_sys::{Automaton, Fingerprint};

use super::learned::Learned;
use super::oracle::Oracle;
use super::quiet::Calm;
use super::scene::Scenes;
use super::seen::{StateId, Step};
use super::stand::Stand;
use super::store::Store;
use super::symmetry::Symmetry;
use super::{Cut, Search};
use crate::choice::Choice;
use crate::kernel::TaskId;
use crate::world::World;

/// The part of the memory that is allowed, besides which answers are remembered: one in so
/// many. What is found does not depend on how many are.
const LEARNED_SHARE: u64 = 8;

/// Says of a move of the adversary, where the world stands, whether it is made.
pub type Allowed<'a> = dyn Fn(&World, Choice) -> bool + Sync + 'a;

/// What some states lead to.
#[derive(Default)]
pub(super) struct Expansion {
    /// In the order of their parents and of the choices; some may be known by now.
    pub(super) reached: Vec<Reached>,
    pub(super) falls: Vec<Fall>,
    /// How often something fell, or failed as the adversary chose.
    pub(super) told: usize,
    pub(super) edges: u64,
    pub(super) spent: Vec<(&'static str, u64)>,
    pub(super) cut: Option<Cut>,
    pub(super) ends: BTreeSet<Fingerprint>,
    pub(super) quiet: Vec<QuietStand>,
}

/// A state that was come to.
pub(super) struct Reached {
    pub(super) fingerprint: Fingerprint,
    pub(super) step: Step,
    /// Nothing if the same state was come to in the same batch, and has it.
    pub(super) stand: Option<Box<Stand>>,
}

/// A quiet state, with its ways out and the states that they lead to.
pub(super) struct QuietStand {
    pub(super) id: StateId,
    pub(super) calm: Calm,
    pub(super) ways: Vec<(Option<TaskId>, Fingerprint)>,
    /// Whether some task had no room in a set.
    pub(super) is_crowded: bool,
}

/// Something fell.
pub(super) struct Fall {
    pub(super) which: usize,
    /// The last choice before it.
    pub(super) step: Step,
    /// After so many more choices that were forced.
    pub(super) forced: usize,
    /// When the run was over.
    pub(super) at_end: bool,
}

/// Goes on from states.
pub(super) struct Expander<'a> {
    pub(super) search: &'a Search,
    pub(super) automaton: &'a Arc<Automaton>,
    pub(super) symmetry: Option<&'a Symmetry<'a>>,
    /// Whether it is looked at what comes of it when the adversary falls silent.
    pub(super) into_quiet: bool,
    /// Which moves of the adversary are made: all, if nothing is said.
    pub(super) allowed: Option<&'a Allowed<'a>>,
    store: Store,
    /// What is known, as often as some core needed it at once.
    learned: Mutex<Vec<Learned>>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(
        search: &'a Search,
        automaton: &'a Arc<Automaton>,
        symmetry: Option<&'a Symmetry<'a>>,
        into_quiet: bool,
        allowed: Option<&'a Allowed<'a>>,
    ) -> Self {
        let (store, learned) = (Store::default(), Mutex::default());
        Self { search, automaton, symmetry, into_quiet, allowed, store, learned }
    }
}

impl Expander<'_> {
    /// For a walk that goes on with what is known, if that is not needed elsewhere, and puts it
    /// back; or for one that is short.
    pub(super) fn oracle(&self, goes_on: bool) -> Oracle<'_> {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        // What a task said last is in no part of a state, and moves may depend on it.
        let memory = if self.allowed.is_some() { 0 } else { self.search.bounds.memory };
        let share = memory / LEARNED_SHARE / rayon::current_num_threads() as u64;
        let known = if goes_on { learned.pop() } else { None };
        let learned = known.unwrap_or_else(|| Learned::within(share));
        let scenes = Scenes::new(self.search, self.automaton, &self.store);
        Oracle::new(scenes, learned, &self.store)
    }

    /// States that were come to are known, or entered now.
    pub(super) fn begin_batch(&self) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        learned.iter_mut().for_each(Learned::begin_batch);
    }

    pub(super) fn put_back(&self, learned: Learned) {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner).push(learned);
    }

    /// How much memory that takes which is kept once for all states.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.store.bytes()
    }

    /// Whether what it has found is worth nothing.
    pub(super) fn is_broken(&self) -> bool {
        self.symmetry.is_some_and(Symmetry::is_broken)
    }

    /// The world at its beginning.
    pub(super) fn world(&self) -> World {
        World::learning(Arc::clone(&self.search.setup), self.search.seed, self.automaton)
    }
}

impl Expansion {
    pub(super) fn spend(&mut self, budget: &'static str) {
        match self.spent.iter_mut().find(|(name, _)| *name == budget) {
            Some((_, times)) => *times += 1,
            None => self.spent.push((budget, 1)),
        }
    }
}
