use std::collections::BTreeMap;

use hashbrown::HashTable;
use locklab_sys::Fingerprint;

use crate::choice::Choice;

/// A state's number, in the order in which they were found.
pub(super) type StateId = u32;

/// The states that are known, and how each was come to first.
#[derive(Default)]
pub(super) struct Seen {
    states: Fingerprints,
    steps: Vec<Kept>,
    choices: Choices,
}

/// The choice that first led to a state, and from which one; none to the first.
pub(super) type Step = Option<(StateId, Choice)>;

/// A step in few bytes: the number of the choice. The first state is its own parent.
#[derive(Clone, Copy)]
struct Kept {
    parent: StateId,
    choice: u32,
}

/// What a state that is known takes, in bytes: with what tables leave empty, and with the
/// old table while a new one is filled.
const STATE_BYTES: u64 = 48;

impl Seen {
    pub(super) fn len(&self) -> u64 {
        self.steps.len() as u64
    }

    /// How much memory it takes, reckoned from what it knows.
    pub(super) fn bytes(&self) -> u64 {
        self.len() * STATE_BYTES
    }

    pub(super) fn knows(&self, state: Fingerprint) -> bool {
        self.states.find(state).is_some()
    }

    pub(super) fn id(&self, state: Fingerprint) -> Option<StateId> {
        self.states.find(state)
    }

    /// Takes note of a state; its number, if it is new.
    ///
    /// # Panics
    ///
    /// When there are more states than numbers.
    pub(super) fn insert(&mut self, state: Fingerprint, step: Step) -> Option<StateId> {
        let id = self.states.insert(state)?;
        let kept = step.map(|(parent, choice)| (parent, self.choices.number(choice)));
        let (parent, choice) = kept.unwrap_or((id, 0));
        self.steps.push(Kept { parent, choice });
        Some(id)
    }

    /// How a state was come to first.
    pub(super) fn step(&self, id: StateId) -> Step {
        let Kept { parent, choice } = self.steps[id as usize];
        (parent != id).then(|| (parent, self.choices.get(choice)))
    }

    /// The choices that first led there, but for those that are forced.
    pub(super) fn path(&self, mut step: Step) -> Vec<Choice> {
        let mut path = Vec::new();
        while let Some((parent, choice)) = step {
            path.push(choice);
            step = self.step(parent);
        }
        path.reverse();
        path
    }
}

/// Fingerprints, numbered as they come.
#[derive(Default)]
struct Fingerprints {
    all: Vec<[u64; 2]>,
    /// Nothing walks through it, so its order is nobody's.
    numbers: HashTable<u32>,
}

impl Fingerprints {
    fn find(&self, fingerprint: Fingerprint) -> Option<u32> {
        let halves = halves(fingerprint);
        let is_it = |number: &u32| self.all[*number as usize] == halves;
        self.numbers.find(halves[0], is_it).copied()
    }

    /// Its number, if it is new.
    fn insert(&mut self, fingerprint: Fingerprint) -> Option<u32> {
        if self.find(fingerprint).is_some() {
            return None;
        }
        let number = u32::try_from(self.all.len()).expect("states have 32-bit numbers");
        let halves = halves(fingerprint);
        self.all.push(halves);
        let Self { all, numbers } = self;
        numbers.insert_unique(halves[0], number, |number| all[*number as usize][0]);
        Some(number)
    }
}

/// A fingerprint is a hash already.
fn halves(Fingerprint(print): Fingerprint) -> [u64; 2] {
    [print as u64, (print >> 64) as u64]
}

/// Choices, numbered as they come: there are few that differ.
#[derive(Default)]
struct Choices {
    all: Vec<Choice>,
    numbers: BTreeMap<Choice, u32>,
}

impl Choices {
    fn number(&mut self, choice: Choice) -> u32 {
        *self.numbers.entry(choice).or_insert_with(|| {
            self.all.push(choice);
            self.all.len() as u32 - 1
        })
    }

    fn get(&self, number: u32) -> Choice {
        self.all[number as usize]
    }
}
