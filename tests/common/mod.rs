//! What several tests use.

#[allow(dead_code, reason = "not every test uses everything")]
pub mod cli;
#[allow(dead_code, reason = "not every test uses everything")]
pub mod on_host;
#[allow(dead_code, reason = "not every test uses everything")]
pub mod told;
#[allow(dead_code, reason = "not every test uses everything")]
pub mod trace;

use std::sync::Arc;

use locklab::cell::{Cell, Question, judge};
use locklab::policy_file;
use locklab::scenario::{Scenario, builtin};
use locklab_models::Policy;

#[allow(dead_code, reason = "not every test uses everything")]
pub fn scenario(name: &str) -> Arc<Scenario> {
    let found = builtin().iter().find(|scenario| scenario.name == name);
    Arc::new(found.unwrap_or_else(|| panic!("no scenario {name}")).clone())
}

#[allow(dead_code, reason = "not every test uses everything")]
pub fn policy(name: &str) -> Arc<Policy> {
    let named = policy_file::named();
    named
        .iter()
        .find(|policy| policy.name == name)
        .unwrap_or_else(|| panic!("no policy {name}"))
        .clone()
}

/// Every shipped scenario under every named policy.
#[allow(dead_code, reason = "not every test uses everything")]
pub fn cells() -> Vec<(Arc<Scenario>, Arc<Policy>)> {
    let policies = policy_file::named();
    let scenarios = builtin().iter().map(|scenario| Arc::new(scenario.clone()));
    scenarios
        .flat_map(|scenario| policies.iter().map(move |policy| (scenario.clone(), policy.clone())))
        .collect()
}

/// Whether it is one of the policies with which the list begins: the essays'.
#[allow(dead_code, reason = "not every test uses everything")]
pub fn is_of_first_group(policy: &Policy) -> bool {
    policy.group == policy_file::named()[0].group
}

#[allow(dead_code, reason = "not every test uses everything")]
pub fn judged(scenario: &Arc<Scenario>, policy: &Arc<Policy>, runs: u64) -> Cell {
    judge(&Question { scenario: scenario.clone(), fleet: policy.into(), seed: 0, runs })
}
