use super::Strategy;
use super::kinds::{kinds_of, pick};
use crate::choice::Choice;
use crate::random::Stream;
use crate::world::{Offer, World};

/// A random walk: any step as likely as another, now and then a move.
pub struct Random {
    order: Stream,
    moves: Stream,
    /// A move is made once in so many choices: drawn for each run, since some
    /// faults need haste and some need patience.
    move_every: usize,
    offered: Vec<Choice>,
}

impl Random {
    /// The walk of this seed.
    pub fn new(seed: u64) -> Self {
        let mut moves = Stream::new(seed, "moves");
        let move_every = [8, 16, 32, 64][moves.below(4)];
        Self { order: Stream::new(seed, "order"), moves, move_every, offered: Vec::new() }
    }

    /// Only silence, which ends all moves, is rarer than any other kind.
    fn choose_move(&mut self, world: &World) -> Choice {
        world.moves(&mut self.offered);
        let mut kinds = kinds_of(&self.offered);
        if kinds.len() > 1 && self.moves.below(4) > 0 {
            kinds.retain(|kind| *kind != Choice::Quiet);
        }
        pick(&mut self.offered, &kinds, &mut self.moves)
    }
}

impl Strategy for Random {
    fn choose(&mut self, world: &World, offer: &Offer) -> Option<Choice> {
        let steps = &offer.steps;
        if offer.may_move && (steps.is_empty() || self.moves.below(self.move_every) == 0) {
            return Some(self.choose_move(world));
        }
        Some(match steps[..] {
            [only] => only,
            _ => steps[self.order.below(steps.len())],
        })
    }
}
