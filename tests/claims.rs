//! What the project claims of the two essays' locks, cell by cell.

mod common;

use common::{cells, judged, policy, scenario};
use locklab::cell::Verdict;
use locklab::scenario::PropertyName::{self, *};
use locklab::show;
use rayon::prelude::*;

/// What fell of `property` in the story; `None` if it held.
fn fell(scenario_name: &str, policy_name: &str, property: PropertyName) -> Option<String> {
    let shown = show::story(&scenario(scenario_name), policy(policy_name));
    assert_eq!(shown.reasons, Vec::<String>::new(), "{scenario_name} under {policy_name}");
    let result = shown.results.into_iter().find(|(name, _)| *name == property);
    result.unwrap_or_else(|| panic!("{scenario_name} does not ask about {property}")).1
}

#[track_caller]
fn falls(scenario: &str, policy: &str, property: PropertyName) {
    assert!(
        fell(scenario, policy, property).is_some(),
        "{property} holds in {scenario} under {policy}"
    );
}

#[track_caller]
fn stands(scenario: &str, policy: &str, property: PropertyName) {
    assert_eq!(fell(scenario, policy, property), None, "{scenario} under {policy}");
}

#[test]
fn age_robs_a_living_holder_and_deletes_the_successors_claim() {
    falls("stopped-holder", "age", MutualExclusion);
    falls("stopped-holder", "age", LiveHolder);
    falls("successor-deleted", "age", OwnRelease);
}

#[test]
fn the_late_taker_deletes_a_living_keepers_claim() {
    falls("late-takeover", "pid-blind", LiveHolder);
    falls("late-takeover", "pid-blind", MutualExclusion);
}

#[test]
fn the_directory_lock_locks_its_owner_out_and_a_count_does_not() {
    falls("widened-guard", "mkdir-pid", Progress);
    stands("widened-guard", "mkdir-pid-count", Progress);
    for property in [MutualExclusion, Progress, OwnRelease] {
        stands("reentrant-release", "mkdir-pid-count", property);
    }
}

#[test]
fn a_reused_pid_keeps_everybody_out_unless_the_start_time_is_asked() {
    falls("pid-reused", "pid", Progress);
    stands("pid-reused", "identity", Progress);
}

/// The first essay's three regression tests, under both readings of its rule.
#[test]
fn the_rule_passes_its_own_regression_tests() {
    for reading in ["identity", "identity-keeper"] {
        stands("long-holder", reading, LiveHolder);
        stands("stopped-holder", reading, LiveHolder);
        stands("dead-holder", reading, PromptTakeover);
        stands("dead-holder", reading, Progress);
        stands("successor-deleted", reading, OwnRelease);
    }
}

/// Comparing once more narrows the window between the judgement and the
/// removal; only a guard closes it.
#[test]
fn the_rule_as_told_is_narrowed_and_not_closed() {
    falls("late-takeover", "identity", MutualExclusion);
    stands("late-takeover", "identity-keeper", MutualExclusion);
    falls("compare-window", "identity-keeper", MutualExclusion);
    stands("late-takeover", "identity-guarded", MutualExclusion);
    stands("compare-window", "identity-guarded", MutualExclusion);
}

/// The pitfalls of the locks that the kernel keeps, each with one that has it and one that has
/// not.
#[test]
fn a_record_lock_goes_with_any_descriptor_of_the_file() {
    falls("record-lock-closed", "fcntl", MutualExclusion);
    stands("record-lock-closed", "ofd", MutualExclusion);
    stands("record-lock-closed", "flock", MutualExclusion);
    falls("reentrant-release", "fcntl", MutualExclusion);
    stands("reentrant-release", "ofd", MutualExclusion);
}

#[test]
fn a_locked_file_is_deleted_with_care_or_not_at_all() {
    for property in [MutualExclusion, OwnRelease] {
        falls("split-inode", "flock-unlink", property);
        stands("split-inode", "flock-unlink-checked", property);
        stands("split-inode", "flock", property);
    }
}

/// And nothing is inconclusive, unless its scenario says why.
#[test]
fn every_cell_is_as_its_scenario_expects() {
    cells().par_iter().for_each(|(scenario, policy)| {
        for property in judged(scenario, policy, 60).properties {
            let inconclusive = matches!(property.verdict, Verdict::Inconclusive);
            let said = property.expected == Some("inconclusive") && property.because.is_some();
            let is_right = property.as_expected && (!inconclusive || said);
            assert!(is_right, "{} under {}: {property:?}", scenario.name, policy.name);
        }
    });
}
