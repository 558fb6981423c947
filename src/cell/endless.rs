use std::ops::ControlFlow;

use locklab_sim::{Bounds, Choice, Judged, Lasso, Reductions, Search, Stuck, run};

use super::arms::{ArmReport, Found};
use super::exhaustive::{SEED, none_takes_effect, search};
use super::{Room, Stage, States};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::property::{self, Aborts, Contention, Judge, Jury};
use crate::room::told;
use crate::scenario::{PropertyName, Scenario};

/// What a search has shown of progress, where who waits never gives up.
pub(crate) struct Endless {
    pub(crate) evidence: EndlessEvidence,
    pub(crate) never: Option<Never>,
    /// Why nothing else can be said.
    pub(crate) reasons: Vec<String>,
}

impl Endless {
    /// How many states there are, if nobody is ever kept for ever in any of them.
    pub(crate) fn proved(&self) -> Option<u64> {
        let holds = self.never.is_none() && self.reasons.is_empty();
        holds.then_some(self.evidence.states.seen)
    }

    /// Whether it shows neither.
    pub(crate) fn is_unclear(&self) -> bool {
        self.never.is_none() && self.proved().is_none()
    }

    /// A run in which somebody gives up for good reason, if there is one.
    pub(crate) fn found(&self) -> Option<Found> {
        let never = self.never.as_ref()?;
        let (message, path) = (never.message.clone(), never.path.clone()?);
        Some(Found { times: 1, message, seed: SEED, path, minimal: false })
    }

    /// Why less can be said than that somebody is kept for ever or nobody is.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = String> {
        let unseen = self.never.iter().filter(|never| never.path.is_none());
        let unseen = unseen.map(|never| format!("{}, but gives up before", never.message));
        self.reasons.iter().cloned().chain(unseen)
    }
}

/// What it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndlessEvidence {
    /// How far the search went.
    pub states: States,
    /// In how many of the states the adversary is silent for good.
    pub quiet: u64,
    /// How many steps and moves were made from them.
    pub steps: u64,
}

/// Somebody need never get in.
pub(crate) struct Never {
    pub(crate) message: String,
    /// A run under the scenario's own patience in which that can be seen, up to where it
    /// can; none if nobody's patience is such.
    pub(crate) path: Option<Vec<Choice>>,
}

/// Looks at every run there is, and judges progress, if that is asked for, where who waits
/// never gives up. `report` is told how far it is, and may end it.
pub(crate) fn prove(
    cast: &Cast<'_>,
    scenario: &Scenario,
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> (ArmReport, Option<Endless>) {
    let mut arm = search(cast, scenario, room, report);
    let progress = scenario.properties.iter().position(|it| *it == PropertyName::Progress);
    let endless = progress.map(|index| {
        let endless = judge_progress(cast, room, report);
        if let Some(found) = endless.found() {
            arm.found[index] = Some(found);
        }
        endless
    });
    (arm, endless)
}

/// Judges progress from every state there is, of at most so many. `report` is told how far
/// it is, and may end it.
pub(crate) fn judge_progress(
    cast: &Cast<'_>,
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Endless {
    let patient = cast.clone().with_endless_patience();
    let witnesses: Vec<Box<dyn Judge>> = vec![Box::new(Aborts), Box::new(Contention::default())];
    let search = Search {
        setup: patient.setup(Arm::Exhaustive),
        seed: SEED,
        prefix: Vec::new(),
        monitor: Box::new(Jury::new(witnesses)),
        look_at_ends: None,
        sought: 0,
        reductions: Reductions { memory: cast.memory(), ..Reductions::TIMED },
        alike: None,
        bounds: Bounds::new(room.states, room.memory, cast.limits()),
    };
    let judged = search.judge_progress(&mut |stage| report(stage.into()));
    let never = judged.stuck.as_ref().map(|stuck| {
        let (message, path) = match fall(cast, stuck) {
            Some((message, path)) => (message, Some(path)),
            None => (property::for_ever(patient.world(Arm::Exhaustive, SEED), stuck), None),
        };
        Never { message, path }
    });
    let explored = &judged.explored;
    let evidence = EndlessEvidence {
        states: States {
            seen: explored.states,
            depth: explored.depth,
            all: explored.is_complete(),
            bound: room.states,
        },
        quiet: judged.quiet,
        steps: explored.edges,
    };
    Endless { evidence, never, reasons: reasons(cast, &judged, room) }
}

/// What falls in a run, and up to where it does, that goes the same way under the
/// scenario's own patience, or that takes no move of the adversary at all: the one with the
/// shortest line.
fn fall(cast: &Cast<'_>, stuck: &Stuck) -> Option<(String, Vec<Choice>)> {
    let early = stuck.silent_early();
    let at_once = Stuck { stem: vec![Choice::Quiet], circle: Vec::new(), waiter: stuck.waiter };
    let ways = [&early, stuck]
        .into_iter()
        .flat_map(|stuck| [Lasso::to_the_circle(stuck), Lasso::new(stuck)])
        .chain([Lasso::to_the_circle(&at_once)]);
    let falls = ways.filter_map(|way| fall_on(cast, way));
    falls.min_by_key(|(_, path)| cast.line(Arm::Exhaustive, SEED, path).to_string().len())
}

fn fall_on(cast: &Cast<'_>, mut way: Lasso<'_>) -> Option<(String, Vec<Choice>)> {
    let mut world = cast.world(Arm::Exhaustive, SEED);
    let mut judge = Jury::new(vec![cast.judge(PropertyName::Progress)]);
    let finished = run(&mut world, &mut way, &mut judge, cast.limits(), None);
    let fall = finished.falls.into_iter().next()?;
    let mut path = finished.path;
    path.truncate(fall.choices);
    Some((fall.message, path))
}

fn reasons(cast: &Cast<'_>, judged: &Judged, room: Room) -> Vec<String> {
    let explored = &judged.explored;
    let mut reasons = Vec::new();
    let [aborted, contended] = [0, 1].map(|witness| &explored.falls[witness]);
    if let Some(aborted) = aborted {
        reasons.push(aborted.message.clone());
    }
    reasons.extend(explored.cut.map(|cut| told_apart(&told(cut, room))));
    if judged.time_stands_still {
        reasons.push("somebody may go on for ever without any time passing".to_owned());
    }
    if judged.is_crowded {
        reasons.push("there are too many tasks to judge who gets in".to_owned());
    }
    if contended.is_none() && explored.is_complete() {
        reasons.push("nobody contends for the lock in any run".to_owned());
    }
    let budgets = cast.setup(Arm::Exhaustive).adversary.budgets();
    let is_spent = |kind: &str| explored.spent.iter().any(|(spent, _)| *spent == kind);
    let idle = budgets.iter().filter(|(kind, budget)| *budget > 0 && !is_spent(kind));
    reasons
        .extend(idle.filter(|_| explored.is_complete()).map(|(kind, _)| none_takes_effect(kind)));
    reasons
}

/// What cuts this search off, told apart from what cuts the search for all else off.
pub(super) fn told_apart(cut: &str) -> String {
    format!("progress: {cut}")
}
