//! What a run prints replays it: fail, parse the printed schedule, replay,
//! and get the same output.

mod common;

use std::process::{Command, Output};

use locklab::line::ScheduleLine;

fn locklab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_locklab")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The schedule in the last line that says `locklab replay`.
fn printed_schedule(output: &str) -> String {
    let line =
        output.lines().rfind(|line| line.contains("locklab replay ")).expect("a replay line");
    let schedule = line.split("locklab replay ").nth(1).unwrap();
    schedule.split_whitespace().next().unwrap().trim_matches('\'').to_owned()
}

#[test]
fn a_story_that_fails_replays_to_the_same_output() {
    let run = locklab(&["run", "compare-window", "--policy", "identity-keeper"]);
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stderr));
    let replay = locklab(&["replay", &printed_schedule(&stdout(&run))]);
    assert_eq!(replay.status.code(), Some(1), "{}", String::from_utf8_lossy(&replay.stderr));
    assert_eq!(stdout(&replay), stdout(&run));
}

#[test]
fn random_runs_replay_to_the_same_output() {
    for seed in 0..40 {
        let scenario = ["stopped-holder", "late-takeover", "dead-holder", "pid-reused"][seed % 4];
        let policy = ["age", "pid-blind", "identity", "flock", "mkdir-pid"][seed % 5];
        let run = locklab(&["run", scenario, "--policy", policy, "--seed", &seed.to_string()]);
        let replay = locklab(&["replay", &printed_schedule(&stdout(&run))]);
        assert_eq!(stdout(&replay), stdout(&run), "{}", String::from_utf8_lossy(&replay.stderr));
        assert_eq!(replay.status.code(), run.status.code());
    }
}

#[test]
fn every_counterexample_of_a_comparison_replays() {
    let output = locklab(&["compare", "--format", "json", "--runs", "50"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut replayed = 0;
    for cell in report["cells"].as_array().unwrap() {
        let Some(schedule) = cell["counterexample"]["schedule"].as_str() else { continue };
        let replay = locklab(&["replay", schedule]);
        assert_eq!(
            replay.status.code(),
            Some(1),
            "{schedule}\n{}",
            String::from_utf8_lossy(&replay.stderr)
        );
        let property = cell["counterexample"]["property"].as_str().unwrap();
        assert!(stdout(&replay).contains(&format!("✗ {property}")), "{}", stdout(&replay));
        replayed += 1;
    }
    assert!(replayed > 20, "only {replayed} counterexamples");
}

fn schedule() -> ScheduleLine {
    let run = locklab(&["run", "late-takeover", "--policy", "pid-blind"]);
    printed_schedule(&stdout(&run)).parse().unwrap()
}

#[track_caller]
fn is_stale(line: &ScheduleLine) {
    let replay = locklab(&["replay", &line.to_string()]);
    let message = String::from_utf8_lossy(&replay.stderr).into_owned();
    assert_eq!(replay.status.code(), Some(5), "{message}");
    assert!(message.contains("stale"), "{message}");
    assert!(replay.stdout.is_empty());
}

#[test]
fn what_no_longer_fits_is_stale_and_never_passes() {
    let good = schedule();
    assert_eq!(locklab(&["replay", &good.to_string()]).status.code(), Some(1));
    is_stale(&ScheduleLine { version: "0.0.1".into(), ..good.clone() });
    is_stale(&ScheduleLine { hashes: ("00000000".into(), good.hashes.1.clone()), ..good.clone() });
    is_stale(&ScheduleLine { hashes: (good.hashes.0.clone(), "00000000".into()), ..good.clone() });
    is_stale(&ScheduleLine { policy: "identity".into(), ..good.clone() });
    is_stale(&ScheduleLine { scenario: "compare-window".into(), ..good.clone() });
    is_stale(&ScheduleLine { steps: good.steps + 1, ..good.clone() });
    is_stale(&ScheduleLine { steps: good.steps - 1, ..good.clone() });
    is_stale(&ScheduleLine { end: "00000000".into(), ..good.clone() });
    let other = good.schedule.to_string().replacen("first", "third", 1);
    is_stale(&ScheduleLine { schedule: other.parse().unwrap(), ..good.clone() });
}

#[test]
fn what_is_no_schedule_is_bad_input() {
    let good = schedule().to_string();
    for bad in ["", "x", "1/2/3", &good[1..].replace('/', "|"), &good.replace("story", "stroy")] {
        let replay = locklab(&["replay", bad]);
        assert_eq!(replay.status.code(), Some(2), "{bad}");
        assert!(!replay.stderr.is_empty() && replay.stdout.is_empty());
    }
    let unknown = good.replacen("late-takeover", "late-takover", 1);
    let replay = locklab(&["replay", &unknown]);
    assert_eq!(replay.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&replay.stderr).contains("late-takeover"));
}
