//! Proofs in cells: what a search shows beside the story and random runs.

mod common;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use common::{judged, policy, scenario};
use locklab::arm::Arm;
use locklab::cell::{Bite, Cell, Question, Teeth, Verdict, judge, with_teeth};
use locklab::fleet::Fleet;
use locklab::scenario::{Expected, Scenario, parse};
use locklab::show;
use locklab::variant::{base, changes, variant};

const NAME: &str = "two-contenders";

fn changed(name: &str, change: impl FnOnce(&mut Scenario)) -> Arc<Scenario> {
    let mut scenario = scenario(name);
    change(Arc::make_mut(&mut scenario));
    scenario
}

#[test]
fn a_search_that_ends_and_finds_nothing_is_a_proof() {
    let cell = judged(&scenario(NAME), &policy("flock"), 20);
    let search = cell.evidence.iter().find(|it| it.arm == Arm::Exhaustive).unwrap();
    let states = search.states.unwrap();
    assert!(states.all && states.seen > 100, "{states:?}");
    for property in &cell.properties {
        assert_eq!(property.verdict, Verdict::Holds { states: states.seen });
        assert!(property.as_expected && property.reasons.is_empty(), "{property:?}");
    }
    let kills = search.faults.iter().find(|(kind, ..)| kind == "kills").unwrap();
    assert!(kills.1 > 10 && kills.2 == 1, "{kills:?}");
}

#[test]
fn a_search_that_reaches_its_bound_says_nothing() {
    let small = changed(NAME, |scenario| scenario.search = Some(20.into()));
    let cell = judged(&small, &policy("flock"), 20);
    for property in &cell.properties {
        assert_eq!(property.verdict, Verdict::Inconclusive);
        assert_eq!(property.reasons, ["there are more than 20 states"]);
        assert!(!property.as_expected);
    }
}

#[test]
fn what_fell_in_a_story_fell_whatever_a_search_saw() {
    for states in [20, 100_000] {
        let searched = changed("stopped-holder", |scenario| scenario.search = Some(states.into()));
        let property = &judged(&searched, &policy("age"), 20).properties[0];
        assert!(
            matches!(property.verdict, Verdict::Violated { arm: Arm::Story, .. }),
            "{property:?}"
        );
        assert!(property.as_expected);
    }
}

#[test]
fn what_a_search_found_meets_an_expectation_and_needs_no_luck() {
    let cell = judged(&scenario(NAME), &policy("age"), 1);
    for property in &cell.properties {
        let is_found = matches!(property.verdict, Verdict::Violated { arm: Arm::Exhaustive, .. });
        assert!(is_found && property.as_expected, "{property:?}");
    }
    assert!(cell.counterexample().unwrap().minimal);
}

#[test]
fn a_search_goes_no_further_than_its_file_says() {
    let text = scenario("three-contenders").text.clone();
    let text = format!("{text}\n[search]\nstates = 50_000\nmemory = 1\n");
    let small = Arc::new(parse("scenarios/three-contenders.toml", &text).unwrap());
    let room = small.search.expect("it is searched");
    assert_eq!((room.states, room.memory), (50_000, 1 << 20));
    let cell = judged(&small, &policy("identity-guarded"), 20);
    for property in &cell.properties {
        assert_eq!(property.reasons, ["all states would take more memory than 1 MiB"]);
    }
}

#[test]
fn random_runs_add_nothing_to_a_proof() {
    let searched = scenario(NAME);
    let without = changed(NAME, |scenario| scenario.search = None);
    let flock = policy("flock");
    let tried = &judged(&without, &flock, 1).properties[0];
    assert!(tried.reasons.iter().any(|it| it.contains("too few")), "{tried:?}");
    let proved = &judged(&searched, &flock, 1).properties[0];
    assert!(matches!(proved.verdict, Verdict::Holds { .. }), "{proved:?}");
}

#[test]
fn a_story_that_was_not_told_is_no_proof() {
    let untold = changed("dead-holder", |scenario| {
        scenario.search = Some(1_000.into());
        scenario.faults[0].nth = 9;
    });
    let property = &judged(&untold, &policy("flock"), 20).properties[0];
    assert_eq!(property.verdict, Verdict::Inconclusive);
    assert!(property.reasons[0].contains("never fired"), "{property:?}");
}

#[test]
fn what_is_expected_to_hold_is_met_by_a_proof_only() {
    let demand = |states: Option<u64>| {
        changed("dead-holder", |scenario| {
            scenario.search = states.map(Into::into);
            for expectation in &mut scenario.expectations.told {
                expectation.verdict = Expected::Holds;
            }
        })
    };
    for (states, met) in [(None, false), (Some(20), false), (Some(1_000), true)] {
        assert_eq!(judged(&demand(states), &policy("flock"), 200).as_expected(), met, "{states:?}");
    }
    let proved = changed("dead-holder", |scenario| scenario.search = Some(1_000.into()));
    assert!(judged(&proved, &policy("flock"), 200).as_expected(), "what holds is safe");
}

/// The cell of few random runs, with teeth.
fn bared(scenario: &Arc<Scenario>, policy_name: &str) -> Cell {
    let fleet = Fleet::from(policy(policy_name));
    let question = Question { scenario: Arc::clone(scenario), fleet, seed: 0, runs: 20 };
    with_teeth(&question, judge(&question), &mut |_| ControlFlow::Continue(()))
}

#[test]
fn beside_a_proof_stands_a_change_that_falls_and_replays() {
    let scenario = scenario(NAME);
    let cell = bared(&scenario, "identity-guarded");
    let mut bites = 0;
    for property in &cell.properties {
        assert!(matches!(property.verdict, Verdict::Holds { .. }), "{property:?}");
        let Some(Teeth::Bite(bite)) = &property.teeth else { continue };
        bites += 1;
        let Bite { part, from, to, policy: name, counterexample, .. } = &**bite;
        let original = policy(base(name));
        let own = original.parts().into_iter().find(|(name, _)| name == part).unwrap().1;
        assert_eq!((from, original.name.as_str()), (&own, "identity-guarded"));
        let change = format!("{part}={}", to.replace('+', "."));
        let fleet = Fleet::from(Arc::new(variant(&original, &change).unwrap()));
        assert_eq!(fleet.name(), name);
        let shown = show::replay(&counterexample.schedule, &scenario, &fleet).unwrap();
        let fell = shown.results.iter().find(|(it, _)| *it == property.name).unwrap();
        assert!(fell.1.is_some(), "{property:?}");
    }
    assert!(bites > 0, "{cell:?}");
}

/// What the kernel keeps is let go of by its owner alone: of its parts none brings two inside.
#[test]
fn a_proof_that_nothing_could_break_says_so() {
    let cell = bared(&scenario(NAME), "flock");
    let all = changes(&policy("flock")).len() as u64;
    let mut blunt = 0;
    for property in &cell.properties {
        let Some(Teeth::Blunt { tried, unclear, .. }) = property.teeth else { continue };
        assert_eq!((tried, unclear), (all, 0), "{property:?}");
        blunt += 1;
    }
    assert!(blunt > 0, "{cell:?}");
}

#[test]
fn what_was_not_looked_at_is_not_called_weak() {
    // A kernel lock has few states; with a re-entry count it has more.
    let flock = judged(&scenario(NAME), &policy("flock"), 1);
    let Verdict::Holds { states } = *flock.verdict() else { panic!("{flock:?}") };
    let barely = changed(NAME, |scenario| scenario.search = Some(states.into()));
    let all = changes(&policy("flock")).len() as u64;
    let mut unlooked = 0;
    for property in bared(&barely, "flock").properties {
        let Some(Teeth::Blunt { tried, unclear, .. }) = property.teeth else { continue };
        assert_eq!(tried, all);
        unlooked += unclear;
    }
    assert!(unlooked > 0);
}

/// A file in which two want a lock, with these lines changed.
fn written(name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let shipped = scenario(NAME);
    let renamed = format!("name = \"{name}\"");
    let all = [(format!("name = \"{NAME}\"").as_str(), renamed.as_str())]
        .iter()
        .chain(changes)
        .fold(shipped.text.clone(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
    fs::write(&path, all).unwrap();
    path
}

fn compare(path: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
    command.args(["compare", "--runs", "20", "--scenario"]).arg(path).args(more);
    command.output().expect("the program runs")
}

#[test]
fn a_proof_that_is_demanded_and_not_given_exits_with_1() {
    let small = written("too-small", &[("[search]", "[search]\nstates = 20")]);
    let output = compare(&small, &["--policy", "flock"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("expected holds"), "{told}");
    assert!(told.contains("there are more than 20 states"), "{told}");
}

#[test]
fn a_proof_is_told_to_people_and_to_programs() {
    let path = written("told", &[]);
    let output = compare(&path, &["--policy", "identity-guarded", "--policy", "flock"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("safe (all "), "{told}");
    assert!(told.contains("no change of one part"), "{told}");
    let replay = told.lines().find_map(|line| line.trim().strip_prefix("locklab replay "));
    let replay = replay.expect("what falls replays").split(' ');
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
    let replayed = command.arg("replay").args(replay).output().expect("the program runs");
    assert_eq!(replayed.status.code(), Some(1), "{replayed:?}");

    let output = compare(&path, &["--policy", "identity-guarded", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let cell = &report["cells"][0];
    assert_eq!(cell["verdict"], "holds");
    let search = cell["evidence"].as_array().unwrap().last().unwrap();
    assert_eq!((&search["arm"], &search["complete"]), (&"exhaustive".into(), &true.into()));
    assert!(search["states"].as_u64() > Some(100) && search["bounds"]["states"].is_u64());
    let teeth = &cell["properties"][0]["teeth"];
    assert!(teeth["part"].is_string() && teeth["schedule"].is_string(), "{teeth}");
}

/// Two contenders, and time passes as often as it likes.
fn free() -> Arc<Scenario> {
    let text = scenario(NAME).text.replace("passes = 1", "passes = \"free\"");
    Arc::new(parse("free.toml", &text).unwrap_or_else(|it| panic!("{it}")))
}

#[test]
fn free_time_ends_in_random_runs_and_in_a_search() {
    let guarded = policy("identity-guarded");
    let cell = judged(&free(), &guarded, 300);
    assert!(matches!(cell.verdict(), Verdict::Holds { .. }), "{cell:?}");
    let tried = |mut scenario: Arc<Scenario>| {
        Arc::make_mut(&mut scenario).search = None;
        let cell = judged(&scenario, &guarded, 300);
        assert!(matches!(cell.verdict(), Verdict::NotFound { .. }), "{cell:?}");
        let sampled = cell.evidence.into_iter().find(|it| it.arm == Arm::Sampled).unwrap();
        assert_eq!(sampled.runs, 300);
        sampled.faults.into_iter().find(|(kind, ..)| kind == "passes").unwrap().1
    };
    let (once, often) = (tried(scenario(NAME)), tried(free()));
    assert!(often > once, "{often} passes, and {once} where there is one in a run");
}

#[test]
fn more_time_can_only_break_more() {
    for name in ["age", "mkdir-pid", "identity-guarded"] {
        let (once, often) =
            (judged(&scenario(NAME), &policy(name), 1), judged(&free(), &policy(name), 1));
        for (once, often) in once.properties.iter().zip(&often.properties) {
            let falls = |verdict: &Verdict| matches!(verdict, Verdict::Violated { .. });
            assert!(!falls(&once.verdict) || falls(&often.verdict), "{name} {once:?} {often:?}");
        }
    }
}
