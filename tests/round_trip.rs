//! What a run prints replays it: fail, parse the printed schedule, replay,
//! and get the same output.

mod common;

use common::cli::{locklab, stderr, stdout};
use locklab::line::ScheduleLine;

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
    assert_eq!(run.status.code(), Some(1), "{}", stderr(&run));
    let replay = locklab(&["replay", &printed_schedule(&stdout(&run))]);
    assert_eq!(replay.status.code(), Some(1), "{}", stderr(&replay));
    assert_eq!(stdout(&replay), stdout(&run));
}

#[test]
fn random_runs_replay_to_the_same_output() {
    for seed in 0..40 {
        let scenario = ["stopped-holder", "late-takeover", "dead-holder", "pid-reused"][seed % 4];
        let policy = ["age", "pid-blind", "identity", "flock", "mkdir-pid"][seed % 5];
        let run = locklab(&["run", scenario, "--policy", policy, "--seed", &seed.to_string()]);
        let replay = locklab(&["replay", &printed_schedule(&stdout(&run))]);
        assert_eq!(stdout(&replay), stdout(&run), "{}", stderr(&replay));
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
        assert_eq!(replay.status.code(), Some(1), "{schedule}\n{}", stderr(&replay));
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
    let message = stderr(&replay);
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
    assert!(stderr(&replay).contains("late-takeover"));
}

/// A scenario of one's own that is cut off by the bound on steps.
const ENDLESS: &str = r#"
schema = 1
name = "endless"
title = "Somebody computes for ever"
lesson = "A run has an end, and says so."
vary = "lock"
properties = ["mutual-exclusion"]
patience = "3m"
[process.first]
program = "worker"
lock = "$policy"
[process.second]
program = "busy"
steps = 4000000000
[[expect]]
property = "mutual-exclusion"
verdict = "open"
because = "It is not what this is about."
"#;

#[test]
fn a_run_that_was_cut_off_replays_as_one() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless.toml");
    std::fs::write(&path, ENDLESS).unwrap();
    let file = path.to_str().unwrap();
    let run = locklab(&["run", file, "--policy", "identity"]);
    assert_eq!(run.status.code(), Some(4), "{}", stdout(&run));
    let printed = stdout(&run);
    let printed = printed.lines().last().unwrap();
    assert!(printed.contains(" --scenario "), "{printed}");
    // The whole line as it was printed; it may be in a file, too.
    let replay = locklab(&["replay", printed]);
    assert_eq!(stdout(&replay), stdout(&run), "{}", stderr(&replay));
    assert_eq!(replay.status.code(), Some(4));
    let more = locklab(&["replay", &format!("{printed} --format json")]);
    assert_eq!(more.status.code(), Some(2), "what is not understood is not ignored");
}
