use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_sys::Automaton;

use super::circles::{Judgement, judge};
use super::expand::Expander;
use super::round::round;
use super::{Explored, Search, Stage};
use crate::choice::Choice;
use crate::kernel::TaskId;

/// What a search found of who gets what it waits for, from every state, once the
/// adversary is silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What was searched, the states in which the adversary is silent among it.
    pub explored: Explored,
    /// In how many it is.
    pub quiet: u64,
    /// The first state, the shallowest, from which somebody need never get what it waits for.
    pub stuck: Option<Stuck>,
    /// Whether somebody can go on for ever without any time passing, while others wait for
    /// a time: then it is not known what comes of them.
    pub time_stands_still: bool,
    /// Whether there are too many tasks for all to be looked at: then there is no judgement.
    pub is_crowded: bool,
}

/// A way to somebody who never gets what it waits for, though everybody who can always go
/// on does so at some time. [`Lasso`](crate::Lasso) goes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The choices that lead there, but for what is forced; the adversary's silence among them.
    pub stem: Vec<Choice>,
    /// Those that lead round, again and again. None where nothing
    /// happens any more.
    pub circle: Vec<Choice>,
    /// Who waits, if a monitor says so.
    pub waiter: Option<TaskId>,
}

impl Stuck {
    /// The same, but that the adversary falls silent right after its last move. It may lead
    /// elsewhere, if somebody is stopped then.
    pub fn silent_early(&self) -> Self {
        let mut early = self.clone();
        let is_quiet = |choice: &Choice| *choice == Choice::Quiet;
        if let Some(quiet) = early.stem.iter().rposition(is_quiet) {
            let is_move = |choice: &Choice| !choice.is_ordinary();
            let from = early.stem[..quiet].iter().rposition(is_move).map_or(0, |last| last + 1);
            early.stem[from..=quiet].rotate_right(1);
        }
        early
    }
}

impl Judged {
    /// Whether nobody is ever kept for ever: all is known, and nothing speaks against it.
    pub fn holds(&self) -> bool {
        self.stuck.is_none()
            && self.explored.is_complete()
            && !self.time_stands_still
            && !self.is_crowded
    }
}

impl Search {
    /// Searches until everything is known, or a bound is reached, with what comes of it
    /// when the adversary falls silent in any state. Who waits is asked of the monitors. What
    /// is left out of the search where it moves is looked at where it is silent. There are no
    /// bounds on faults and preemptions.
    pub fn judge_progress(&self, report: &mut dyn FnMut(Stage) -> ControlFlow<()>) -> Judged {
        let automaton = Arc::new(Automaton::default());
        let expander = Expander::new(self, &automaton, None, true, None);
        let mut tally = self.walk(&expander, report);
        let mut graph = std::mem::take(&mut tally.quiet);
        graph.close(&tally.seen);
        let is_crowded = graph.is_crowded;
        let Judgement { trap, time_stands_still } =
            if is_crowded { Judgement::default() } else { judge(&graph) };
        let stuck = trap.map(|trap| {
            let chosen = tally.seen.path(tally.seen.step(graph.id(trap.node)));
            let mut stem = expander.complete(&chosen, 0);
            stem.retain(|choice| !choice.comes_by_itself());
            Stuck { stem, circle: round(&graph, &trap), waiter: trap.waiter }
        });
        let quiet = graph.len() as u64;
        Judged { explored: tally.explored(), quiet, stuck, time_stands_still, is_crowded }
    }
}
