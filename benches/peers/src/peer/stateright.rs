//! stateright: a state machine, written as its models are.

mod machine;
pub mod remembering;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::stateright::{Checker, Chooser, Model, Property, UniformChooser};

use crate::clock::processor_seconds;
use crate::protocol::{Case, Walked};
use machine::{Next, State};

pub use machine::Takeover;

const ALONE: &str = "at most one is inside";

impl Model for Takeover {
    type State = State;
    /// Whose step it is.
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![self.begin()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        actions.extend((0..state.keepers.len()).filter(|index| self.is_ready(state, *index)));
    }

    fn next_state(&self, state: &State, index: usize) -> Option<State> {
        let mut next = state.clone();
        self.step(&mut next, index);
        Some(next)
    }

    /// The second makes the checker go on when the first has fallen.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ALONE, |_, state: &State| {
                state.keepers.iter().filter(|it| it.next == Next::Leave).count() <= 1
            }),
            Property::always("nobody enters twice", |model: &Self, state: &State| {
                u32::from(state.entered) <= model.0.keepers
            }),
        ]
    }
}

/// How many states there are, and whether two are ever inside at once.
pub fn search(case: Case) -> (u64, bool) {
    let checker = Takeover(case).checker().spawn_bfs().join();
    (checker.unique_state_count() as u64, checker.discovery(ALONE).is_some())
}

/// stateright's own even choice, which counts runs.
#[derive(Clone)]
struct Counting(Arc<AtomicU64>);

impl Chooser<Takeover> for Counting {
    type State = <UniformChooser as Chooser<Takeover>>::State;

    fn new_state(&self, seed: u64) -> Self::State {
        Chooser::<Takeover>::new_state(&UniformChooser, seed)
    }

    fn choose_initial_state(&self, state: &mut Self::State, initial: &[State]) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed);
        Chooser::<Takeover>::choose_initial_state(&UniformChooser, state, initial)
    }

    fn choose_action(&self, random: &mut Self::State, state: &State, actions: &[usize]) -> usize {
        Chooser::<Takeover>::choose_action(&UniformChooser, random, state, actions)
    }
}

/// Random runs, until they have made about so many steps.
pub fn walk(case: Case, seed: u64, steps: u64) -> Walked {
    let runs = Arc::new(AtomicU64::new(0));
    let before = processor_seconds();
    let checker = Takeover(case)
        .checker()
        .target_state_count(steps as usize)
        .spawn_simulation(seed, Counting(Arc::clone(&runs)))
        .join();
    let seconds = processor_seconds() - before;
    let runs = runs.load(Ordering::Relaxed);
    // A run has one state more than steps.
    let steps = checker.state_count() as u64 - runs;
    let falls = u64::from(checker.discovery(ALONE).is_some());
    Walked { runs, steps, choices: steps, falls, seconds }
}
