//! The gaps of a rule: the places in its program at which one stop suffices for something
//! to fall.

mod any;
mod count;
mod place;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use locklab_sim::kernel::ProcId;
use locklab_sim::{Bounds, Choice, Explored, Reductions, Search, World};

use crate::arm::Arm;
use crate::cast::Cast;
use crate::cell::{Counterexample, Question, Room, SEED, Stage};
use crate::property::Judge;
use crate::room::told;
use crate::show;

use any::Any;

pub use count::{Count, Trend};
pub use place::Place;

/// States that are looked at for each place first.
const STATES_FEW: u64 = 5_000;

/// States that are looked at for one place then, at most.
const STATES_MAX: u64 = 400_000;

/// And for all places of a rule in a scenario together.
const STATES_OF_ALL_MAX: u64 = 2_000_000;

/// If more places than this are open after the few, none is looked at for longer.
const LONG_MAX: usize = 20;

/// The gaps of a rule in a scenario.
#[derive(Clone, Debug)]
pub struct Gaps {
    /// How many places the contenders come to where nobody is stopped.
    pub places: u64,
    /// Those at which one stop suffices, in the order of their points.
    pub open: Vec<Gap>,
    /// Of how many more it is not known, since a search was cut off.
    pub unclear: u64,
    /// What falls where nobody is stopped at all; then no stop is tried.
    pub unstopped: Option<Fall>,
    /// Why it is not known what falls and who comes where without a stop, if so; then, too.
    pub reason: Option<String>,
}

/// A place at which one stop suffices.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The place.
    pub place: Place,
    /// What falls.
    pub fall: Fall,
}

/// What falls, and how.
#[derive(Clone, Debug)]
pub struct Fall {
    /// In words.
    pub message: String,
    /// A schedule in which it does, with the fewest choices of those that stop there.
    pub counterexample: Counterexample,
}

/// Counts the gaps. No search sees more states than `room` says. `report` is told how far
/// one is, and may end it.
pub fn gaps(
    question: &Question,
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Gaps {
    let cast = Cast::new(&question.scenario, &question.fleet);
    let few = room.states.min(STATES_FEW);
    let room = Room { states: room.states.min(STATES_MAX), ..room };
    let mut counting = Counting { question, cast, room, states_left: STATES_OF_ALL_MAX };
    let (mut places, unstopped) = counting.places(report);
    let mut gaps = Gaps {
        places: places.len() as u64,
        open: Vec::new(),
        unclear: 0,
        unstopped: counting.fall(&unstopped),
        reason: counting.doubt(&unstopped),
    };
    if gaps.unstopped.is_some() || gaps.reason.is_some() {
        return gaps;
    }
    // What falls mostly does so soon, and is not to be missed for what takes long.
    for states in [few, room.states] {
        counting.room.states = states;
        places.retain(|place| {
            let stopped = counting.stopped_at(place, report);
            let fall = counting.fall(&stopped);
            let is_unclear = fall.is_none() && counting.doubt(&stopped).is_some();
            gaps.open.extend(fall.map(|fall| Gap { place: place.clone(), fall }));
            is_unclear
        });
        // So many that take long would take too long.
        if places.len() > LONG_MAX {
            break;
        }
    }
    gaps.open.sort_by(|one, other| one.place.cmp(&other.place));
    gaps.unclear = places.len() as u64;
    gaps
}

struct Counting<'a> {
    question: &'a Question,
    cast: Cast<'a>,
    /// For one search.
    room: Room,
    /// For all that are yet to come.
    states_left: u64,
}

impl Counting<'_> {
    /// The places that contenders come to where nobody is stopped, and what falls then.
    fn places(
        &mut self,
        report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
    ) -> (BTreeSet<Place>, Explored) {
        // As a set it is the same whichever core comes first.
        let places = Mutex::new(BTreeSet::new());
        let note = |world: &World, choice: Choice| {
            let place = self.place_of_stop(world, choice);
            places.lock().expect("nobody panics with it").extend(place);
            false
        };
        let explored = self.search().run_where(&note, &mut |stage| report(stage.into()));
        self.states_left -= explored.states;
        (places.into_inner().expect("nobody panics with it"), explored)
    }

    /// What falls where somebody is stopped once, at this place.
    fn stopped_at(
        &mut self,
        place: &Place,
        report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
    ) -> Explored {
        let is_there = |world: &World, choice: Choice| {
            !matches!(choice, Choice::Stop(_))
                || self.place_of_stop(world, choice).as_ref() == Some(place)
        };
        let explored = self.search().run_where(&is_there, &mut |stage| report(stage.into()));
        self.states_left -= explored.states;
        explored
    }

    /// Where the contender is that is stopped by this move, if it stops one.
    fn place_of_stop(&self, world: &World, choice: Choice) -> Option<Place> {
        let Choice::Stop(proc) = choice else { return None };
        self.is_contender(world, proc).then(|| Place::of(world, proc)).flatten()
    }

    fn is_contender(&self, world: &World, proc: ProcId) -> bool {
        let contenders = self.question.scenario.contenders();
        contenders.into_iter().any(|index| world.launched(index) == Some(proc))
    }

    fn search(&self) -> Search {
        let Self { question, cast, room, .. } = self;
        let safety = question.scenario.properties.iter().filter(|property| property.is_safety());
        let judges: Vec<Box<dyn Judge>> = safety.map(|it| cast.judge(*it)).collect();
        let states = room.states.min(self.states_left);
        let bounds = Bounds::new(states, room.memory, cast.limits());
        Search {
            setup: cast.setup(Arm::OneStop),
            seed: SEED,
            prefix: Vec::new(),
            monitor: Box::new(Any::of(judges)),
            look_at_ends: None,
            sought: 1,
            reductions: Reductions { memory: cast.memory(), ..Reductions::TIMED },
            alike: None,
            bounds: Bounds { preemptions: Some(0), ..bounds },
        }
    }

    /// What fell in a search, shown by the line that replays it.
    fn fall(&self, explored: &Explored) -> Option<Fall> {
        let Question { scenario, fleet, .. } = self.question;
        let path = &explored.falls[Any::FALLS].as_ref()?.path;
        let schedule = self.cast.line(Arm::OneStop, SEED, path);
        let shown = show::replay(&schedule, scenario, fleet);
        let shown = shown.unwrap_or_else(|stale| panic!("what was just found is {stale}"));
        let mut results = shown.results.into_iter();
        let (property, message) = results
            .find_map(|(name, fell)| Some((name, fell.filter(|_| name.is_safety())?)))
            .expect("what falls in a search falls in the run that it found");
        let steps = path.len() as u64;
        let counterexample = Counterexample { property, schedule, steps, minimal: false };
        Some(Fall { message, counterexample })
    }

    /// Why a search in which nothing fell shows nothing, if so.
    fn doubt(&self, explored: &Explored) -> Option<String> {
        let aborted = explored.falls[Any::ABORTS].as_ref().map(|it| it.message.clone());
        aborted.or_else(|| explored.cut.map(|cut| told(cut, self.room)))
    }
}
