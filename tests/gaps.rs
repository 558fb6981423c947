//! The places at which one stop suffices.

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;

use common::{policy, scenario};
use locklab::cell::{Question, Room};
use locklab::fleet::Fleet;
use locklab::gaps::{Count, Gaps, Trend, gaps};
use locklab::show;
use locklab::variant::variant;
use locklab_models::Policy;

fn question(scenario: &str, policy: &Arc<Policy>) -> Question {
    Question { scenario: common::scenario(scenario), fleet: policy.into(), seed: 0, runs: 1 }
}

fn count_within(scenario: &str, policy: &Arc<Policy>, states: u64) -> Gaps {
    gaps(&question(scenario, policy), Room::from(states), &mut |_| ControlFlow::Continue(()))
}

fn count(scenario: &str, policy: &Arc<Policy>) -> Gaps {
    count_within(scenario, policy, u64::MAX)
}

fn places(gaps: &Gaps) -> Vec<String> {
    gaps.open.iter().map(|gap| gap.place.to_string()).collect()
}

/// A policy by its name, `identity~publish=link`, with a change more, or instead of one of the
/// same part.
fn changed(name: &str, change: &str) -> Arc<Policy> {
    let (base, changes) = name.split_once('~').unwrap_or((name, ""));
    let (part, _) = change.split_once('=').unwrap();
    let others = changes.split('~').filter(|it| !it.is_empty() && !it.starts_with(part));
    let changes: Vec<&str> = others.chain([change]).collect();
    Arc::new(variant(&policy(base), &changes.join("~")).unwrap())
}

/// From the moment in which the dead claim is open until what stands there is removed, and
/// where the own claim stands without a record.
#[test]
fn a_takeover_by_name_has_a_gap_after_every_look() {
    let gaps = count("late-takeover", &policy("identity"));
    assert_eq!(
        places(&gaps),
        [
            "close (acquire)",
            "read (acquire)",
            "stat of pid (acquire)",
            "write (before-signing)",
            "unlink keeper.lock (before-takeover)",
        ]
    );
    assert_eq!((gaps.places, gaps.unclear), (17, 0));
}

#[test]
fn every_gap_has_a_line_that_replays() {
    let (scenario, policy) = (scenario("late-takeover"), policy("identity-keeper"));
    let gaps = count("late-takeover", &policy);
    assert!(!gaps.open.is_empty());
    for gap in gaps.open {
        let line = &gap.fall.counterexample.schedule;
        let shown = show::replay(line, &scenario, &Fleet::from(&policy)).unwrap();
        let fell = |(name, fell): &(_, Option<String>)| {
            *name == gap.fall.counterexample.property && fell.as_ref() == Some(&gap.fall.message)
        };
        assert!(shown.results.iter().any(fell), "{}: {line}", gap.place);
        assert_eq!(line.schedule.to_string().matches("stop:").count(), 1, "{line}");
    }
}

/// Whoever compares through a descriptor compares what it opened, and not what stands there
/// by then: as many calls lie between as there were before.
#[test]
fn comparing_bytes_and_inode_moves_the_gaps() {
    let [before, after] =
        ["identity", "identity-keeper"].map(|it| count("compare-window", &policy(it)));
    assert_eq!(
        places(&after),
        [
            "write (before-signing)",
            "unlink keeper.lock (before-takeover)",
            "close (judged)",
            "fstat (judged)",
            "read (judged)",
        ]
    );
    assert_eq!(before.open.len(), after.open.len());
}

/// With the claim signed from the first instant only the takeover has gaps.
#[test]
fn a_shorter_comparison_narrows_and_a_guard_closes() {
    let by_name = changed("identity-guarded", "guard=none");
    let before = count("compare-window", &by_name);
    assert_eq!(before.count(), Some(Count::Places { min: 4, max: 4 }));
    for (change, places, trend) in [
        ("verify=bytes", 3, Trend::Narrowed),
        ("verify=inode", 1, Trend::Narrowed),
        ("guard=flock", 0, Trend::Closed),
    ] {
        let after = count("compare-window", &changed(&by_name.name, change)).count().unwrap();
        assert_eq!(after, Count::Places { min: places, max: places }, "{change}");
        assert_eq!(before.count().unwrap().trend_to(after), Some(trend), "{change}");
    }
}

#[test]
fn a_claim_that_is_signed_late_has_one_gap_where_nobody_dies() {
    assert_eq!(places(&count("two-contenders", &policy("identity"))), ["write (before-signing)"]);
    let gaps = count("two-contenders", &policy("identity-guarded"));
    assert_eq!(gaps.count(), Some(Count::Places { min: 0, max: 0 }));
    assert!(gaps.places > 10, "{} places were tried", gaps.places);
}

#[test]
fn where_no_stop_is_needed_none_is_counted() {
    let gaps = count("late-takeover", &policy("age"));
    assert_eq!(gaps.count(), Some(Count::NoStopNeeded));
    assert!(gaps.open.is_empty());
    let line = &gaps.unstopped.unwrap().counterexample.schedule;
    assert!(!line.schedule.to_string().contains("stop:"), "{line}");
}

#[test]
fn what_was_not_searched_to_its_end_is_not_counted_as_closed() {
    let gaps = count_within("late-takeover", &policy("identity-guarded"), 2_000);
    let Some(Count::Places { min: 0, max }) = gaps.count() else { panic!("{:?}", gaps.count()) };
    assert!(max > 0);
    let gaps = count_within("late-takeover", &policy("identity-guarded"), 10);
    assert_eq!(gaps.count(), None, "not even the places are known");
    assert_eq!(gaps.reason.as_deref(), Some("there are more than 10 states"));
}

#[test]
fn the_number_of_cores_makes_no_difference() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let gaps = pool.install(|| count_within("late-takeover", &policy("identity"), 5_000));
        format!("{gaps:?}")
    };
    assert_eq!(on(1), on(3));
}
