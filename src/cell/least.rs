//! The fewest faults and preemptions with which a property falls, by iterative context
//! bounding (Musuvathi and Qadeer, 2007).

use std::ops::ControlFlow;

use locklab_sim::{Bounds, Choice, Cost, Reductions, Search};

use super::arms::Found;
use super::border::{Border, border};
use super::exhaustive::SEED;
use super::{Room, Stage};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::property::Jury;
use crate::scenario::PropertyName;

/// States that are looked at for one property, in all searches together, at most.
const STATES_MAX: u64 = 200_000;

/// What a run takes in which a property falls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// The adversary's moves by the names of their budgets: `("passes", 1)`.
    pub faults: Vec<(&'static str, u32)>,
    /// Steps of somebody though who stepped last could have gone on.
    pub preemptions: u32,
    /// Whether there is no run with fewer faults, nor one with as many and fewer preemptions.
    pub proved: bool,
    /// The steps and moves of a shorter run, if one is known.
    pub shorter: Option<u64>,
    /// How far time must pass, where that is known.
    pub border: Option<Border>,
}

/// Of the runs in which the property falls one with the fewest faults, of these one with
/// the fewest preemptions, and of these a shortest one; or the best that is known, where a
/// search for it is cut off. `report` is told how far a search is, and may end it.
pub(crate) fn least(
    cast: &Cast<'_>,
    property: PropertyName,
    found: &Found,
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> (Found, Least) {
    let room = Room { states: room.states.min(STATES_MAX), ..room };
    let (best, cost) = (found.clone(), cost(cast, &found.path));
    let shortest = cost.choices;
    let mut looking = Looking { cast, property, room, best, cost, proved: true };
    let fewer = (0..looking.cost.faults()).map(|faults| (faults, None));
    looking.improve(fewer, report);
    let faults = looking.cost.faults();
    let few = (0..=looking.cost.preemptions).map(|preemptions| (faults, Some(preemptions)));
    looking.improve(few, report);
    let Looking { room, mut best, cost, proved, .. } = looking;
    let border = border(cast, property, &best.path, room, report);
    let Cost { choices, faults, preemptions } = cost;
    best.minimal &= choices <= shortest;
    let has_fewer_steps = found.path.len() < best.path.len();
    let shorter = has_fewer_steps.then_some(found.path.len() as u64);
    (best, Least { faults, preemptions, proved, shorter, border })
}

/// What the run takes that makes these choices.
fn cost(cast: &Cast<'_>, path: &[Choice]) -> Cost {
    Cost::of(cast.world(Arm::Exhaustive, SEED), path)
}

struct Looking<'a> {
    cast: &'a Cast<'a>,
    property: PropertyName,
    /// What is left of it.
    room: Room,
    /// The best run so far, and what it takes.
    best: Found,
    cost: Cost,
    /// Whether no better one was missed.
    proved: bool,
}

impl Looking<'_> {
    /// Searches within each of these bounds on faults and preemptions until something falls.
    fn improve(
        &mut self,
        bounds: impl Iterator<Item = (u32, Option<u32>)>,
        report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
    ) {
        for (faults, preemptions) in bounds {
            let mut explored =
                self.search(faults, preemptions).run(&mut |stage| report(stage.into()));
            self.room.states -= explored.states;
            if let Some(fall) = explored.falls.swap_remove(0) {
                self.cost = cost(self.cast, &fall.path);
                self.best.path = fall.path;
                self.best.message = fall.message;
                return;
            }
            if !explored.is_complete() {
                self.proved = false;
                return;
            }
        }
    }

    fn search(&self, faults: u32, preemptions: Option<u32>) -> Search {
        let Self { cast, property, room, .. } = self;
        let bounds = Bounds::new(room.states, room.memory, cast.limits());
        Search {
            setup: cast.setup(Arm::Exhaustive),
            seed: SEED,
            prefix: Vec::new(),
            monitor: Box::new(Jury::new(vec![cast.judge(*property)])),
            look_at_ends: None,
            sought: 1,
            reductions: Reductions { memory: cast.memory(), ..Reductions::TIMED },
            alike: cast.alike(),
            bounds: Bounds { faults: Some(faults), preemptions, ..bounds },
        }
    }
}
