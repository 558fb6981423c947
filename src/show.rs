//! One run, shown: its trace, what fell in it, and the line that replays it.

use std::fmt;
use std::time::Duration;

use locklab_sim::{End, Limits, Notes, Random, Recorder, Replay, Strategy, Trace, Turns, run};

use crate::arm::Arm;
use crate::cast::Cast;
use crate::fleet::Fleet;
use crate::line::{ScheduleLine, VERSION};
use crate::scenario::{PropertyName, Scenario};

/// A run with its trace.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The run, written down.
    pub trace: Trace,
    /// What fell of each property, in the scenario's order.
    pub results: Vec<(PropertyName, Option<String>)>,
    /// The line that replays the run.
    pub line: ScheduleLine,
    /// Why the run shows less than it should.
    pub reasons: Vec<String>,
    /// Virtual time at the end.
    pub time: Duration,
}

/// Tells the story: each task runs until it blocks, the faults come as told.
pub fn story(scenario: &Scenario, fleet: impl Into<Fleet>) -> Shown {
    story_of(scenario, Cast::new(scenario, fleet))
}

/// The same of a scenario that is cast already, as with a lock of one's own.
pub fn story_of(scenario: &Scenario, cast: Cast<'_>) -> Shown {
    Showing { cast, scenario, arm: Arm::Story, seed: 0 }.show(&mut Turns::default(), None)
}

/// One random run.
pub fn sampled(scenario: &Scenario, fleet: impl Into<Fleet>, seed: u64) -> Shown {
    let cast = Cast::new(scenario, fleet);
    Showing { cast, scenario, arm: Arm::Sampled, seed }.show(&mut Random::new(seed), None)
}

/// Why a schedule no longer fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// Another version wrote it.
    Version(String),
    /// It was found in another scenario, or in an earlier form of this one.
    Scenario,
    /// It was found under another policy, or under an earlier form of this one.
    Policy,
    /// This choice was not to be made where it stands, or something was left to
    /// choose at the end.
    Choice(Option<String>),
    /// It ended in another state.
    End,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stale: ")?;
        match self {
            Self::Version(version) => {
                write!(f, "the schedule was written by version {version}, this is {VERSION}")
            }
            Self::Scenario => {
                f.write_str("the schedule is of another scenario, or this one has changed")
            }
            Self::Policy => {
                f.write_str("the schedule is of another policy, or this one has changed")
            }
            Self::Choice(Some(choice)) => {
                write!(f, "the choice `{choice}` cannot be made where it stands")
            }
            Self::Choice(None) => f.write_str("the schedule ends elsewhere than it says"),
            Self::End => f.write_str("the schedule does not end in the state that it did"),
        }
    }
}

impl std::error::Error for Stale {}

/// Makes the choices of a schedule again.
///
/// # Errors
///
/// When it was made by another version, scenario or policy, cannot be followed
/// to its end, or leads elsewhere: then it is evidence of nothing.
pub fn replay(line: &ScheduleLine, scenario: &Scenario, fleet: &Fleet) -> Result<Shown, Stale> {
    if line.version != VERSION {
        return Err(Stale::Version(line.version.to_string()));
    }
    let cast = Cast::new(scenario, fleet);
    let (of_scenario, of_policy) = cast.hashes();
    if line.scenario != scenario.name || line.hashes.0 != of_scenario {
        return Err(Stale::Scenario);
    }
    if line.policy != *fleet.name() || line.hashes.1 != of_policy {
        return Err(Stale::Policy);
    }
    let mut strategy = Replay::new(&line.schedule);
    let showing = Showing { cast, scenario, arm: line.arm, seed: line.seed };
    let shown = showing.show(&mut strategy, Some(line.steps));
    if shown.trace.end == Some(End::Abandoned)
        || !strategy.is_complete()
        || shown.line.steps != line.steps
    {
        return Err(Stale::Choice(strategy.next().map(str::to_owned)));
    }
    if shown.line != *line {
        return Err(Stale::End);
    }
    Ok(shown)
}

struct Showing<'a> {
    cast: Cast<'a>,
    scenario: &'a Scenario,
    arm: Arm,
    seed: u64,
}

impl Showing<'_> {
    fn show<S: Strategy>(&self, strategy: &mut S, steps: Option<u32>) -> Shown {
        let Self { cast, scenario, arm, seed } = self;
        let mut limits = cast.limits();
        if matches!(arm, Arm::Exhaustive | Arm::OneStop) {
            // A search that does not tell times apart has no horizon.
            limits.horizon = Duration::MAX;
        }
        if let Some(steps) = steps {
            limits = Limits { steps, ..limits };
        }
        let notes = Notes::default();
        let mut recorder = Recorder::new(cast.property_names(), notes.clone());
        let mut watchers = cast.watchers(*arm);
        let mut world = cast.world(*arm, *seed);
        let finished = notes
            .during(|| run(&mut world, strategy, &mut watchers.jury, limits, Some(&mut recorder)));
        let fell = |index: usize| finished.falls.iter().find(|fall| fall.which == index);
        let results = scenario.properties.iter().enumerate();
        // A schedule that ends at a fall has shown what it is for.
        let is_cut_off = steps.is_none_or(|steps| steps >= cast.limits().steps);
        let ends_early = finished.end == End::StepBound && !is_cut_off;
        let reasons = if ends_early {
            Vec::new()
        } else {
            watchers.reasons(*arm, scenario, &world, &finished)
        };
        Shown {
            results: results
                .map(|(index, name)| (*name, fell(index).map(|fall| fall.message.clone())))
                .collect(),
            line: cast.line(*arm, *seed, &finished.path),
            reasons,
            time: finished.time,
            trace: recorder.into_trace(),
        }
    }
}
