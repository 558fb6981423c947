//! The program as it is called: what it prints, and how it exits.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use locklab::policy_file;
use locklab::scenario::builtin;
use textwrap::core::display_width;

fn locklab(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program runs")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
    command.args(arguments);
    command
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program exits")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("the output is text")
}

/// A file that is gone when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, text).expect("the directory for tests can be written");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the path is text")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The schedule in the last line of a run.
fn schedule(lanes: &str) -> String {
    let line = lanes.lines().last().expect("a run has a last line");
    let rest = line.strip_prefix("Replay: locklab replay ").expect("it is the one that replays");
    rest.split(' ').next().expect("a line has a first word").to_owned()
}

#[test]
fn a_violation_is_drawn_and_exits_with_1() {
    let run = locklab(&["run", "stopped-holder", "--policy", "age"]);
    assert_eq!(code(&run), 1, "{}", stderr(&run));
    assert!(stdout(&run).contains("✗ mutual-exclusion: "));
    assert!(!stdout(&run).contains('\u{1b}'), "what is no terminal gets no colours");
    let run = locklab(&["run", "stopped-holder", "--policy", "flock"]);
    assert_eq!(code(&run), 0, "{}", stderr(&run));
}

#[test]
fn a_replay_prints_what_the_run_did() {
    for arguments in [
        &["run", "late-takeover", "--policy", "pid-blind"][..],
        &["run", "late-takeover", "--policy", "pid-blind", "--format", "json"],
        &["run", "stopped-holder", "--policy", "identity", "--seed", "7"],
    ] {
        let run = locklab(arguments);
        let lanes: Vec<&str> = arguments.iter().copied().filter(|it| *it != "json").collect();
        let lanes: Vec<&str> = lanes.iter().copied().filter(|it| *it != "--format").collect();
        let schedule = schedule(&stdout(&locklab(&lanes)));
        let mut again = vec!["replay", &schedule];
        if arguments.contains(&"json") {
            again.extend(["--format", "json"]);
        }
        let replay = locklab(&again);
        assert_eq!(stdout(&replay), stdout(&run));
        assert_eq!(code(&replay), code(&run));
    }
}

#[test]
fn files_of_ones_own_are_named_in_the_line_that_replays() {
    let scenario = builtin().iter().find(|it| it.name == "stopped-holder").expect("it is shipped");
    let text = scenario.text.replace("name = \"stopped-holder\"", "name = \"mine\"");
    let scenario = Scratch::new("mine.toml", &text);
    let policies = Scratch::new(
        "policies.toml",
        "[policy.hasty]\ntitle = \"Hasty\"\nrule = \"Five seconds is old.\"\n\
         publish = \"create-then-write\"\nrecord = []\nstale = { age = \"5s\" }\n\
         release = \"unlink\"\n",
    );
    let files = ["--policy-file", policies.path()];
    let run = locklab(&[&["run", scenario.path(), "--policy", "hasty"], &files[..]].concat());
    let text = stdout(&run);
    assert_eq!(code(&run), 1, "{}", stderr(&run));
    let tail = format!("--scenario {} --policy-file {}\n", scenario.path(), policies.path());
    assert!(text.ends_with(&tail), "{text}");

    let line = Scratch::new("schedule", &schedule(&text));
    let arguments = ["replay", line.path(), "--scenario", scenario.path()];
    let replay = locklab(&[&arguments, &files[..]].concat());
    assert_eq!(stdout(&replay), text);

    let replay = locklab(&["replay", line.path()]);
    assert_eq!(code(&replay), 2);
    assert!(stderr(&replay).contains("--scenario"), "{}", stderr(&replay));

    let compare = locklab(
        &[&["compare", "--runs", "50", "--scenario", "stopped-holder"], &files[..]].concat(),
    );
    let first = stdout(&compare).lines().next().expect("a table has a head").trim().to_owned();
    assert_eq!(first, "hasty", "only the file's policies are compared");
}

#[test]
fn a_schedule_of_another_form_of_the_scenario_is_stale() {
    let run = stdout(&locklab(&["run", "long-holder", "--policy", "age"]));
    let schedule = schedule(&run);
    let stale = schedule.replacen(env!("CARGO_PKG_VERSION"), "0.0.9", 1);
    let replay = locklab(&["replay", &stale]);
    assert_eq!(code(&replay), 5, "{}", stderr(&replay));
    assert!(stdout(&replay).is_empty());
    assert!(stderr(&replay).contains("0.0.9"), "{}", stderr(&replay));
}

#[test]
fn bad_input_exits_with_2_and_names_the_nearest() {
    for (arguments, says) in [
        (&["run", "stoped-holder", "--policy", "age"][..], "`stopped-holder`"),
        (&["run", "stopped-holder", "--policy", "identty"], "`identity`"),
        (&["compare", "--policy", "flok"], "`flock`"),
        (&["compare", "--scenario", "nowhere/at-all.toml"], "nowhere/at-all.toml"),
        (&["compare", "--policy-file", "nowhere.toml"], "nowhere.toml"),
        (&["explain", "progres"], "`progress`"),
        (&["replay", "gibberish"], "not a schedule"),
        (&["compare", "--runs", "many"], "--runs"),
        (&["frobnicate"], "frobnicate"),
        (&["list", "policy"], "policies"),
    ] {
        let output = locklab(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stdout(&output).is_empty(), "{arguments:?}");
        assert!(stderr(&output).contains(says), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_pattern_without_matches_is_not_passed_over() {
    let output = locklab(&["compare", "--policy", "nothing*"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("`nothing*`"));
    let arguments = [
        "compare",
        "--runs",
        "50",
        "--scenario",
        "pid-*",
        "--policy",
        "nothing*",
        "--policy",
        "pid",
    ];
    let output = locklab(&arguments);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stdout(&output).contains("pid-reused"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let mut child = command(&["run", "late-takeover", "--policy", "age", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut first = [0; 1];
    child.stdout.take().expect("it is piped").read_exact(&mut first).expect("it prints");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).is_empty(), "{}", stderr(&output));
}

#[test]
fn every_story_fits_the_page() {
    for scenario in builtin() {
        for policy in policy_file::named() {
            let run = locklab(&["run", &scenario.name, "--policy", &policy.name]);
            assert!(stderr(&run).is_empty(), "{}", stderr(&run));
            let text = stdout(&run);
            let lines = text.lines().filter(|line| !line.starts_with("Replay: "));
            for line in lines {
                assert!(display_width(line) <= 100, "{} {}: {line}", scenario.name, policy.name);
            }
        }
    }
}

#[test]
fn whatever_is_listed_is_explained() {
    for kind in ["scenarios", "policies", "programs", "properties", "points"] {
        let list = locklab(&["list", kind]);
        assert_eq!(code(&list), 0);
        for line in stdout(&list).lines() {
            let name = line.split(' ').next().expect("a line has a first word");
            let explained = locklab(&["explain", name]);
            assert_eq!(code(&explained), 0, "{name}");
            assert!(stdout(&explained).starts_with(name), "{name}");
        }
    }
}
