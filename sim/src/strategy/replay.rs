use super::Strategy;
use crate::choice::Choice;
use crate::schedule::Schedule;
use crate::world::{Offer, World};

/// Makes the choices of a schedule again. Gives up where it no longer fits.
pub struct Replay<'a> {
    schedule: &'a Schedule,
    /// The next entry, and how often it has been taken.
    next: (usize, u32),
}

impl<'a> Replay<'a> {
    /// A replay from the schedule's beginning.
    pub fn new(schedule: &'a Schedule) -> Self {
        Self { schedule, next: (0, 0) }
    }

    /// The choice that is to be made next.
    pub fn next(&self) -> Option<&str> {
        self.schedule.entries().get(self.next.0).map(|entry| entry.name.as_str())
    }

    /// Whether every choice of the schedule was made.
    pub fn is_complete(&self) -> bool {
        self.next.0 == self.schedule.entries().len()
    }
}

impl Strategy for Replay<'_> {
    fn choose(&mut self, world: &World, offer: &Offer) -> Option<Choice> {
        if offer.goes_without_saying() {
            return Some(offer.steps[0]);
        }
        let (index, taken) = self.next;
        let entry = self.schedule.entries().get(index)?;
        let chosen =
            world.choices().into_iter().find(|choice| world.name(*choice) == entry.name)?;
        self.next = if taken + 1 == entry.times { (index + 1, 0) } else { (index, taken + 1) };
        Some(chosen)
    }
}
