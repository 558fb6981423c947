use super::Strategy;
use crate::choice::Choice;
use crate::kernel::TaskId;
use crate::world::{Offer, World};

/// Each task runs until it blocks, then the next one: how a story is told.
/// It makes no moves of its own; where only those are left, it falls silent.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    current: Option<TaskId>,
}

impl Strategy for Turns {
    fn choose(&mut self, _: &World, offer: &Offer) -> Option<Choice> {
        let next = |wanted: TaskId| {
            let after = |choice: &Choice| matches!(choice, Choice::Step(task) if *task >= wanted);
            offer.steps.iter().copied().find(after)
        };
        let choice = self.current.and_then(next).or(offer.steps.first().copied());
        if let Some(Choice::Step(task)) = choice {
            self.current = Some(task);
        }
        choice.or(Some(Choice::Quiet))
    }
}
