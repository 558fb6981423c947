//! Who interrupts a search or random runs is told what was seen by then.

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;

use common::{policy, scenario};
use locklab::cell::{Question, Room, Stage, Teeth, Verdict};
use locklab::find::{Discovery, Looker, bare_teeth, find};
use locklab::fleet::Fleet;

fn question(scenario_name: &str, rule: &str) -> Question {
    let fleet = Fleet::from(policy(rule));
    Question { scenario: Arc::clone(&scenario(scenario_name)), fleet, seed: 0, runs: 300 }
}

/// Whoever looks has had enough after so many runs.
fn until(runs: u64) -> impl FnMut(Stage) -> ControlFlow<()> {
    move |stage| match stage {
        Stage::Runs(made) if made >= runs => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    }
}

fn random(rule: &str, runs: u64) -> Discovery {
    let looker = Looker::Random { runs: 300 };
    find(&question("dead-holder", rule), looker, &mut until(runs))
}

#[test]
fn random_runs_tell_what_they_have_seen() {
    let discovery = random("flock", 50);
    assert_eq!(discovery.evidence.runs, 50);
    assert_eq!(discovery.reasons, ["interrupted after 50 runs of 300"]);
    assert!(discovery.findings.iter().all(|it| it.verdict == Verdict::Inconclusive));
    assert_eq!(random("flock", 301).reasons, [""; 0]);
}

#[test]
fn teeth_that_were_not_looked_for_are_no_sign_of_a_weak_scenario() {
    let question = question("dead-holder", "identity-guarded");
    let looker = Looker::Exhaustive { states: 100_000, memory: Room::MEMORY };
    let mut discovery = find(&question, looker, &mut |_| ControlFlow::Continue(()));
    bare_teeth(&question, &mut discovery, &mut |_| ControlFlow::Break(()));
    let teeth: Vec<&Teeth> = discovery.findings.iter().filter_map(|it| it.teeth.as_ref()).collect();
    assert!(!teeth.is_empty());
    let is_told = |it: &&Teeth| matches!(it, Teeth::Blunt { interrupted: true, .. });
    assert!(teeth.iter().any(is_told), "{teeth:?}");
}

#[cfg(target_os = "linux")]
mod signals {
    use std::fs;
    use std::process::{Child, Command, Output, Stdio};

    /// What the program says whom the signal reaches as soon as it listens for it.
    fn interrupted(arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        while !listens(&child) {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::yield_now();
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        child.wait_with_output().unwrap()
    }

    /// Whether it handles SIGINT, the second of the signals.
    fn listens(child: &Child) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask & 0b10 != 0)
    }

    /// More runs than anybody waits for.
    const MANY: &str = "4294967295";

    #[test]
    fn find_prints_what_was_covered() {
        for strategy in ["random", "pct"] {
            let output = interrupted(&[
                "find",
                "dead-holder",
                "--policy",
                "flock",
                "--runs",
                MANY,
                "--strategy",
                strategy,
            ]);
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(4), "{text}");
            assert!(text.contains("? inconclusive: interrupted after "), "{text}");
            assert!(text.contains(" of 4,294,967,295"), "{text}");
        }
    }

    #[test]
    fn compare_names_what_it_has_not_judged() {
        let output = interrupted(&["compare", "--scenario", "dead-holder", "--runs", MANY]);
        assert_eq!(output.status.code(), Some(4));
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.trim_end(), "interrupted; nothing is said of dead-holder");
        assert!(output.stdout.is_empty());
    }
}
