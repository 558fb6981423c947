//! The same inputs give the same bytes: in one process, across processes, on
//! every machine, in debug and in release.

mod common;

use std::process::Command;

use common::{cells, judged};
use locklab::show;
use locklab_sys::Fingerprint;

/// Everything that a few runs of a cell have to say.
fn bytes(scenario: &str, policy: &str) -> String {
    let (scenario, policy) = (common::scenario(scenario), common::policy(policy));
    let told = show::story(&scenario, &policy);
    let sampled = show::sampled(&scenario, &policy, 7);
    let trace = |shown: &show::Shown| serde_json::to_string(&shown.trace).unwrap();
    let cell = judged(&scenario, &policy, 5);
    let verdicts: Vec<String> = cell
        .properties
        .iter()
        .map(|it| format!("{} {} {:?}", it.name, it.verdict, it.reasons))
        .collect();
    let counterexample = cell.counterexample().map(|it| it.schedule.to_string());
    [trace(&told), trace(&sampled), sampled.line.to_string()]
        .into_iter()
        .chain(verdicts)
        .chain(counterexample)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_hundred_times_in_one_process() {
    let first = bytes("late-takeover", "identity-keeper");
    for _ in 1..100 {
        assert_eq!(bytes("late-takeover", "identity-keeper"), first);
    }
}

#[test]
fn across_processes() {
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
        command.args(["compare", "--format", "json", "--runs", "20", "--seed", "3"]);
        command.output().unwrap()
    };
    let first = run();
    assert!(first.stdout.len() > 10_000, "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(run().stdout, first.stdout);
}

/// A digest of all cells, stories and a random run of each, committed: what
/// changes it changes what old schedules mean.
#[test]
fn the_committed_digest() {
    let mut digest = Fingerprint::of("locklab");
    for (scenario, policy) in cells() {
        digest = digest.then(&bytes(&scenario.name, &policy.name));
    }
    insta::assert_snapshot!(digest.to_string());
}
