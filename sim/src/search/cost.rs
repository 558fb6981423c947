use std::time::Duration;

use super::Bounds;
use super::left::Left;
use super::retrace::forced_in;
use crate::choice::Choice;
use crate::limits::Limits;
use crate::world::{Offer, World};

/// What a run takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Its choices, but for those that are forced.
    pub choices: u32,
    /// The adversary's moves that have a budget, in the order in which it first made one of
    /// each kind.
    pub faults: Vec<(&'static str, u32)>,
    /// Steps of somebody though who stepped last could have gone on.
    pub preemptions: u32,
}

impl Cost {
    /// Of a run that makes these choices from `world` on.
    pub fn of(mut world: World, path: &[Choice]) -> Self {
        let mut cost = Self::default();
        let mut offer = Offer::default();
        let limits = Limits { horizon: Duration::MAX, steps: u32::MAX };
        let mut left = Left::of(Bounds {
            preemptions: Some(u32::MAX),
            ..Bounds::new(u64::MAX, u64::MAX, limits)
        });
        for choice in path {
            if forced_in(&world, &mut offer).is_none() {
                left.look_around(|task| offer.steps.contains(&Choice::Step(*task)));
                left.spend(*choice);
                cost.choices += 1;
                if let Some(kind) = choice.budget() {
                    cost.count(kind);
                }
            }
            world.apply(*choice);
        }
        cost.preemptions = left.preemptions.map_or(0, |left| u32::MAX - left);
        cost
    }

    /// All faults together.
    pub fn faults(&self) -> u32 {
        self.faults.iter().map(|(_, times)| times).sum()
    }

    fn count(&mut self, kind: &'static str) {
        match self.faults.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, times)) => *times += 1,
            None => self.faults.push((kind, 1)),
        }
    }
}
