//! Exhaustive search: every state that the choices lead to, breadth first.
//!
//! What is found does not depend on how many cores look: states are numbered in the
//! order of their parents and of the choices that lead to them.

#![allow(clippy::vec_box, reason = "states go from list to list")]

mod anatomy;
mod arrive;
mod circles;
mod cost;
mod expand;
mod lasso;
mod learned;
mod left;
mod memo;
mod oracle;
mod outcomes;
mod progress;
mod quiet;
mod retrace;
mod round;
mod scene;
mod seen;
mod stand;
mod store;
mod symmetry;
mod table;
mod tally;
mod walk;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Automaton, Fingerprint};
use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use crate::choice::Choice;
use crate::limits::Limits;
use crate::monitor::{End, Monitor};
use crate::setup::Setup;
use crate::world::World;
use expand::{Expander, Expansion};
use stand::Stand;
use symmetry::Symmetry;
use tally::Tally;

pub use cost::Cost;
pub use expand::Allowed;
pub use symmetry::{Alike, Others};

pub use lasso::Lasso;
pub use progress::{Judged, Stuck};

/// Where a search goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// So many states.
    pub states: u64,
    /// So many bytes, reckoned from how many states are known, what they are made of, and how
    /// many of them are yet to be gone on from: what is reckoned is the same everywhere, and
    /// about what is taken.
    pub memory: u64,
    /// No run has more choices, nor goes beyond the horizon where times are told apart.
    pub limits: Limits,
    /// No run has more moves of the adversary that have a budget, of all kinds together.
    pub faults: Option<u32>,
    /// No run has more preemptions: steps of somebody though who stepped last could go on,
    /// without having waited, been stopped or rested since. Then nobody goes on before
    /// others or later than they, nor is taken for another.
    pub preemptions: Option<u32>,
}

impl Bounds {
    /// Any faults and preemptions.
    pub const fn new(states: u64, memory: u64, limits: Limits) -> Self {
        Self { states, memory, limits, faults: None, preemptions: None }
    }
}

/// What is searched.
pub struct Search {
    /// What the world begins with.
    pub setup: Arc<Setup>,
    /// The seed of what the kernel makes up.
    pub seed: u64,
    /// The choices with which every run begins.
    pub prefix: Vec<Choice>,
    /// Who watches, as at the beginning of a run.
    pub monitor: Box<dyn Monitor>,
    /// What is to be kept of the states in which runs end. It may look at all that what
    /// happens next depends on, but not at how the dead ended, nor at last points.
    pub look_at_ends: Option<fn(&World, End) -> Fingerprint>,
    /// When so many of the things that are watched have fallen, the first ones, it ends.
    pub sought: usize,
    /// What it need not look at.
    pub reductions: Reductions,
    /// Who may be taken for one another.
    pub alike: Option<Alike>,
    /// How far it goes.
    pub bounds: Bounds,
}

/// What need not be looked at, since something else that is looked at shows the same.
/// Each is optional, and makes no difference but in the number of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Nobody begins to wait for a lock as long as another can go on.
    pub waits: bool,
    /// Who can make a call that concerns nobody else makes it before all others go on.
    pub local: bool,
    /// When the world began makes no difference, but only how long ago things were; and
    /// how long makes none beyond this. Programs must make no more of times than that,
    /// and neither write them down nor keep them from round to round of a loop.
    pub memory: Option<Memory>,
}

/// How long ago something must be for it to be all the same how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// To programs.
    pub programs: Duration,
    /// To monitors.
    pub monitors: Duration,
}

impl Reductions {
    /// None of them.
    pub const NONE: Self = Self { waits: false, local: false, memory: None };

    /// All of them, but that times are told apart.
    pub const TIMED: Self = Self { waits: true, local: true, memory: None };
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// How many states are known.
    pub states: u64,
    /// How many choices lead to those that are found now.
    pub depth: u32,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explored {
    /// How many states there are, or were seen.
    pub states: u64,
    /// How many choices were made from them.
    pub edges: u64,
    /// How many choices the longest of the shortest runs to them has.
    pub depth: u32,
    /// For each thing that is watched a shortest run in which it fell.
    pub falls: Vec<Option<Found>>,
    /// How often each kind of move that has a budget was made.
    pub spent: Vec<(&'static str, u64)>,
    /// Why not all states were seen, if so.
    pub cut: Option<Cut>,
    /// What was kept of the states in which runs end.
    pub ends: BTreeSet<Fingerprint>,
    /// Whether it ended because everything that was sought had been found.
    pub ended_early: bool,
}

impl Explored {
    /// Whether all states were seen.
    pub fn is_complete(&self) -> bool {
        self.cut.is_none() && !self.ended_early
    }
}

/// A shortest run in which something fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its choices, in order.
    pub path: Vec<Choice>,
    /// How many of them were not forced.
    pub choices: u32,
    /// What fell, in words.
    pub message: String,
}

/// Why a search has not seen all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// Runs went on beyond the bound on steps.
    Steps,
    /// Runs went on beyond the horizon.
    Horizon,
    /// There were more states than allowed.
    States,
    /// They took more memory than allowed.
    Memory,
    /// Whoever asked wanted no more.
    Interrupted,
}

/// States that are expanded at once, by all cores.
const BATCH: usize = 1 << 14;

/// States that one core takes at a time.
const CHUNK: usize = 64;

impl Search {
    /// Searches until everything is known, or a bound is reached, or all that was sought has
    /// fallen. `report` is told now and then how far it is, and may end it.
    pub fn run(&self, report: &mut dyn FnMut(Stage) -> ControlFlow<()>) -> Explored {
        self.explore(None, report)
    }

    /// As [`run`](Self::run), but of the adversary's moves only those are made that `allowed`
    /// says. It may depend on the [last points](World::last_point) of tasks: states that differ
    /// in these are told apart, and nobody goes on before others or is taken for another.
    pub fn run_where(
        &self,
        allowed: &Allowed<'_>,
        report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
    ) -> Explored {
        self.explore(Some(allowed), report)
    }

    fn explore(
        &self,
        allowed: Option<&Allowed<'_>>,
        report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
    ) -> Explored {
        let automaton = Arc::new(Automaton::default());
        let reorders = self.bounds.preemptions.is_none() && allowed.is_none();
        let symmetry = self
            .alike
            .as_ref()
            .filter(|_| reorders)
            .and_then(|alike| Symmetry::new(alike, &self.setup));
        if let Some(symmetry) = &symmetry {
            let expander = Expander::new(self, &automaton, Some(symmetry), false, allowed);
            let tally = self.walk(&expander, report);
            if !symmetry.is_broken() {
                return tally.explored();
            }
        }
        let expander = Expander::new(self, &automaton, None, false, allowed);
        self.walk(&expander, report).explored()
    }

    fn walk(
        &self,
        expander: &Expander<'_>,
        report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
    ) -> Tally {
        let mut tally = Tally::new(self.monitor.count(), self.sought);
        let mut level = tally.enter(vec![expander.begin()], expander);
        while !level.is_empty() && !tally.is_done() {
            if tally.depth >= self.bounds.limits.steps {
                tally.cut_at(Cut::Steps);
                break;
            }
            let mut next = Vec::new();
            // Those that are left of this level, and those of the next.
            let mut bytes = bytes_of(&level);
            let mut left = level.into_iter();
            while !left.as_slice().is_empty() {
                expander.begin_batch();
                let batch: Vec<Box<Stand>> = left.by_ref().take(BATCH).collect();
                let expansions: Vec<Expansion> = batch
                    .par_chunks(CHUNK)
                    .map(|chunk| expander.expand(chunk, &tally.seen))
                    .collect();
                if expander.is_broken() {
                    return tally;
                }
                let entered = tally.enter(expansions, expander);
                bytes += bytes_of(&entered);
                next.extend(entered);
                let stage = Stage { states: tally.seen.len(), depth: tally.depth + 1 };
                if report(stage).is_break() {
                    tally.cut_at(Cut::Interrupted);
                    return tally;
                }
                if tally.seen.bytes() + expander.kept_bytes() + bytes > self.bounds.memory {
                    tally.cut_at(Cut::Memory);
                }
                if tally.cut >= Some(Cut::States) || tally.is_done() {
                    return tally;
                }
                bytes -= bytes_of(&batch);
            }
            tally.depth += u32::from(!next.is_empty());
            level = next;
        }
        tally
    }
}

/// What states take that are yet to be gone on from.
fn bytes_of(stands: &[Box<Stand>]) -> u64 {
    stands.iter().map(|stand| stand.bytes()).sum()
}
