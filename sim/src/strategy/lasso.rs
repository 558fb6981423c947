use super::Strategy;
use crate::choice::Choice;
use crate::kernel::TaskId;
use crate::search::Stuck;
use crate::world::{Offer, World};

/// Goes to where somebody never gets in, and round and round there. Where somebody does
/// what nobody did when the circle was found, as to give up, it goes on in turns.
pub struct Lasso<'a> {
    stuck: &'a Stuck,
    /// Of the stem and of the circle, gone round for ever.
    next: usize,
    /// The adversary was to fall silent, and was asleep.
    owes_quiet: bool,
    in_turns: bool,
    last: Option<TaskId>,
}

impl<'a> Lasso<'a> {
    /// From the beginning.
    pub fn new(stuck: &'a Stuck) -> Self {
        Self { stuck, next: 0, owes_quiet: false, in_turns: false, last: None }
    }

    /// How often it has been round.
    pub fn rounds(&self) -> usize {
        let Stuck { stem, circle, .. } = self.stuck;
        self.next.saturating_sub(stem.len()).checked_div(circle.len()).unwrap_or(0)
    }

    fn take_turns(&mut self, offer: &Offer) -> Option<Choice> {
        let is_later = |choice: &&Choice| match choice {
            Choice::Step(task) => self.last.is_none_or(|last| *task > last),
            _ => true,
        };
        let choice = *offer.steps.iter().find(is_later).or(offer.steps.first())?;
        if let Choice::Step(task) = choice {
            self.last = Some(task);
        }
        Some(choice)
    }
}

impl Strategy for Lasso<'_> {
    fn choose(&mut self, world: &World, offer: &Offer) -> Option<Choice> {
        if self.owes_quiet && offer.may_move {
            self.owes_quiet = false;
            return Some(Choice::Quiet);
        }
        let Stuck { stem, circle, .. } = self.stuck;
        let is_forced = matches!(offer.steps[..], [only] if !only.is_ordinary());
        if is_forced {
            self.next += usize::from(stem.get(self.next) == offer.steps.first());
            return offer.steps.first().copied();
        }
        if self.in_turns {
            return self.take_turns(offer);
        }
        let round = || circle.get((self.next - stem.len()).checked_rem(circle.len())?);
        let wanted = *stem.get(self.next).or_else(round)?;
        self.next += 1;
        let is_move = |choice| offer.may_move && world.choices().contains(&choice);
        if offer.steps.contains(&wanted) || is_move(wanted) {
            return Some(wanted);
        }
        if wanted == Choice::Quiet {
            self.owes_quiet = true;
            return self.choose(world, offer);
        }
        self.in_turns = self.next > stem.len();
        self.in_turns.then(|| self.take_turns(offer)).flatten()
    }
}
