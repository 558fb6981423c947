use crate::arm::Arm;
use crate::line::ScheduleLine;
use crate::scenario::PropertyName;

/// What one arm of a cell has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The arm.
    pub arm: Arm,
    /// How many runs.
    pub runs: u64,
    /// How many different schedules they took.
    pub schedules: u64,
    /// How many states a search saw.
    pub states: Option<States>,
    /// How many steps and moves, in all runs together.
    pub steps: u64,
    /// How often each fault took effect, in all runs together, and how often it
    /// may in one: `("stops", 812, 1)`.
    pub faults: Vec<(String, u64, u32)>,
}

/// How far a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct States {
    /// How many it saw.
    pub seen: u64,
    /// How many choices the longest of the shortest runs to them has.
    pub depth: u32,
    /// Whether that is all there are.
    pub all: bool,
    /// How many it would have seen at most.
    pub bound: u64,
}

/// A schedule by which a property falls.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The property.
    pub property: PropertyName,
    /// The schedule, as one line that replays.
    pub schedule: ScheduleLine,
    /// Steps and moves up to the fall.
    pub steps: u64,
    /// Whether none of fewer choices exists, launches and the like left out; only a
    /// breadth-first search can say so.
    pub minimal: bool,
}
