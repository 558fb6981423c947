//! What happens in the simulation happens on the real kernel, too.

mod common;

use std::fmt::Write;

use common::cli::{locklab, stderr, stdout};
use common::on_host::is_allowed;
use common::{cells, policy, scenario};
use locklab::cast::Cast;
use locklab::on_host::Plan;
use locklab::show;

/// The three that no rule short of a guard withstands.
#[test]
fn counter_examples_happen_on_the_real_kernel() {
    if !is_allowed("the counter-examples of age, identity and identity-keeper") {
        return;
    }
    for (scenario, policy, inside) in [
        ("stopped-holder", "age", "/run/lock at once, for real: holder, waiter"),
        ("late-takeover", "identity", "/run/keeper.lock at once, for real: third, second"),
        ("compare-window", "identity-keeper", "/run/keeper.lock at once, for real: third, second"),
    ] {
        let run = locklab(&["run", scenario, "--policy", policy]);
        let printed = stdout(&run);
        let replay = locklab(&["replay", printed.lines().last().unwrap(), "--on-host"]);
        let forced = stdout(&replay);
        assert_eq!(replay.status.code(), Some(1), "{scenario} under {policy}\n{forced}");
        assert!(forced.contains(&format!("✗ 2 are inside {inside}\n")), "{forced}");
        assert!(forced.contains("✓ Linux agreed at each of "), "{forced}");
        assert!(
            forced.lines().all(|line| line.chars().count() <= 100 || line.starts_with("Replay:"))
        );
    }
}

/// Every shipped story either is refused, with a reason, or Linux agrees to it.
#[test]
fn linux_agrees_to_every_story_that_can_be_forced() {
    let is_allowed = is_allowed("every story that can be forced");
    let (mut refused, mut forced) = (String::new(), 0);
    for (scenario, policy) in cells() {
        let name = format!("{} under {}", scenario.name, policy.name);
        let story = show::story(&scenario, &policy);
        if let Err(obstacles) = Plan::of(&Cast::new(&scenario, &policy), &story.line) {
            let reasons: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
            writeln!(refused, "{name}: {}", reasons.join("; ")).unwrap();
            continue;
        }
        forced += 1;
        if is_allowed {
            let run = ["run", &scenario.name, "--policy", &policy.name];
            let here = locklab(&run);
            let there = locklab(&[&run[..], &["--on-host"]].concat());
            assert_eq!(there.status.code(), here.status.code(), "{name}\n{}", stdout(&there));
            assert!(stdout(&there).contains("✓ Linux agreed at each of "), "{name}");
        }
    }
    writeln!(refused, "{forced} others can be forced").unwrap();
    insta::assert_snapshot!(refused);
}

/// Chance goes where no story does.
#[test]
fn linux_agrees_to_random_runs() {
    if !is_allowed("random runs") {
        return;
    }
    let scenarios = ["stopped-holder", "late-takeover", "compare-window", "dead-holder"];
    let policies = ["age", "pid", "mkdir-pid", "identity", "identity-keeper", "identity-guarded"];
    let mut agreed = 0;
    for seed in 0..48 {
        let scenario = scenarios[seed % scenarios.len()];
        let policy = policies[seed / 4 % policies.len()];
        let seed = seed.to_string();
        let run = locklab(&["run", scenario, "--policy", policy, "--seed", &seed, "--on-host"]);
        let name = format!("{scenario} under {policy}, seed {seed}");
        match run.status.code() {
            // A pid that must come back within a tick of the clock may not.
            Some(4) if stdout(&run).contains("within a tick") => {}
            Some(2) => assert!(stderr(&run).contains("cannot be forced"), "{name}"),
            _ => {
                assert!(
                    stdout(&run).contains("✓ Linux agreed at each of "),
                    "{name}\n{}",
                    stdout(&run)
                );
                agreed += 1;
            }
        }
    }
    assert!(agreed > 40, "only {agreed} of 48 runs were forced");
}

/// What is in a container ends with its pid 1, and the next begins it anew.
const CONTAINER: &str = r#"
schema = 1
name = "container"
title = "A container is begun again"
lesson = "Its first process is pid 1 each time."
vary = "lock"
properties = ["progress"]
patience = "5s"

[machine.box]

[process.first]
program = "worker"
lock = "$policy"
container = "web"

[process.second]
program = "worker"
lock = "$policy"
start = "1.5s"
container = "web"

[[fault]]
process = "first"
at = "entered"
do = "kill"

[[expect]]
property = "progress"
verdict = "open"
because = "That is not what is asked."
"#;

#[test]
fn linux_agrees_to_a_container_that_is_begun_again() {
    if !is_allowed("a container that is begun again") {
        return;
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("container.toml");
    std::fs::write(&path, CONTAINER).unwrap();
    let run = locklab(&["run", path.to_str().unwrap(), "--policy", "pid", "--on-host"]);
    assert!(stdout(&run).contains("✓ Linux agreed at each of "), "{}", stderr(&run));
}

#[test]
fn a_disk_that_has_an_end_is_refused() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("small.toml");
    let small = CONTAINER
        .replace("\"container\"\ntitle", "\"small\"\ntitle")
        .replace("[machine.box]", "[machine.box]\nroom = { blocks = 1, inodes = 1 }");
    std::fs::write(&path, small).unwrap();
    let run = locklab(&["run", path.to_str().unwrap(), "--policy", "pid", "--on-host"]);
    assert_eq!(run.status.code(), Some(2), "{}", stdout(&run));
    assert!(stderr(&run).contains("a disk has an end, or is full"), "{}", stderr(&run));
}

#[test]
fn what_cannot_be_forced_is_refused_by_name() {
    let run = locklab(&["run", "clock-set", "--policy", "age", "--on-host"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(run.stdout.is_empty());
    let message = stderr(&run);
    assert!(message.contains("a realtime clock is set"), "{message}");
    assert!(message.contains("a socket has a time-out"), "{message}");
}

/// A rule that knows a claim by its inode alone is deceived only where numbers come
/// back, and they do not in memory.
#[test]
fn a_story_that_rests_on_an_inode_number_given_again_is_refused() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("by-inode.toml");
    let rule = r#"
[policy.by-inode]
title = "The inode that was judged"
rule = "A dead owner's claim is removed if it is still the same inode."
publish = "create-then-write"
record = ["pid", "start", "boot"]
stale = "dead"
unsigned = "held"
verify = ["inode"]
release = "own-bytes"
"#;
    std::fs::write(&path, rule).unwrap();
    let file = path.to_str().unwrap();
    let run = locklab(&[
        "run",
        "late-takeover",
        "--policy",
        "by-inode",
        "--policy-file",
        file,
        "--on-host",
    ]);
    let message = stderr(&run);
    assert_eq!(run.status.code(), Some(2), "{message}");
    assert!(message.contains("an inode number that is given again"), "{message}");
}

#[test]
fn programs_can_read_what_linux_said() {
    if !is_allowed("the report for programs") {
        return;
    }
    let run = ["run", "stopped-holder", "--policy", "age", "--on-host", "--format", "json"];
    let report: serde_json::Value = serde_json::from_slice(&locklab(&run).stdout).unwrap();
    let on_host = &report["on_host"];
    let steps = report["trace"]["steps"].as_array().unwrap();
    assert_eq!(on_host["end"]["agreed"], steps.len());
    let lines = on_host["lines"].as_array().unwrap();
    assert_eq!(lines.len(), steps.len());
    for (line, step) in lines.iter().zip(steps) {
        assert_eq!(line["number"], step["number"]);
        assert_eq!(line["time_ns"], step["time_ns"]);
        assert_eq!(line["agrees"], true);
    }
    assert_eq!(on_host["crowds"][0]["inside"], serde_json::json!(["holder", "waiter"]));
    assert_eq!(on_host["deeds"]["stopped"], serde_json::json!(["holder"]));
    assert_eq!(on_host["deeds"]["set_back_ns"], 91_000_000_000_u64);
}

#[test]
fn a_plan_is_what_the_simulation_did() {
    let (scenario, policy) = (scenario("stopped-holder"), policy("age"));
    let story = show::story(&scenario, &policy);
    let plan = Plan::of(&Cast::new(&scenario, &policy), &story.line).unwrap();
    assert_eq!(plan.acts.len(), story.trace.steps.len());
    assert_eq!(plan.names, ["holder", "waiter"]);
    let passed: std::time::Duration = plan.acts.iter().map(|act| act.passed).sum();
    assert_eq!(passed, story.time);
}
