use super::Stuck;
use crate::choice::Choice;
use crate::strategy::{Strategy, Turns};
use crate::world::{Offer, World};

/// Goes to where somebody never gets in, and round and round there. Where somebody does
/// what nobody did when the circle was found, as to give up, it goes on in turns.
pub struct Lasso<'a> {
    stuck: &'a Stuck,
    /// Of the stem and of the circle, gone round for ever.
    next: usize,
    /// The adversary was to fall silent, and was asleep.
    owes_quiet: bool,
    in_turns: Option<Turns>,
    ends_in_turns: bool,
}

impl<'a> Lasso<'a> {
    /// From the beginning.
    pub fn new(stuck: &'a Stuck) -> Self {
        Self { stuck, next: 0, owes_quiet: false, in_turns: None, ends_in_turns: false }
    }

    /// Goes to the circle, and on in turns from there: which need not lead round, and makes
    /// a shorter schedule if it does.
    pub fn to_the_circle(stuck: &'a Stuck) -> Self {
        Self { ends_in_turns: true, ..Self::new(stuck) }
    }

    /// How often it has been round.
    pub fn rounds(&self) -> usize {
        let Stuck { stem, circle, .. } = self.stuck;
        self.next.saturating_sub(stem.len()).checked_div(circle.len()).unwrap_or(0)
    }
}

impl Strategy for Lasso<'_> {
    fn choose(&mut self, world: &World, offer: &Offer) -> Option<Choice> {
        if self.owes_quiet && offer.may_move {
            self.owes_quiet = false;
            return Some(Choice::Quiet);
        }
        let Stuck { stem, circle, .. } = self.stuck;
        if let [forced] = offer.steps[..]
            && !forced.is_ordinary()
        {
            return Some(forced);
        }
        if self.ends_in_turns && self.next >= stem.len() {
            self.in_turns.get_or_insert_default();
        }
        if let Some(turns) = &mut self.in_turns {
            return turns.choose(world, offer);
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
        if self.next <= stem.len() {
            return None;
        }
        self.in_turns.get_or_insert_default().choose(world, offer)
    }
}
