//! The adversary alone: is there a schedule in which a property falls?

use std::ops::ControlFlow;

use crate::arm::Arm;
use crate::cast::Cast;
use crate::cell::{
    self, ArmReport, Counterexample, Endless, EndlessEvidence, Evidence, Least, Question, Room,
    Stage, States, Teeth, Verdict, Walk,
};
use crate::gaps::{Gaps, gaps};
use crate::property;
use crate::scenario::{PropertyName, Scenario};

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looker {
    /// So many random runs.
    Random {
        /// How many.
        runs: u64,
    },
    /// So many random runs by priorities.
    Pct {
        /// How many.
        runs: u64,
        /// For faults that so many orderings bring about.
        depth: u32,
    },
    /// Every run there is, unless there are more states than this.
    Exhaustive {
        /// How many.
        states: u64,
        /// Or they take more memory than this, in bytes.
        memory: u64,
    },
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// A finding for each property, in the scenario's order.
    pub findings: Vec<Finding>,
    /// What they rest on.
    pub evidence: Evidence,
    /// What is found of progress rests on, where a search was made for it alone.
    pub endless: Option<EndlessEvidence>,
    /// The gaps of the rule, where something falls that has gaps, and they were counted.
    pub gaps: Option<Gaps>,
    /// Why less can be said than was asked.
    pub reasons: Vec<String>,
}

/// What was found of a property.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The property.
    pub property: PropertyName,
    /// What can be said.
    pub verdict: Verdict,
    /// A schedule in which it falls.
    pub counterexample: Option<Counterexample>,
    /// What that takes, where every run was looked at for it.
    pub least: Option<Least>,
    /// What makes it fall here, where it holds and that was looked for.
    pub teeth: Option<Teeth>,
}

/// Looks for schedules. `report` is told how far it is, and may end it.
pub fn find(
    question: &Question,
    looker: Looker,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Discovery {
    let Question { scenario, fleet, .. } = question;
    let cast = Cast::new(scenario, fleet);
    let mut arm = match looker {
        Looker::Random { .. } => cell::sample(&cast, question, Walk::Random, report),
        Looker::Pct { depth, .. } => cell::sample(&cast, question, Walk::Pct { depth }, report),
        Looker::Exhaustive { states, memory } => {
            cell::search(&cast, scenario, Room { states, memory }, report)
        }
    };
    let mut least = match looker {
        Looker::Exhaustive { states, memory } => {
            spare(&cast, &mut arm, scenario, Room { states, memory }, report)
        }
        _ => vec![None; scenario.properties.len()],
    };
    let asks_progress = scenario.properties.contains(&PropertyName::Progress);
    let endless = match looker {
        Looker::Exhaustive { states, memory } if asks_progress => {
            Some(cell::judge_progress(&cast, Room { states, memory }, report))
        }
        _ => None,
    };
    let impatience = cast.impatience().filter(|_| asks_progress && endless.is_none());
    let findings = scenario.properties.iter().enumerate().map(|(index, property)| {
        let is_progress = *property == PropertyName::Progress;
        match endless.as_ref().filter(|_| is_progress) {
            Some(endless) => progress(endless, &cast),
            None => Finding {
                property: *property,
                verdict: verdict(*property, index, &arm, is_progress && impatience.is_some()),
                counterexample: counterexample(*property, index, &arm, &cast),
                least: least[index].take(),
                teeth: None,
            },
        }
    });
    let findings = findings.collect();
    let evidence = endless.as_ref().map(|endless| endless.evidence);
    let mut reasons = arm.reasons;
    for reason in endless.into_iter().flat_map(|endless| endless.reasons).chain(impatience) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Discovery { findings, evidence: arm.evidence, endless: evidence, gaps: None, reasons }
}

/// In place of each run that was found, one of those that take the least; and what they take.
fn spare(
    cast: &Cast<'_>,
    arm: &mut ArmReport,
    scenario: &Scenario,
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Vec<Option<Least>> {
    let found = arm.found.iter_mut().zip(&scenario.properties).map(|(found, property)| {
        let found = found.as_mut()?;
        let (best, least) = cell::least(cast, *property, found, room, report);
        *found = best;
        Some(least)
    });
    found.collect()
}

/// What a search for it alone has found of progress.
fn progress(endless: &Endless, cast: &Cast<'_>) -> Finding {
    let property = PropertyName::Progress;
    let never = endless.never.as_ref();
    let verdict = match (never, endless.proved()) {
        (Some(never), _) => Verdict::Violated {
            word: property::word(property, &never.message).into(),
            message: never.message.clone(),
            arm: Arm::Exhaustive,
            times: 1,
        },
        (None, Some(states)) => Verdict::Holds { states },
        (None, None) => Verdict::Inconclusive,
    };
    let path = never.and_then(|never| never.path.as_ref());
    let counterexample = path.map(|path| Counterexample {
        property,
        schedule: cast.line(Arm::Exhaustive, cell::SEED, path),
        steps: path.len() as u64,
        minimal: false,
    });
    Finding { property, verdict, counterexample, least: None, teeth: None }
}

/// Looks for teeth beside each property that was proved to hold.
pub fn bare_teeth(
    question: &Question,
    discovery: &mut Discovery,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) {
    let Some(States { bound, .. }) = discovery.evidence.states else { return };
    let room = Room::from(bound);
    let findings = &mut discovery.findings;
    let holds = |finding: &Finding| matches!(finding.verdict, Verdict::Holds { .. });
    let proved: Vec<usize> = (0..findings.len()).filter(|index| holds(&findings[*index])).collect();
    for (index, teeth) in proved.iter().zip(cell::teeth(question, room, &proved, report)) {
        findings[*index].teeth = Some(teeth);
    }
}

/// Counts the gaps of the rule, if a search has found that something falls that a stop may
/// bring about. Of two rules together nothing is counted.
pub fn count_gaps(
    question: &Question,
    discovery: &mut Discovery,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) {
    let Some(States { bound, .. }) = discovery.evidence.states else { return };
    let falls =
        |it: &Finding| it.property.is_safety() && matches!(it.verdict, Verdict::Violated { .. });
    if question.fleet.only().is_some() && discovery.findings.iter().any(falls) {
        discovery.gaps = Some(gaps(question, bound.into(), report));
    }
}

fn verdict(property: PropertyName, index: usize, arm: &ArmReport, in_doubt: bool) -> Verdict {
    match (&arm.found[index], arm.evidence.states) {
        (Some(found), _) => Verdict::Violated {
            word: property::word(property, &found.message).into(),
            message: found.message.clone(),
            arm: arm.evidence.arm,
            times: found.times,
        },
        _ if in_doubt || !arm.reasons.is_empty() => Verdict::Inconclusive,
        (None, Some(states)) if states.all => Verdict::Holds { states: states.seen },
        (None, Some(_)) => Verdict::Inconclusive,
        (None, None) => Verdict::NotFound { schedules: arm.evidence.schedules },
    }
}

fn counterexample(
    property: PropertyName,
    index: usize,
    arm: &ArmReport,
    cast: &Cast<'_>,
) -> Option<Counterexample> {
    let found = arm.found[index].as_ref()?;
    Some(Counterexample {
        property,
        schedule: cast.line(arm.evidence.arm, found.seed, &found.path),
        steps: found.path.len() as u64,
        minimal: found.minimal,
    })
}

impl Discovery {
    /// The first property that falls, and how.
    pub fn first_fall(&self) -> Option<&Counterexample> {
        self.findings.iter().find_map(|finding| finding.counterexample.as_ref())
    }
}
