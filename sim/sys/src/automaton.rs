//! Programs as automata, learned as far as they are walked.

use std::sync::Arc;

use crate::cursor::Role;
use crate::node::Nodes;
use crate::slot::Happening;
use crate::stance::Progress;
use crate::{Image, Task};

/// The automata of some programs: for each reply that a task was ever given, what it
/// said and which call it made next. A program runs only for a reply that is new.
///
/// Many worlds, in many threads, may share one.
#[derive(Default)]
pub struct Automaton(Arc<Nodes>);

impl Automaton {
    /// A task that stands at the first call of `image`. What the program says
    /// on the way is appended to `said`.
    pub fn start(&self, image: Image, role: Role, said: &mut Vec<Happening>) -> (Task, Progress) {
        let (node, progress) = self.0.start(image, role).take(said);
        (Task::at(node), progress)
    }
}
