//! Every scenario says one thing of every policy that can be written.

use std::collections::BTreeSet;

use locklab::policy_file;
use locklab::scenario::builtin;
use locklab_models::Policy;

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

#[test]
fn every_scenario_says_one_thing_of_every_policy() {
    let policies = policies();
    // Publish, record, stale, unsigned, verify, guard, release, re-entry: far
    // fewer would mean that the walk was stuck.
    assert!(policies.len() > 5_000, "only {} policies", policies.len());
    for scenario in builtin() {
        for policy in &policies {
            if let Err(problems) = scenario.check_expectations(policy) {
                panic!("{problems}");
            }
        }
    }
}
