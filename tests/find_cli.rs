//! `find` on the command line: what it refuses, and what programs read.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn bad_input_is_told_and_exits_with_2() {
    for arguments in [
        &["dead-holder", "--policy", "flock", "--states", "0"][..],
        &["dead-holder", "--policy", "flock", "--states", "many"],
        &["dead-holder", "--policy", "flock", "--memory", "0"],
        &["dead-holder", "--policy", "flock", "--memory", "18446744073709551615"],
        &["dead-holder", "--policy", "flock", "--runs", "0"],
        &["dead-holder", "--policy", "flock", "--runs", "9", "--strategy", "exhaustive"],
        &["dead-holder", "--policy", "flock", "--runs", "9"],
        &["dead-holder", "--policy", "flock", "--depth", "2", "--strategy", "random"],
        &["dead-holder", "--policy", "flock", "--states", "9", "--strategy", "pct"],
        &["dead-holder", "--policy", "flock", "--memory", "9", "--strategy", "random"],
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

/// What the program says to bad input.
fn complaint(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
    let output = command.args(arguments).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).expect("it is text")
}

#[test]
fn an_option_of_another_strategy_is_refused() {
    let told = complaint(&["find", "dead-holder", "--policy", "flock", "--runs", "9"]);
    assert!(told.contains("`--runs` says nothing to `--strategy exhaustive`"), "{told}");
    assert!(told.contains("it is for `--strategy random` and `--strategy pct`"), "{told}");
}

#[test]
fn bounds_of_numbers_are_told_in_help_and_by_mistakes() {
    let cell = ["dead-holder", "--policy", "flock"];
    let whole = "0 to 18,446,744,073,709,551,615";
    for (command, option, bounds) in [
        ("find", "--runs", "1 to 4,294,967,295"),
        ("find", "--states", "1 to 4,294,967,295"),
        ("find", "--memory", "1 to 1,099,511,627,776"),
        ("find", "--depth", "1 to 1,000"),
        ("find", "--seed", whole),
        ("run", "--seed", whole),
        ("compare", "--seed", whole),
        ("compare", "--runs", "1 to 4,294,967,295"),
    ] {
        let cell = if command == "compare" { &[][..] } else { &cell };
        let told = complaint(&[&[command][..], cell, &[option, "x"]].concat());
        assert!(told.contains(&format!("expected a whole number from {bounds}")), "{told}");
        let mut help = Command::new(env!("CARGO_BIN_EXE_locklab"));
        let help = help.args([command, "-h"]).output().expect("the program runs").stdout;
        let help = String::from_utf8(help).expect("it is text");
        let lines: Vec<&str> = help.split("\n      --").collect();
        let own = lines.iter().find(|it| it.starts_with(&option[2..])).expect("it is explained");
        let own = own.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(own.contains(bounds), "{command} {option}: {own}");
    }
}

#[test]
fn names_that_are_not_quite_right_are_mended() {
    let plus = complaint(&["find", "dead-holder", "--policy", "pid~record=pid+nonce"]);
    assert!(plus.contains("a `+` is written as a dot: `record=pid.nonce`"), "{plus}");
    let twice = complaint(&["find", "dead-holder", "--policy", "pid~stale=age~stale=dead"]);
    assert!(twice.contains("`stale` is changed twice"), "{twice}");
    for arguments in [&["find", "xyzzy", "--policy", "age"][..], &["explain", "xyzzy"]] {
        let unknown = complaint(arguments);
        assert!(unknown.lines().count() > 3, "{unknown}");
        assert!(unknown.lines().all(|line| line.len() <= 100), "{unknown}");
    }
}

#[test]
fn a_file_that_is_named_without_its_ending_is_recognised() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("half-signed.toml");
    fs::write(&path, "").expect("it can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    let output = command.args(["find", "half-signed", "--policy", "age"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("there is a file: name it `half-signed.toml`"), "{told}");
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
    assert!(report["evidence"]["states"].is_u64() && report["evidence"]["depth"].is_u64());
    let limits = &report["limits"];
    assert_eq!((&limits["states"], &limits["memory_mib"]), (&1_000_000.into(), &4096.into()));
    assert!(limits["horizon_s"].is_f64() && limits["steps"].is_u64() && limits["runs"].is_null());
    assert_eq!(report["properties"][0]["verdict"], "violated");
    assert_eq!(report["properties"][1]["verdict"], "holds");
    assert!(report["properties"][0]["schedule"].is_string());
    let least = &report["properties"][0]["least"];
    assert_eq!(least["faults"][0]["kind"], "kills");
    assert_eq!((&least["preemptions"], &least["proved"]), (&0.into(), &true.into()));
    assert!(report["properties"][1]["least"].is_null());
}

#[test]
fn for_programs_each_gap_has_a_line() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
    command.args(["find", "two-contenders", "--policy", "identity", "--format", "json"]);
    let output = command.output().expect("the program runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let gaps = &report["gaps"];
    assert_eq!((&gaps["places"], &gaps["unclear"]), (&16.into(), &0.into()));
    let [gap] = &gaps["open"].as_array().unwrap()[..] else { panic!("{gaps}") };
    assert_eq!((&gap["point"], &gap["call"]), (&"before-signing".into(), &"write".into()));
    assert_eq!(gap["property"], "live-holder");
    assert!(gap["schedule"].as_str().unwrap().contains("/one-stop.0/"), "{gap}");
}
