//! Who makes the choices: one small trait, a file an algorithm.

mod kinds;
mod pct;
mod random;
mod replay;
mod turns;

pub use pct::Pct;
pub use random::Random;
pub use replay::Replay;
pub use turns::Turns;

use crate::choice::Choice;
use crate::world::{Offer, World};

/// Picks among the choices that a world offers.
pub trait Strategy {
    /// The choice to make: one of the steps offered, or one of the world's
    /// [`moves`](World::moves) where the offer says that there are any. Only
    /// asked when there is something to choose; `None` gives up.
    fn choose(&mut self, world: &World, offer: &Offer) -> Option<Choice>;
}
