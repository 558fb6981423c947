//! From what a search found back to a run in a world whose clocks nobody set back.

use std::time::Duration;

use super::Found;
use super::expand::{Expander, Fall};
use super::seen::Seen;
use super::symmetry::Symmetry;
use super::walk::Walker;
use crate::choice::Choice;
use crate::monitor::End;
use crate::world::{Offer, World};

impl Expander<'_> {
    /// The run that makes these choices and those that are forced, up to so many of
    /// these after the last of them.
    pub(super) fn complete(&self, choices: &[Choice], forced: usize) -> Vec<Choice> {
        let mut world = self.world();
        let mut path = self.search.prefix.clone();
        path.iter().for_each(|choice| world.apply(*choice));
        let mut offer = Offer::default();
        let mut make = |world: &mut World, choice| {
            let choice = Self::in_time(world.kernel().now(), choice);
            world.apply(choice);
            path.push(choice);
        };
        let mut namesakes = Namesakes::begin(self);
        for choice in choices {
            while let Some(forced) = forced_in(&world, &mut offer) {
                make(&mut world, forced);
            }
            let meant = namesakes.as_mut().map_or(*choice, |namesakes| namesakes.follow(*choice));
            make(&mut world, meant);
        }
        for _ in 0..forced {
            let forced = forced_in(&world, &mut offer).expect("as many are forced as were before");
            make(&mut world, forced);
        }
        path
    }

    /// How something is said to fall at the end of a run.
    fn message(&self, path: &[Choice], which: usize, at_end: bool) -> String {
        let mut world = self.world();
        let mut monitor = self.search.monitor.clone();
        let mut fell = Vec::new();
        for choice in path {
            world.apply(*choice);
            for event in world.news() {
                monitor.observe(&world, event, &mut fell);
            }
        }
        if at_end {
            let end = if world.is_over() { End::Finished } else { End::Hung };
            monitor.end(&world, end, &mut fell);
        }
        let first = fell.into_iter().find(|(fallen, _)| *fallen == which);
        first.expect("what falls in a search falls in the run that it found").1
    }

    /// A choice as it was written down, to be made now.
    pub(super) fn in_time(now: Duration, choice: Choice) -> Choice {
        match choice {
            Choice::Until(time) => Choice::Until(now + time),
            other => other,
        }
    }
}

/// Who of those that are alike is who, in the states from which a search went on.
struct Namesakes<'a> {
    walker: Walker<'a>,
    symmetry: &'a Symmetry<'a>,
    /// Whose place one has in the run whom the search has at this place.
    who: Vec<usize>,
}

impl<'a> Namesakes<'a> {
    fn begin(expander: &'a Expander<'a>) -> Option<Self> {
        let symmetry = expander.symmetry?;
        let mut walker = Walker::new(expander, None);
        let number = walker.begin();
        let who = (0..symmetry.order(0).len()).collect();
        let mut namesakes = Self { walker, symmetry, who };
        namesakes.sort(number);
        Some(namesakes)
    }

    /// What a choice of the search means in the run.
    fn follow(&mut self, choice: Choice) -> Choice {
        let meant = match self.symmetry.places(&self.who) {
            Some(places) => choice.renamed(places),
            None => choice,
        };
        let number = self.walker.repeat(choice);
        self.sort(number);
        meant
    }

    fn sort(&mut self, number: usize) {
        let before = self.who.clone();
        for (at, to) in self.symmetry.order(number).iter().enumerate() {
            self.who[*to] = before[at];
        }
    }
}

/// What must happen next, whoever chooses. A task's own step is a choice though it be
/// the only one: a program that loops makes such for ever.
pub(super) fn forced_in(world: &World, offer: &mut Offer) -> Option<Choice> {
    world.offer(offer);
    match offer.steps[..] {
        [only] if !offer.may_move && !only.is_ordinary() => Some(only),
        _ => None,
    }
}

impl Fall {
    pub(super) fn found(self, seen: &Seen, expander: &Expander<'_>) -> Found {
        let chosen = seen.path(self.step);
        let path = expander.complete(&chosen, self.forced);
        let choices = chosen.len() as u32;
        let message = expander.message(&path, self.which, self.at_end);
        Found { path, choices, message }
    }
}
