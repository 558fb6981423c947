use std::time::Duration;

use dyn_clone::DynClone;
use locklab_sys::{Fingerprint, SmolStr};
use serde::Serialize;

use crate::event::Event;
use crate::kernel::{ProcId, TaskId};
use crate::world::World;

/// Watches a world and says when something fell that should hold.
///
/// It judges by what the kernel saw and what programs marked, never by what a
/// program believes.
pub trait Monitor: DynClone + Send + Sync {
    /// How many things it watches that may fall: they are numbered from 0.
    fn count(&self) -> usize;

    /// Sees one event, after the step or move that brought it about. Points are none. What it
    /// makes of it may depend on whatever the future depends on, and on its own memory: not on
    /// last points, nor on how the dead ended.
    fn observe(&mut self, world: &World, event: &Event, fell: &mut Fell);

    /// Sees how the run ended.
    fn end(&mut self, world: &World, end: End, fell: &mut Fell);

    /// Who wants something now that it should get at some time, whatever comes: a search
    /// that judges progress asks.
    fn waiting(&self, _: &World) -> Vec<TaskId> {
        Vec::new()
    }

    /// All clocks are set back: what of its memory is a time becomes what `clock` says.
    fn set_back(&mut self, _: &dyn Fn(Duration) -> Duration) {}

    /// Processes change places in what it remembers; `false` if that cannot be told.
    fn change_places(&mut self, _: &Swap<'_>) -> bool {
        false
    }

    /// What it remembers, as part of a state.
    fn fingerprint(&self) -> Fingerprint;
}

dyn_clone::clone_trait_object!(Monitor);

/// Who takes whose place.
pub struct Swap<'a> {
    /// Of processes.
    pub proc: &'a dyn Fn(ProcId) -> ProcId,
    /// Of their tasks.
    pub task: &'a dyn Fn(TaskId) -> TaskId,
    /// What a file is called then, or its path is: nothing if it is called the same.
    pub name: &'a dyn Fn(&str) -> Option<SmolStr>,
}

/// What fell of that which a monitor watches: its number, and in words how.
pub type Fell = Vec<(usize, String)>;

/// Nobody watches.
impl Monitor for () {
    fn count(&self) -> usize {
        0
    }

    fn observe(&mut self, _: &World, _: &Event, _: &mut Fell) {}

    fn end(&mut self, _: &World, _: End, _: &mut Fell) {}

    fn change_places(&mut self, _: &Swap<'_>) -> bool {
        true
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint(0)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Every process has ended.
    Finished,
    /// Somebody waits, and nothing will ever happen again.
    Hung,
    /// The horizon was reached.
    Horizon,
    /// The bound on steps was reached.
    StepBound,
    /// The strategy had no choice to make: a replay that no longer fits.
    Abandoned,
}

/// Something fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fall {
    /// Which of the things that a monitor watches.
    pub which: usize,
    /// After how many choices.
    pub choices: usize,
    /// What fell, in words.
    pub message: String,
}
