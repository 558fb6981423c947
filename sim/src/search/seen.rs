use std::hash::{BuildHasherDefault, Hasher};

use hashbrown::HashMap;
use locklab_sys::Fingerprint;

use crate::choice::Choice;

/// A state's number, in the order in which they were found.
pub(super) type StateId = u32;

/// The states that are known, and how each was come to first.
#[derive(Default)]
pub(super) struct Seen {
    /// Nothing walks through it, so its order is nobody's.
    ids: HashMap<Fingerprint, StateId, BuildHasherDefault<Folded>>,
    steps: Vec<Step>,
}

/// The choice that first led to a state, and from which one; none to the first.
pub(super) type Step = Option<(StateId, Choice)>;

impl Seen {
    pub(super) fn len(&self) -> u64 {
        self.steps.len() as u64
    }

    pub(super) fn knows(&self, state: Fingerprint) -> bool {
        self.ids.contains_key(&state)
    }

    pub(super) fn id(&self, state: Fingerprint) -> Option<StateId> {
        self.ids.get(&state).copied()
    }

    /// How a state was come to first.
    pub(super) fn step(&self, state: StateId) -> Step {
        self.steps[state as usize]
    }

    /// Takes note of a state; its number, if it is new.
    ///
    /// # Panics
    ///
    /// When there are more states than numbers.
    pub(super) fn insert(&mut self, state: Fingerprint, step: Step) -> Option<StateId> {
        let id = StateId::try_from(self.steps.len()).expect("states have 32-bit numbers");
        match self.ids.entry(state) {
            hashbrown::hash_map::Entry::Occupied(_) => None,
            hashbrown::hash_map::Entry::Vacant(entry) => {
                entry.insert(id);
                self.steps.push(step);
                Some(id)
            }
        }
    }

    /// From now on a state is known by another fingerprint, too.
    pub(super) fn alias(&mut self, alias: Fingerprint, state: Fingerprint) {
        if let Some(id) = self.ids.get(&state).copied() {
            self.ids.entry(alias).or_insert(id);
        }
    }

    /// The choices that first led there, but for those that are forced.
    pub(super) fn path(&self, mut step: Step) -> Vec<Choice> {
        let mut path = Vec::new();
        while let Some((parent, choice)) = step {
            path.push(choice);
            step = self.steps[parent as usize];
        }
        path.reverse();
        path
    }
}

/// A fingerprint is a hash already.
#[derive(Default)]
struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only fingerprints are hashed");
    }
}
