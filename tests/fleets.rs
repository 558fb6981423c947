//! Mixed fleets: contenders of one cell follow different policies, as in a
//! rolling upgrade.

mod common;

use common::cli::{locklab, stderr, stdout};
use common::{policy, scenario};
use locklab::cell::{Cell, Question, Verdict, judge};
use locklab::fleet::Fleet;
use locklab::scenario::PropertyName::{self, *};
use locklab::show;

fn fleet(names: &str) -> Fleet {
    Fleet::new(names.split('+').map(policy).collect())
}

fn fell(scenario_name: &str, names: &str, property: PropertyName) -> Option<String> {
    let shown = show::story(&scenario(scenario_name), fleet(names));
    assert_eq!(shown.reasons, Vec::<String>::new(), "{scenario_name} under {names}");
    shown.results.into_iter().find(|(name, _)| *name == property).expect("it asks").1
}

fn judged(scenario_name: &str, names: &str) -> Cell {
    let (scenario, fleet) = (scenario(scenario_name), fleet(names));
    judge(&Question { scenario, fleet, seed: 0, runs: 50 })
}

/// Nobody is robbed once all are upgraded; while one is not, it still robs.
#[test]
fn the_old_one_still_robs_the_new_one() {
    assert_eq!(fell("slow-guard", "identity", LiveHolder), None);
    let robbed = fell("slow-guard", "identity+age", LiveHolder).expect("robbed");
    assert!(robbed.starts_with("second removes the claim"), "{robbed}");
    assert!(robbed.contains("of first"), "{robbed}");
    assert!(fell("slow-guard", "identity+age", MutualExclusion).is_some());
}

/// And the new one robs the old one: what that writes is no record to it, and
/// so it is debris after thirty seconds.
#[test]
fn the_new_one_robs_the_old_one() {
    let robbed = fell("slow-guard", "age+identity", LiveHolder).expect("robbed");
    assert!(robbed.starts_with("second removes the claim"), "{robbed}");
    assert_eq!(fell("slow-guard", "age+identity-guarded", LiveHolder), None);
}

#[test]
fn first_named_is_first_started() {
    let shown = |names: &'static str| show::story(&scenario("slow-guard"), fleet(names)).trace;
    let signs = |names: &'static str, who: &str| {
        shown(names).steps.iter().any(|step| {
            let writes = matches!(step.call, Some(locklab_sys::Call::Write { .. }));
            writes && step.process.as_deref() == Some(who)
        })
    };
    assert!(signs("identity+age", "first") && !signs("identity+age", "second"));
    assert!(!signs("age+identity", "first") && signs("age+identity", "second"));
}

#[test]
fn the_table_says_so() {
    let output = locklab(&[
        "compare",
        "--scenario",
        "slow-guard",
        "--policy",
        "identity",
        "--policy",
        "age",
        "--policy",
        "identity+age",
        "--runs",
        "50",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let cells = report["cells"].as_array().unwrap();
    let verdicts: Vec<(&str, &str, &str)> = cells
        .iter()
        .map(|it| {
            let of = |key: &str| it[key].as_str().unwrap();
            (of("policy"), of("verdict"), of("expected"))
        })
        .collect();
    assert_eq!(verdicts[0], ("identity", "not-found", "safe"));
    assert_eq!(verdicts[1], ("age", "violated", "violated"));
    assert_eq!(verdicts[2], ("identity+age", "violated", "violated"));
}

#[test]
fn a_mixed_run_replays_to_the_same_output() {
    let run = locklab(&["run", "slow-guard", "--policy", "identity+age"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stdout(&run).contains("second follows age"), "{}", stdout(&run));
    let line = stdout(&run);
    let line = line.lines().rfind(|line| line.contains("locklab replay ")).unwrap();
    let replay = locklab(&["replay", line]);
    assert_eq!(stdout(&replay), stdout(&run), "{}", stderr(&replay));
    let other = line.replace("identity+age", "age+identity");
    assert_eq!(locklab(&["replay", &other]).status.code(), Some(5));
}

/// A fleet of which a scenario cannot show each policy shows nothing there.
#[test]
fn a_fleet_without_enough_contenders_says_nothing() {
    let cell = judged("widened-guard", "identity+age");
    assert_eq!(*cell.verdict(), Verdict::Inconclusive);
    assert!(cell.properties[0].reasons[0].contains("only one contender"), "{cell:?}");
    assert!(!cell.was_run());
    let compare = locklab(&["compare", "--scenario", "widened-guard", "--policy", "identity+age"]);
    assert_eq!(compare.status.code(), Some(3), "nothing ran");
    let run = locklab(&["run", "widened-guard", "--policy", "identity+age"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(run.stdout.is_empty());
}

#[test]
fn what_a_scenario_does_not_say_of_a_fleet_is_open() {
    let cell = judged("stopped-holder", "identity+age+identity");
    assert_eq!(cell.expected(), Some("open"));
    assert!(cell.as_expected());
}

/// Kernel locks and claims do not see each other: nothing is excluded, even
/// where no fault is. That is a matter of the rules, not of the scenario.
#[test]
fn rules_that_do_not_see_each_other_exclude_nothing() {
    let cell = judged("stopped-holder", "identity+flock");
    assert!(matches!(
        cell.properties[0].verdict,
        Verdict::Violated { arm: locklab::arm::Arm::Baseline, .. }
    ));
    assert_eq!((cell.expected(), cell.as_expected()), (Some("open"), true));
}

/// A claim of another kind counts as held, and is no reason to abort.
#[test]
fn a_directory_and_a_file_keep_each_other_out() {
    for pair in [
        "identity+mkdir-pid",
        "mkdir-pid+identity",
        "mkdir-pid+age",
        "age+mkdir-pid-count",
        "mkdir-pid+flock",
        "mkdir-pid+identity-guarded",
    ] {
        assert_eq!(fell("last-slot", pair, MutualExclusion), None, "{pair}");
    }
}

#[test]
fn wrong_fleets_are_told() {
    for (names, advice) in [
        ("identity+agee", "did you mean `age`"),
        ("identity+", "unknown policy"),
        ("+", "unknown policy"),
        ("identity*+age", "name each policy"),
    ] {
        let output = locklab(&["compare", "--policy", names]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{names}: {message}");
        assert!(message.contains(advice), "{names}: {message}");
    }
}
