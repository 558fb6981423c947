//! A policy with one part changed at a time: which part guards against what.

use std::sync::Arc;

use locklab_models::Policy;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::cell::{Cell, Counterexample, PropertyResult, Question, Verdict, judge};
use crate::scenario::{PropertyName, Scenario};
use crate::variant::{Change, changes};

/// What each change of one part makes of a policy.
#[derive(Clone, Debug)]
pub struct Ablation {
    /// The policy.
    pub policy: Arc<Policy>,
    /// How many scenarios it was seen in.
    pub scenarios: usize,
    /// Every change that makes sense, in the order of the parts.
    pub changed: Vec<Changed>,
}

/// What one change makes of the policy.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The change.
    pub change: Change,
    /// Where something falls that stood before.
    pub falls: Vec<Difference>,
    /// Where something stands that fell before.
    pub stands: Vec<Difference>,
    /// Scenarios in which something can no longer be judged, and why.
    pub unclear: Vec<(Arc<Scenario>, String)>,
}

/// A scenario in which it makes a difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// What falls now, or fell before: the property, and what a table says of it.
    pub properties: Vec<(PropertyName, String)>,
    /// A schedule by which one of them falls now.
    pub counterexample: Option<Counterexample>,
}

/// Judges the policy, and each change of one part, in every scenario. `done` hears of
/// each cell.
pub fn ablate(
    policy: &Arc<Policy>,
    scenarios: &[Arc<Scenario>],
    seed: u64,
    runs: u64,
    done: &(dyn Fn() + Sync),
) -> Ablation {
    let judged = |policy: &Arc<Policy>| -> Vec<Cell> {
        scenarios
            .par_iter()
            .map(|scenario| {
                let scenario = Arc::clone(scenario);
                let cell = judge(&Question { scenario, fleet: policy.into(), seed, runs });
                done();
                cell
            })
            .collect()
    };
    let before = judged(policy);
    let changed = changes(policy);
    let changed = changed.par_iter().map(|change| {
        let after = judged(&change.policy);
        let cells = || scenarios.iter().zip(before.iter().zip(&after));
        let falls = cells().filter_map(|(scenario, (before, after))| {
            difference(scenario, before, after, after.counterexample.as_ref())
        });
        let stands = cells()
            .filter_map(|(scenario, (before, after))| difference(scenario, after, before, None));
        let unclear = cells().filter_map(|(scenario, (before, after))| {
            Some((Arc::clone(scenario), unclear(before, after)?))
        });
        Changed {
            change: change.clone(),
            falls: falls.collect(),
            stands: stands.collect(),
            unclear: unclear.collect(),
        }
    });
    let changed = changed.collect();
    Ablation { policy: Arc::clone(policy), scenarios: scenarios.len(), changed }
}

/// What stands in one cell and falls in the other, if anything does.
fn difference(
    scenario: &Arc<Scenario>,
    stands: &Cell,
    falls: &Cell,
    counterexample: Option<&Counterexample>,
) -> Option<Difference> {
    let pairs = stands.properties.iter().zip(&falls.properties);
    let properties: Vec<(PropertyName, String)> = pairs
        .filter(|(stands, _)| has_stood(stands))
        .filter_map(|(_, falls)| Some((falls.name, word(falls)?)))
        .collect();
    let is_of = |it: &&Counterexample| properties.iter().any(|(name, _)| *name == it.property);
    let counterexample = counterexample.filter(is_of).cloned();
    let scenario = Arc::clone(scenario);
    (!properties.is_empty()).then_some(Difference { scenario, properties, counterexample })
}

/// Why something can no longer be judged, if so.
fn unclear(before: &Cell, after: &Cell) -> Option<String> {
    let is_unclear = |it: &PropertyResult| it.verdict == Verdict::Inconclusive;
    let mut pairs = before.properties.iter().zip(&after.properties);
    let (_, after) = pairs.find(|(before, after)| !is_unclear(before) && is_unclear(after))?;
    Some(format!("{}: {}", after.name, after.reasons.join("; ")))
}

fn has_stood(property: &PropertyResult) -> bool {
    matches!(property.verdict, Verdict::Holds { .. } | Verdict::NotFound { .. })
}

fn word(property: &PropertyResult) -> Option<String> {
    match &property.verdict {
        Verdict::Violated { word, .. } => Some(word.to_string()),
        _ => None,
    }
}
