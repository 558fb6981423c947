//! What one core has learned of states.

use std::sync::Arc;

use locklab_sys::Fingerprint;

use super::memo::Memo;
use super::outcomes::Outcome;
use super::symmetry::Orders;
use super::table::Table;
use crate::choice::Choice;
use crate::world::{Ability, Front};

/// What an answer takes, in bytes.
const ANSWER_BYTES: u64 = 200;

/// All that is known of states. What is found does not depend on how much is.
#[derive(Default)]
pub(super) struct Learned {
    /// How many answers are remembered.
    max: usize,
    pub(super) fronts: Memo<Front>,
    pub(super) abilities: Memo<Option<Ability>>,
    pub(super) moves: Memo<Arc<[Choice]>>,
    pub(super) endings: Memo<Ending>,
    pub(super) clocks: Memo<bool>,
    /// But for what who watches makes of them.
    pub(super) outcomes: Memo<Outcome>,
    /// The number of who watches, after having heard something.
    pub(super) hearings: Memo<u128>,
    pub(super) orders: Orders,
    /// What states come to, and in which batch that was seen.
    arrivals: Table<Fingerprint, (Fingerprint, u32)>,
    /// How many batches there were.
    batch: u32,
}

/// What is to be known where nobody can make a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) has_timer: bool,
    pub(super) is_over: bool,
}

/// What a state comes to by what must happen, and once it is put in order.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) at: Fingerprint,
    /// Whether that was seen in this batch.
    pub(super) is_new: bool,
}

impl Learned {
    /// As much as takes about so many bytes.
    pub(super) fn within(bytes: u64) -> Self {
        Self { max: (bytes / ANSWER_BYTES) as usize, ..Self::default() }
    }

    /// States that were come to are known, or entered now.
    pub(super) fn begin_batch(&mut self) {
        self.batch = self.batch.wrapping_add(1);
    }

    /// Whether there is room for something more. What is needed again is soon learned again:
    /// most belongs to states left behind.
    pub(super) fn make_room(&mut self) -> bool {
        let Self { fronts, abilities, moves, endings, clocks, outcomes, hearings, .. } = self;
        let rest = hearings.len() + fronts.len() + abilities.len() + endings.len() + clocks.len();
        let all = rest + moves.len() + outcomes.len() + self.orders.len() + self.arrivals.len();
        if all >= self.max {
            fronts.clear();
            abilities.clear();
            moves.clear();
            endings.clear();
            clocks.clear();
            outcomes.clear();
            hearings.clear();
            self.orders.clear();
            self.arrivals.clear();
        }
        self.max > 0
    }

    pub(super) fn arrival(&self, raw: Fingerprint) -> Option<Arrival> {
        let (at, batch) = *self.arrivals.get(&raw)?;
        Some(Arrival { at, is_new: batch == self.batch })
    }

    pub(super) fn arrived(&mut self, raw: Fingerprint, at: Fingerprint) {
        self.arrivals.insert(raw, (at, self.batch));
    }
}
