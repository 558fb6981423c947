//! What a state is made of.

use super::{Mind, State};
use crate::part::{Owner, Visitor, VisitorMut};

impl State {
    /// Shows all its parts, and all the rest, but for the set-up, which all states of a run
    /// have in common.
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        let Self { setup: _, kernel, minds, course } = self;
        kernel.visit(visitor);
        let of_minds = minds.iter().map(|Mind { launch, end, position: _ }| (*launch, *end));
        visitor.rest(&of_minds.collect::<Vec<_>>());
        visitor.part(course, Owner::Nobody);
        for (mind, task) in minds.iter().zip(0..) {
            visitor.part(&mind.position, Owner::Task(task));
        }
    }

    pub(crate) fn visit_mut(&mut self, visitor: &mut impl VisitorMut) {
        let Self { setup: _, kernel, minds, course } = self;
        kernel.visit_mut(visitor);
        visitor.part(course);
        minds.iter_mut().for_each(|mind| visitor.part(&mut mind.position));
    }
}
