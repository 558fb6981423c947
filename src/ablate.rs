//! A policy with one part changed at a time: which part guards against what.

mod difference;
mod gap_counts;

use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_models::Policy;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::cell::{Cell, Question, Room, judge_within};
use crate::scenario::Scenario;
use crate::variant::{Change, changes};

pub use difference::{Changed, Difference, Standing};
pub use gap_counts::GapsChanged;

/// How closely each cell is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Seeds the random runs.
    pub seed: u64,
    /// How many random runs.
    pub runs: u64,
    /// How many states a search sees at most.
    pub states: u64,
}

/// Who looks on.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Hears of so many cells that are to come.
    pub more: &'a (dyn Fn(u64) + Sync),
    /// Hears of each that is done.
    pub done: &'a (dyn Fn() + Sync),
    /// Whether no more is wanted.
    pub is_enough: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Nobody does.
    pub const NOBODY: Self = Self { more: &|_| {}, done: &|| {}, is_enough: &|| false };

    fn may_go_on(&self) -> ControlFlow<()> {
        if (self.is_enough)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// What each change of one part makes of a policy.
#[derive(Clone, Debug)]
pub struct Ablation {
    /// The policy.
    pub policy: Arc<Policy>,
    /// How many scenarios it was seen in.
    pub scenarios: usize,
    /// How closely.
    pub effort: Effort,
    /// Every change that makes sense and was looked at, in the order of the parts.
    pub changed: Vec<Changed>,
    /// Those that nobody wanted to wait for.
    pub left: Vec<Change>,
    /// Cells in which a search and random runs say different things: a fault of locklab.
    pub contradicted: Vec<Cell>,
    /// Whether somebody did not want to wait until all gaps were counted.
    pub gaps_are_left: bool,
}

/// Judges the policy, and each change of one part, in every scenario, and counts the gaps
/// where something falls that has gaps.
pub fn ablate(
    policy: &Arc<Policy>,
    scenarios: &[Arc<Scenario>],
    effort: Effort,
    watch: Watch<'_>,
) -> Ablation {
    let changes = changes(policy);
    let looking = Looking { scenarios, effort, watch };
    (watch.more)((scenarios.len() * (1 + changes.len())) as u64);
    let before = looking.cells(policy).unwrap_or_default();
    let after: Vec<Option<Vec<Cell>>> =
        changes.par_iter().map(|change| looking.cells(&change.policy)).collect();
    let all: Vec<(Change, Option<Vec<Cell>>)> = changes.into_iter().zip(after).collect();
    let (seen, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, cells)| cells.is_some());
    let seen: Vec<(Change, Vec<Cell>)> =
        seen.into_iter().map(|(change, cells)| (change, cells.unwrap_or_default())).collect();
    let counts = looking.count_gaps(policy, &before, &seen);
    let changed = seen.iter().enumerate().map(|(index, (change, cells))| {
        let gaps = counts.as_ref().map(|counts| counts.changed(scenarios, index));
        Changed::of(change, scenarios, (&before, cells), gaps.unwrap_or_default())
    });
    let cells = before.iter().chain(seen.iter().flat_map(|(_, cells)| cells));
    let contradicted = cells.filter(|cell| !cell.contradictions.is_empty()).cloned().collect();
    Ablation {
        policy: Arc::clone(policy),
        scenarios: scenarios.len(),
        effort,
        changed: changed.collect(),
        left: left.into_iter().map(|(change, _)| change).collect(),
        contradicted,
        gaps_are_left: counts.is_none(),
    }
}

struct Looking<'a> {
    scenarios: &'a [Arc<Scenario>],
    effort: Effort,
    watch: Watch<'a>,
}

impl Looking<'_> {
    /// The policy's cell in each scenario, unless that takes too long for somebody.
    fn cells(&self, policy: &Arc<Policy>) -> Option<Vec<Cell>> {
        self.scenarios.par_iter().map(|scenario| self.cell(scenario, policy)).collect()
    }

    fn cell(&self, scenario: &Arc<Scenario>, policy: &Arc<Policy>) -> Option<Cell> {
        let Self { effort, watch, .. } = self;
        if (watch.is_enough)() {
            return None;
        }
        let question = self.question(scenario, policy);
        let room = Room::from(effort.states);
        let cell = judge_within(&question, room, &mut |_| watch.may_go_on());
        (watch.done)();
        // What was cut off shows less than it would have.
        (!(watch.is_enough)()).then_some(cell)
    }

    fn question(&self, scenario: &Arc<Scenario>, policy: &Arc<Policy>) -> Question {
        let Effort { seed, runs, .. } = self.effort;
        Question { scenario: Arc::clone(scenario), fleet: policy.into(), seed, runs }
    }
}
