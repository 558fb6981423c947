//! Every scenario says one thing of every policy that can be written.

use std::collections::BTreeSet;
use std::sync::Arc;

use locklab::cell::{Question, Verdict, judge};
use locklab::policy_file;
use locklab::scenario::builtin;
use locklab_models::Policy;
use rayon::prelude::*;

/// Every policy that a row of parts can make: changed by one part at a time,
/// from the named ones on, until nothing new is found.
fn policies() -> Vec<Policy> {
    let mut found: Vec<Policy> =
        policy_file::named().iter().map(|policy| Policy::clone(policy)).collect();
    let mut seen: BTreeSet<Vec<(&str, String)>> = found.iter().map(Policy::parts).collect();
    let mut next = 0;
    while next < found.len() {
        let fresh: Vec<Policy> = neighbours(&found[next])
            .into_iter()
            .filter(|policy| seen.insert(policy.parts()))
            .collect();
        found.extend(fresh);
        next += 1;
    }
    found
}

fn neighbours(policy: &Policy) -> Vec<Policy> {
    Policy::part_values()
        .iter()
        .flat_map(|(part, words)| words.iter().map(move |word| (part, word)))
        .filter_map(|(part, word)| policy.with_part(part, word)?.ok())
        .collect()
}

/// Of the policies, one in so many is judged: no part has as many words, so that
/// each of them comes beside each other one.
const STRIDE: usize = 23;

/// A search takes longer.
const STRIDE_SEARCHED: usize = 5 * STRIDE;

/// What is expected is so: in every story, and in a few random runs, or in every run
/// there is.
#[test]
fn every_scenario_is_right_about_one_policy_in_so_many() {
    let policies: Vec<Arc<Policy>> = policies().into_iter().map(Arc::new).collect();
    for scenario in builtin() {
        let scenario = Arc::new(scenario.clone());
        let stride = if scenario.search.is_some() { STRIDE_SEARCHED } else { STRIDE };
        policies.par_iter().step_by(stride).for_each(|policy| {
            let question =
                Question { scenario: scenario.clone(), fleet: policy.into(), seed: 0, runs: 40 };
            for property in judge(&question).properties {
                // In so few runs a fault may not have come to anything.
                let idle = matches!(property.verdict, Verdict::Inconclusive);
                let parts = policy.parts();
                assert!(property.as_expected || idle, "{} {property:?} {parts:?}", scenario.name);
            }
        });
    }
}

#[test]
fn every_scenario_says_one_thing_of_every_policy() {
    let policies = policies();
    // Publish, record, stale, unsigned, verify, guard, release, re-entry: far
    // fewer would mean that the walk was stuck.
    assert!(policies.len() > 5_000, "only {} policies", policies.len());
    for scenario in builtin() {
        for policy in &policies {
            if let Err(problems) = scenario.check_expectations(&Arc::new(policy.clone()).into()) {
                panic!("{problems}");
            }
        }
    }
}
