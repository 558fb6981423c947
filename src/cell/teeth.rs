//! What shows that a proof could have failed: a change of one part of the policy with
//! which the property falls in the same scenario.

use std::cell::Cell as Flag;
use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_sys::SmolStr;

use super::arms::{ArmReport, Walk, run_once, sample};
use super::endless::prove;
use super::exhaustive::search;
use super::{Cell, Counterexample, Question, Room, Stage, Verdict};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::fleet::Fleet;
use crate::property;
use crate::variant::changes;

/// Random runs for each change: what they miss, a search finds.
const RUNS: u64 = 200;

/// States for each change at most, however large the proof was: violations are not deep.
const STATES_MAX: u64 = 100_000;

/// Whether a property that holds can fall at all in the scenario.
#[derive(Clone, Debug)]
pub enum Teeth {
    /// It does with one part of the policy changed.
    Bite(Box<Bite>),
    /// It does with no change of one part.
    Blunt {
        /// How many changes there are.
        tried: u64,
        /// In how many of these not all runs were looked at.
        unclear: u64,
        /// Whether somebody wanted no more before all were tried.
        interrupted: bool,
    },
}

/// A change of one part with which a property falls.
#[derive(Clone, Debug)]
pub struct Bite {
    /// The part.
    pub part: &'static str,
    /// Its word in the policy of which the property holds.
    pub from: String,
    /// Its word in the one under which it falls.
    pub to: &'static str,
    /// The name of the latter.
    pub policy: SmolStr,
    /// What a table says of the fall.
    pub word: String,
    /// How it falls.
    pub counterexample: Counterexample,
}

/// A change of one part of one of a fleet's policies.
struct Change {
    part: &'static str,
    from: String,
    to: &'static str,
    question: Question,
}

/// The cell with teeth beside each property that holds. `report` is told how far it is, and
/// may end it.
pub fn with_teeth(
    question: &Question,
    mut cell: Cell,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Cell {
    let Some(room) = question.scenario.search else { return cell };
    let mut proved: Vec<_> = cell
        .properties
        .iter_mut()
        .enumerate()
        .filter(|(_, property)| matches!(property.verdict, Verdict::Holds { .. }))
        .collect();
    let indices: Vec<usize> = proved.iter().map(|(index, _)| *index).collect();
    let found = teeth(question, room, &indices, report);
    for ((_, property), teeth) in proved.iter_mut().zip(found) {
        property.teeth = Some(teeth);
    }
    cell
}

/// The teeth of each of these properties, by their indices: the first change in the order
/// of the parts with which it falls in the story; if there is none such, in random runs;
/// or else in a search. `report` is told how far it is, and may end it.
pub(crate) fn teeth(
    question: &Question,
    room: Room,
    proved: &[usize],
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Vec<Teeth> {
    let scenario = &question.scenario;
    let changes = changes_of(question);
    let room = Room { states: room.states.min(STATES_MAX), ..room };
    let interrupted = Flag::new(false);
    let report: &mut dyn FnMut(Stage) -> ControlFlow<()> = &mut |stage| {
        let flow = report(stage);
        interrupted.set(interrupted.get() || flow.is_break());
        flow
    };
    let mut bites: Vec<Option<Bite>> = vec![None; proved.len()];
    let mut unclear = 0;
    for arm in [Arm::Story, Arm::Sampled, Arm::Exhaustive] {
        for change in &changes {
            if bites.iter().all(Option::is_some) || interrupted.get() {
                break;
            }
            let cast = Cast::new(scenario, &change.question.fleet);
            let (shown, endless) = match arm {
                Arm::Sampled => (sample(&cast, &change.question, Walk::Random, report), None),
                Arm::Exhaustive => prove(&cast, scenario, room, report),
                Arm::Baseline | Arm::Story | Arm::OneStop => {
                    (run_once(&cast, scenario, Arm::Story), None)
                }
            };
            let is_cut = shown.evidence.states.is_some_and(|states| !states.all);
            unclear += u64::from(is_cut || endless.is_some_and(|it| it.is_unclear()));
            let open = bites.iter_mut().zip(proved).filter(|(bite, _)| bite.is_none());
            let fallen: Vec<_> =
                open.filter(|(_, property)| shown.found[**property].is_some()).collect();
            // What chance has found can be found in fewer steps.
            let shorter = (arm == Arm::Sampled && !fallen.is_empty())
                .then(|| search(&cast, scenario, room, report));
            for (bite, property) in fallen {
                let shown = shorter.iter().chain([&shown]).find(|it| it.found[*property].is_some());
                *bite = shown.map(|shown| change.bite(*property, shown, &cast));
            }
        }
    }
    let tried = changes.len() as u64;
    let blunt = Teeth::Blunt { tried, unclear, interrupted: interrupted.get() };
    let teeth =
        |bite: Option<Bite>| bite.map_or_else(|| blunt.clone(), |it| Teeth::Bite(Box::new(it)));
    bites.into_iter().map(teeth).collect()
}

/// Every change of one part of one of the policies, in the order of these and of the parts.
fn changes_of(question: &Question) -> Vec<Change> {
    let members = question.fleet.members();
    let is_first = |nth: &usize| {
        let before = members[..*nth].iter();
        before.map(|it| it.fingerprint()).all(|it| it != members[*nth].fingerprint())
    };
    let changed = |nth: usize| {
        changes(&members[nth]).into_iter().map(move |change| {
            let all = members.iter().map(|member| {
                let is_it = member.fingerprint() == members[nth].fingerprint();
                Arc::clone(if is_it { &change.policy } else { member })
            });
            let fleet = Fleet::new(all.collect());
            let question = Question { fleet, runs: RUNS, ..question.clone() };
            Change { part: change.part, from: change.from, to: change.to, question }
        })
    };
    (0..members.len()).filter(is_first).flat_map(changed).collect()
}

impl Change {
    /// What it makes of a property that falls in an arm.
    fn bite(&self, index: usize, shown: &ArmReport, cast: &Cast<'_>) -> Bite {
        let found = shown.found[index].as_ref().expect("the property falls in the arm");
        let property = self.question.scenario.properties[index];
        Bite {
            part: self.part,
            from: self.from.clone(),
            to: self.to,
            policy: self.question.fleet.name().clone(),
            word: property::word(property, &found.message),
            counterexample: Counterexample {
                property,
                schedule: cast.line(shown.evidence.arm, found.seed, &found.path),
                steps: found.path.len() as u64,
                minimal: found.minimal,
            },
        }
    }
}
