use std::ops::ControlFlow;

use locklab_sim::{Bounds, Cut, Explored, Found as Fall, Reductions, Search, Stage};

use super::arms::{ArmReport, Found};
use super::{Evidence, States};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::property::Jury;
use crate::scenario::Scenario;

/// Random bytes and boot ids are the same in every run.
const SEED: u64 = 0;

/// Looks at every run there is of at most so many states. `report` is told how far it
/// is, and may end it.
pub(crate) fn search(
    cast: &Cast<'_>,
    scenario: &Scenario,
    states: u64,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> ArmReport {
    let watchers = cast.watchers(Arm::Exhaustive);
    let bounds = Bounds { states, limits: cast.limits() };
    let search = Search {
        setup: cast.setup(Arm::Exhaustive),
        seed: SEED,
        prefix: Vec::new(),
        monitor: Box::new(watchers.jury),
        look_at_ends: None,
        sought: scenario.properties.len(),
        reductions: Reductions { memory: cast.memory(), ..Reductions::TIMED },
        alike: cast.alike(),
        bounds,
    };
    let explored = search.run(report);
    let granted = scenario.adversary.budgets().into_iter().filter(|(_, budget)| *budget > 0);
    let spent = |kind| explored.spent.iter().find(|(name, _)| *name == kind);
    let times = |kind| spent(kind).map_or(0, |(_, times)| *times);
    let faults: Vec<_> =
        granted.map(|(kind, budget)| (kind.to_owned(), times(kind), budget)).collect();
    let reasons = reasons(&explored, watchers.witnesses_from, &faults, bounds);
    let falls = explored.falls.iter().take(scenario.properties.len()).enumerate();
    let found = falls.map(|(property, fall)| {
        let (fall, minimal) = shortest(cast, scenario, property, fall.as_ref()?, states, report);
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

/// A shorter run than `found` in which the property falls, if there is one; and whether
/// none of fewer choices exists than what is given back. A search in which somebody goes
/// on before all others may find a longer one first: in this one nobody does.
fn shortest(
    cast: &Cast<'_>,
    scenario: &Scenario,
    property: usize,
    found: &Fall,
    states: u64,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> (Fall, bool) {
    let mut limits = cast.limits();
    limits.steps = found.choices.saturating_sub(1);
    let judge = cast.judge(scenario.properties[property]);
    let search = Search {
        setup: cast.setup(Arm::Exhaustive),
        seed: SEED,
        prefix: Vec::new(),
        monitor: Box::new(Jury::new(vec![judge])),
        look_at_ends: None,
        sought: 1,
        reductions: Reductions { memory: cast.memory(), ..Reductions::NONE },
        alike: cast.alike(),
        bounds: Bounds { states, limits },
    };
    let mut explored = search.run(report);
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
    bounds: Bounds,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let [aborted, contended] = [0, 1].map(|witness| &explored.falls[witnesses_from + witness]);
    if let Some(aborted) = aborted {
        reasons.push(aborted.message.clone());
    }
    match explored.cut {
        Some(Cut::States) => reasons.push(format!("there are more than {} states", bounds.states)),
        Some(Cut::Horizon) => reasons.push("some runs were cut off by the horizon".to_owned()),
        Some(Cut::Steps) => reasons.push("some runs were cut off by the bound on steps".to_owned()),
        Some(Cut::Interrupted) => reasons.push("the search was interrupted".to_owned()),
        None => {}
    }
    if contended.is_none() && explored.is_complete() {
        reasons.push("nobody contends for the lock in any run".to_owned());
    }
    let idle = faults.iter().filter(|(_, times, _)| *times == 0 && explored.is_complete());
    reasons.extend(idle.map(|(kind, ..)| {
        format!("of the {kind} that the adversary may spend, none can take effect in any run")
    }));
    reasons
}
