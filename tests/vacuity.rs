//! A cell is never green for nothing, and never red by mistake.

mod common;

use std::sync::Arc;

use common::{judged, policy, scenario};
use locklab::arm::Arm;
use locklab::cell::{Cell, Verdict};
use locklab::scenario::{Expected, PropertyName, Scenario, builtin};
use locklab_sim::{Action, Adversary};

fn changed(name: &str, change: impl FnOnce(&mut Scenario)) -> Arc<Scenario> {
    let mut scenario = scenario(name);
    change(Arc::make_mut(&mut scenario));
    scenario
}

#[track_caller]
fn inconclusive_since(cell: &Cell, reason: &str) {
    for property in &cell.properties {
        assert_eq!(property.verdict, Verdict::Inconclusive, "{property:?}");
        assert!(property.reasons.iter().any(|it| it.contains(reason)), "{property:?}");
        assert!(!property.as_expected);
    }
}

#[test]
fn a_changed_expectation_is_not_met() {
    for (policy_name, from, to) in
        [("age", Expected::Violated, Expected::Safe), ("flock", Expected::Safe, Expected::Violated)]
    {
        let right = scenario("stopped-holder");
        assert!(judged(&right, &policy(policy_name), 20).as_expected());
        let wrong = changed("stopped-holder", |scenario| {
            for expectation in &mut scenario.expectations.told {
                if expectation.verdict == from {
                    expectation.verdict = to;
                }
            }
        });
        assert!(!judged(&wrong, &policy(policy_name), 20).as_expected());
    }
}

#[test]
fn a_violation_that_only_a_lucky_seed_finds_does_not_meet_an_expectation() {
    // The adversary can do what the story does; here the story does nothing.
    let lucky = changed("stopped-holder", |scenario| scenario.faults.clear());
    let cell = judged(&lucky, &policy("age"), 300);
    let found = &cell.properties[0];
    assert!(matches!(found.verdict, Verdict::Violated { arm: Arm::Sampled, .. }), "{found:?}");
    assert!(!found.as_expected);
}

#[test]
fn a_fault_at_a_point_that_never_comes_says_nothing() {
    let never = changed("stopped-holder", |scenario| scenario.faults[0].nth = 9);
    inconclusive_since(&judged(&never, &policy("flock"), 20), "never fired");
}

#[test]
fn a_scenario_in_which_nobody_contends_says_nothing() {
    let alone = changed("stopped-holder", |scenario| {
        scenario.processes.truncate(1);
        scenario.reached.clear();
    });
    inconclusive_since(&judged(&alone, &policy("flock"), 20), "nobody contended");
}

#[test]
fn a_place_that_nobody_reaches_says_nothing() {
    let unreached = changed("stopped-holder", |scenario| scenario.reached[0].nth = 9);
    inconclusive_since(&judged(&unreached, &policy("flock"), 20), "never came to");
}

#[test]
fn a_story_in_which_everybody_crashes_says_nothing() {
    let crash = changed("dead-holder", |scenario| {
        let mut second = scenario.faults[0].clone();
        second.process = 1;
        scenario.faults.push(second);
        assert_eq!(scenario.faults[0].action, Action::Kill);
    });
    inconclusive_since(&judged(&crash, &policy("flock"), 20), "everybody crashed");
}

#[test]
fn a_run_that_is_cut_off_says_nothing() {
    let short = changed("stopped-holder", |scenario| {
        scenario.horizon = std::time::Duration::from_secs(3);
    });
    inconclusive_since(&judged(&short, &policy("flock"), 20), "cut off");
}

#[test]
fn what_falls_without_the_faults_is_as_nobody_expects() {
    let broken = changed("stopped-holder", |scenario| {
        let long = scenario.processes[1].changed.clone();
        scenario.processes[0].program = long;
    });
    let property = &judged(&broken, &policy("age"), 20).properties[0];
    assert!(
        matches!(property.verdict, Verdict::Violated { arm: Arm::Baseline, .. }),
        "{property:?}"
    );
    assert_eq!((property.expected, property.as_expected), (Some("violated"), false));
}

#[test]
fn what_is_left_open_is_neither_met_nor_missed() {
    let cell = judged(&scenario("dead-holder"), &policy("mkdir-pid-count"), 1000);
    let progress = cell.properties.iter().find(|it| it.name == PropertyName::Progress).unwrap();
    assert!(
        matches!(progress.verdict, Verdict::Violated { arm: Arm::Sampled, .. }),
        "{progress:?}"
    );
    assert_eq!((progress.expected, progress.as_expected), (Some("open"), true));
}

#[test]
fn equal_schedules_count_once() {
    // Without an adversary nobody ever has a choice here: all random runs are one.
    let silent = changed("pid-reused", |scenario| scenario.adversary = Adversary::default());
    let cell = judged(&silent, &policy("flock"), 50);
    assert!(matches!(cell.properties[0].verdict, Verdict::NotFound { schedules: 2 }), "{cell:?}");
    assert_eq!((cell.evidence[1].runs, cell.evidence[1].schedules), (50, 1));
}

#[test]
fn a_violation_in_a_story_that_was_not_told_is_not_as_expected() {
    let untold = changed("stopped-holder", |scenario| scenario.reached[0].nth = 9);
    let property = &judged(&untold, &policy("age"), 20).properties[0];
    assert!(matches!(property.verdict, Verdict::Violated { arm: Arm::Story, .. }), "{property:?}");
    assert!(!property.as_expected && property.reasons[0].contains("never came to"));
}

#[test]
fn who_gives_up_too_soon_shows_nothing_of_progress() {
    let impatient = changed("pid-reused", |scenario| {
        scenario.patience = std::time::Duration::from_secs(20);
    });
    let cell = judged(&impatient, &policy("pid"), 20);
    let progress = cell.properties.iter().find(|it| it.name == PropertyName::Progress).unwrap();
    assert!(matches!(progress.verdict, Verdict::Inconclusive), "{progress:?}");
}

#[test]
fn every_scenario_has_an_adversary_that_acts() {
    let mut asked = 0;
    for scenario in builtin() {
        let cell = judged(&Arc::new(scenario.clone()), &policy("identity-guarded"), 200);
        let sampled = cell.evidence.iter().find(|it| it.arm == Arm::Sampled).unwrap();
        let moves: u64 = sampled.faults.iter().map(|(_, times, _)| times).sum();
        assert!(moves > 50, "{}: {moves} moves in 200 runs", scenario.name);
        assert!(sampled.schedules > 50, "{}: {} schedules", scenario.name, sampled.schedules);
        asked += 1;
    }
    assert!(asked >= 17);
}
