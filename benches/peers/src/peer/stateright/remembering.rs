//! The same, with keepers that remember as locklab's do: why it sees other states.

use ::stateright::{Checker, Model, Property};

use super::machine::{Next, State, Takeover};
use crate::protocol::{Case, KEEPERS_MAX};

/// What one reply needs.
const BITS: u32 = 9;

#[derive(Clone)]
struct Remembering(Takeover);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Remembered {
    /// Where the number of those who have been inside stays nought.
    state: State,
    /// What each keeper was told since its round began, or since it came out of its last.
    told: [u64; KEEPERS_MAX],
}

impl Remembering {
    /// What a step tells: what was found, or nothing.
    fn reply(state: &State, next: Next) -> u64 {
        match next {
            Next::Read | Next::ReadAgain | Next::ReadOwn => u64::from(state.claim) + 1,
            Next::Create | Next::CreateAgain | Next::Unlink | Next::UnlinkOwn => {
                u64::from(state.claim == 0) + 1
            }
            _ => 0,
        }
    }
}

impl Model for Remembering {
    type State = Remembered;
    type Action = usize;

    fn init_states(&self) -> Vec<Remembered> {
        let state = self.0.begin();
        vec![Remembered { told: state.keepers.map(|it| it.round.into()), state }]
    }

    fn actions(&self, from: &Remembered, actions: &mut Vec<usize>) {
        self.0.actions(&from.state, actions);
    }

    fn next_state(&self, from: &Remembered, index: usize) -> Option<Remembered> {
        let mut to = from.clone();
        let made = from.state.keepers[index];
        self.0.step(&mut to.state, index);
        to.state.entered = 0;
        let keeper = to.state.keepers[index];
        // Only who has not got in has a round.
        let has_failed =
            made.round != 0 && (keeper.next == Next::Exit || keeper.round > made.round);
        to.told[index] = match keeper.next {
            Next::Nothing | Next::Enter => 0,
            _ if has_failed => keeper.round.into(),
            _ => from.told[index] << BITS | Self::reply(&from.state, made.next),
        };
        Some(to)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("nobody has entered", |_, it: &Remembered| it.state.entered == 0)]
    }
}

/// How many states there are.
pub fn search(case: Case) -> u64 {
    Remembering(Takeover(case)).checker().spawn_bfs().join().unique_state_count() as u64
}
