use std::ops::ControlFlow;

use locklab_sim::{Bounds, Cut, Explored, Found as Fall, Reductions, Search};

use super::arms::{ArmReport, Found};
use super::{Evidence, Room, Stage, States};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::property::{Aborts, Contention, Judge, Jury};
use crate::room::told;
use crate::scenario::{PropertyName, Scenario};

/// Random bytes and boot ids are the same in every run.
pub(crate) const SEED: u64 = 0;

/// Looks at every run there is of at most so many states, but not for progress, which is
/// judged elsewhere. `report` is told how far it is, and may end it.
pub(crate) fn search(
    cast: &Cast<'_>,
    scenario: &Scenario,
    room: impl Into<Room>,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> ArmReport {
    let sought = sought(scenario);
    let mut judges: Vec<Box<dyn Judge>> =
        sought.iter().map(|property| cast.judge(*property)).collect();
    judges.push(Box::new(Aborts));
    judges.push(Box::new(Contention::default()));
    let room = room.into();
    let Room { states, memory } = room;
    let bounds = Bounds::new(states, memory, cast.limits());
    let search = Search {
        setup: cast.setup(Arm::Exhaustive),
        seed: SEED,
        prefix: Vec::new(),
        monitor: Box::new(Jury::new(judges)),
        look_at_ends: None,
        sought: sought.len(),
        reductions: Reductions { memory: cast.memory(), ..Reductions::TIMED },
        alike: cast.alike(),
        bounds,
    };
    let explored = search.run(&mut |stage| report(stage.into()));
    let granted = scenario.adversary.budgets().into_iter().filter(|(_, budget)| *budget > 0);
    let spent = |kind| explored.spent.iter().find(|(name, _)| *name == kind);
    let times = |kind| spent(kind).map_or(0, |(_, times)| *times);
    let faults: Vec<_> =
        granted.map(|(kind, budget)| (kind.to_owned(), times(kind), budget)).collect();
    let reasons = reasons(&explored, sought.len(), &faults, room);
    let found = scenario.properties.iter().map(|property| {
        let judge = sought.iter().position(|it| it == property)?;
        let fall = explored.falls[judge].as_ref()?;
        let (fall, minimal) = shortest(cast, *property, fall, room, report);
        Some(Found { times: 1, message: fall.message, seed: SEED, path: fall.path, minimal })
    });
    ArmReport {
        found: found.collect(),
        reasons,
        evidence: Evidence {
            arm: Arm::Exhaustive,
            runs: 0,
            schedules: 0,
            states: Some(States {
                seen: explored.states,
                depth: explored.depth,
                all: explored.is_complete(),
                bound: states,
            }),
            steps: explored.edges,
            faults,
        },
    }
}

fn sought(scenario: &Scenario) -> Vec<PropertyName> {
    let properties = scenario.properties.iter().copied();
    properties.filter(|property| *property != PropertyName::Progress).collect()
}

/// A shorter run than `found` in which the property falls, if there is one; and whether
/// none of fewer choices exists than what is given back. A search in which somebody goes
/// on before all others may find a longer one first: in this one nobody does.
fn shortest(
    cast: &Cast<'_>,
    property: PropertyName,
    found: &Fall,
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> (Fall, bool) {
    let mut limits = cast.limits();
    limits.steps = found.choices.saturating_sub(1);
    let search = Search {
        setup: cast.setup(Arm::Exhaustive),
        seed: SEED,
        prefix: Vec::new(),
        monitor: Box::new(Jury::new(vec![cast.judge(property)])),
        look_at_ends: None,
        sought: 1,
        reductions: Reductions { memory: cast.memory(), ..Reductions::NONE },
        alike: cast.alike(),
        bounds: Bounds::new(room.states, room.memory, limits),
    };
    let mut explored = search.run(&mut |stage| report(stage.into()));
    match explored.falls.swap_remove(0) {
        Some(shorter) => (shorter, true),
        None => (found.clone(), matches!(explored.cut, None | Some(Cut::Steps))),
    }
}

/// Why a search shows less than it should.
fn reasons(
    explored: &Explored,
    witnesses_from: usize,
    faults: &[(String, u64, u32)],
    room: Room,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let [aborted, contended] = [0, 1].map(|witness| &explored.falls[witnesses_from + witness]);
    if let Some(aborted) = aborted {
        reasons.push(aborted.message.clone());
    }
    reasons.extend(explored.cut.map(|cut| told(cut, room)));
    if contended.is_none() && explored.is_complete() {
        reasons.push("nobody contends for the lock in any run".to_owned());
    }
    let idle = faults.iter().filter(|(_, times, _)| *times == 0 && explored.is_complete());
    reasons.extend(idle.map(|(kind, ..)| none_takes_effect(kind)));
    reasons
}

pub(super) fn none_takes_effect(kind: &str) -> String {
    format!("of the {kind} that the adversary may spend, none can take effect in any run")
}
