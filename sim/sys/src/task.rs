use std::sync::Arc;

use crate::cursor::{Cursor, Role};
use crate::node::Node;
use crate::renaming::{Renaming, Renamings};
use crate::shift::Shift;
use crate::slot::Happening;
use crate::stance::{Progress, Stance};
use crate::{Call, Fingerprint, Image, Reply};

/// A task of a program: a value, made of what it has learned.
///
/// The live future is only a [`Cursor`], which whoever drives the task may keep.
/// Without it the task is re-run from what it has learned when it is next given a
/// reply, and every call it then makes must be the one that was recorded.
pub struct Task(Stand);

#[derive(Clone)]
enum Stand {
    /// It has its stance for itself.
    Alone(Box<Stance>),
    /// It stands at a node of an [`Automaton`](crate::Automaton).
    At(Arc<Node>),
    /// It will not run again.
    Ended(Fingerprint),
}

impl Clone for Task {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Most tasks stand where they stood.
    fn clone_from(&mut self, source: &Self) {
        match (&self.0, &source.0) {
            (Stand::At(here), Stand::At(there)) if Arc::ptr_eq(here, there) => {}
            _ => *self = source.clone(),
        }
    }
}

impl Task {
    /// A task that runs `image` up to its first call. What the program says
    /// on the way is appended to `said`.
    pub fn start(image: Image, role: Role, said: &mut Vec<Happening>) -> (Self, Cursor, Progress) {
        let (stance, cursor, progress) = Stance::start(image, role, said);
        (Self(Stand::Alone(Box::new(stance))), cursor, progress)
    }

    pub(crate) fn at(node: Arc<Node>) -> Self {
        Self(Stand::At(node))
    }

    /// The call that the task waits for, until it has ended.
    pub fn pending(&self) -> Option<&Call> {
        match &self.0 {
            Stand::Alone(stance) => stance.pending.as_ref(),
            Stand::At(node) => node.pending(),
            Stand::Ended(_) => None,
        }
    }

    /// Gives the reply to the pending call, and runs up to the next one. What
    /// the program says on the way is appended to `said`. The cursor, if there is
    /// one, must be this task's own.
    ///
    /// # Panics
    ///
    /// When no call is pending, and when a re-run task does not make the calls
    /// it made before: then it depends on something else than its replies.
    pub fn resume(
        &mut self,
        cursor: &mut Option<Cursor>,
        reply: Reply,
        said: &mut Vec<Happening>,
    ) -> Progress {
        match &mut self.0 {
            Stand::Alone(stance) => {
                let cursor = cursor.get_or_insert_with(|| stance.rerun());
                stance.resume(cursor, reply, said)
            }
            Stand::At(node) => {
                let (next, progress) = node.follow(&reply, said);
                *node = next;
                progress
            }
            Stand::Ended(_) => panic!("a reply is given to a pending call"),
        }
    }

    /// Where the task would stand, had all clocks shown other times; only of one that
    /// stands in an automaton. `None` if its program makes more of a time than how long
    /// ago that was.
    #[must_use]
    pub fn shifted(&self, shift: &Shift<'_>) -> Option<Self> {
        match &self.0 {
            Stand::Alone(_) => None,
            Stand::At(node) => node.shifted(shift).map(Self::at),
            Stand::Ended(_) => Some(self.clone()),
        }
    }

    /// Where the task would stand, had processes changed places; only of one that stands in
    /// an automaton. `None` if that cannot be told.
    #[must_use]
    pub fn renamed(&self, renaming: &Renaming<'_>) -> Option<Self> {
        match &self.0 {
            Stand::Alone(_) => None,
            Stand::At(node) => node.renamed(renaming).map(Self::at),
            Stand::Ended(_) => Some(self.clone()),
        }
    }

    /// What is the same of where the task stands under each of so many changes of places,
    /// which `renamings` shows one after another. `None` if that cannot be told.
    pub fn class(&self, count: usize, renamings: &mut Renamings<'_>) -> Option<Fingerprint> {
        match &self.0 {
            Stand::Alone(_) => None,
            Stand::At(node) => node.class(count, renamings),
            Stand::Ended(end) => Some(*end),
        }
    }

    /// Shows `shift` all times on which it rests.
    pub fn show_times(&self, shift: &Shift<'_>) {
        match &self.0 {
            Stand::Alone(stance) => stance.show_times(shift),
            Stand::At(node) => node.show_times(shift),
            Stand::Ended(_) => {}
        }
    }

    /// The fingerprint of a task of its program that has ended.
    pub fn at_end(&self) -> Fingerprint {
        match &self.0 {
            Stand::Alone(stance) => stance.at_end(),
            Stand::At(node) => node.at_end(),
            Stand::Ended(end) => *end,
        }
    }

    /// A task that will not run again, of a program with this fingerprint
    /// [at its end](Self::at_end).
    pub fn ended(end: Fingerprint) -> Self {
        Self(Stand::Ended(end))
    }

    /// The node at which the task stands: tasks with one node have one future.
    pub fn node(&self) -> Fingerprint {
        match &self.0 {
            Stand::Alone(stance) => stance.fingerprint(),
            Stand::At(node) => node.fingerprint(),
            Stand::Ended(end) => *end,
        }
    }
}
