//! What the adversary finds by itself.

mod common;

use std::ops::ControlFlow;
use std::process::Command;

use common::{policy, scenario};
use locklab::cell::{Question, Verdict};
use locklab::find::{Discovery, Looker, find};
use locklab::fleet::Fleet;
use locklab::scenario::PropertyName;
use locklab::show;

fn found(scenario_name: &str, policy_name: &str, looker: Looker) -> Discovery {
    let fleet = Fleet::from(policy(policy_name));
    let question = Question { scenario: scenario(scenario_name), fleet, seed: 0, runs: 300 };
    let discovery = find(&question, looker, &mut |_| ControlFlow::Continue(()));
    for finding in &discovery.findings {
        let Some(counterexample) = &finding.counterexample else { continue };
        let shown = show::replay(&counterexample.schedule, &question.scenario, &question.fleet);
        let shown = shown.unwrap_or_else(|stale| panic!("{stale}"));
        let fell = shown.results.iter().find(|(property, _)| *property == finding.property);
        assert!(fell.is_some_and(|(_, message)| message.is_some()), "{finding:?}");
    }
    discovery
}

fn exhaustive(states: u64) -> Looker {
    Looker::Exhaustive { states }
}

/// The properties that fall, and after how many steps and moves.
fn falls(discovery: &Discovery) -> Vec<(PropertyName, u64)> {
    let found = discovery.findings.iter();
    found.filter_map(|it| Some((it.property, it.counterexample.as_ref()?.steps))).collect()
}

#[test]
fn age_robs_a_living_holder_and_deletes_its_successors_claim() {
    let discovery = found("three-contenders", "age", exhaustive(100_000));
    assert_eq!(
        falls(&discovery),
        [
            (PropertyName::MutualExclusion, 12),
            (PropertyName::LiveHolder, 9),
            (PropertyName::OwnRelease, 14)
        ]
    );
    assert!(discovery.findings.iter().all(|it| it.counterexample.as_ref().unwrap().minimal));
}

#[test]
fn a_takeover_by_name_comes_late_without_a_story() {
    let discovery = found("late-takeover", "pid-blind", exhaustive(100_000));
    let fallen = falls(&discovery);
    assert!(fallen.iter().any(|(it, _)| *it == PropertyName::MutualExclusion), "{fallen:?}");
}

#[test]
fn a_kernel_lock_is_proved_to_be_handed_on() {
    let discovery = found("dead-holder", "flock", exhaustive(1_000));
    let states = discovery.evidence.states.expect("a search counts states");
    assert!(states.all && discovery.reasons.is_empty(), "{discovery:?}");
    for finding in &discovery.findings {
        assert_eq!(finding.verdict, Verdict::Holds { states: states.seen });
    }
}

#[test]
fn a_search_that_is_cut_off_has_proved_nothing() {
    let discovery = found("dead-holder", "flock", exhaustive(20));
    assert_eq!(discovery.reasons, ["there are more than 20 states"]);
    assert!(discovery.findings.iter().all(|it| it.verdict == Verdict::Inconclusive));
}

#[test]
fn random_runs_prove_nothing() {
    let discovery = found("dead-holder", "flock", Looker::Random { runs: 300 });
    for finding in &discovery.findings {
        assert!(matches!(finding.verdict, Verdict::NotFound { .. }), "{finding:?}");
    }
}

#[test]
fn priorities_find_what_few_orderings_bring_about() {
    let discovery = found("three-contenders", "identity", Looker::Pct { runs: 300, depth: 3 });
    let fallen = falls(&discovery);
    assert!(fallen.iter().any(|(it, _)| *it == PropertyName::MutualExclusion), "{fallen:?}");
}

#[test]
fn bad_input_is_told_and_exits_with_2() {
    for arguments in [
        &["dead-holder", "--policy", "flock", "--states", "0"][..],
        &["dead-holder", "--policy", "flock", "--states", "many"],
        &["dead-holder", "--policy", "flock", "--runs", "0"],
        &["dead-holder", "--policy", "flock", "--strategy", "luck"],
        &["dead-holder", "--policy", "flock", "--strategy", "pct", "--depth", "0"],
        &["dead-holder", "--policy", "flok"],
        &["ded-holder", "--policy", "flock"],
        &["dead-holder"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
        let output = command.arg("find").args(arguments).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn for_programs_it_is_json() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
    command.args(["find", "dead-holder", "--policy", "age", "--format", "json"]);
    let output = command.output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report["strategy"], "exhaustive");
    assert_eq!(report["evidence"]["complete"], true);
    assert_eq!(report["properties"][0]["verdict"], "violated");
    assert_eq!(report["properties"][1]["verdict"], "holds");
    assert!(report["properties"][0]["schedule"].is_string());
}
