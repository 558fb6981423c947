//! Who is ranked, and by what.

use std::sync::Arc;

use locklab::arm::Arm;
use locklab::cell::{Cell, Evidence, PropertyResult, Verdict};
use locklab::fleet::Fleet;
use locklab::metrics::{Metrics, Ranking, Safe};
use locklab::scenario::PropertyName::{self, MutualExclusion, Progress};
use locklab_models::Policy;

use crate::common::policy;

const CLEAN: Verdict = Verdict::NotFound { schedules: 9 };

fn fell() -> Verdict {
    let message = "it fell".to_owned();
    Verdict::Violated { word: "FELL".into(), message, arm: Arm::Sampled, times: 1 }
}

fn cell(scenario: &str, properties: &[(PropertyName, Verdict)]) -> Cell {
    let properties = properties.iter().map(|(name, verdict)| PropertyResult {
        name: *name,
        verdict: verdict.clone(),
        reasons: Vec::new(),
        expected: None,
        because: None,
        as_expected: true,
        counterexample: None,
        teeth: None,
    });
    let arm = Arm::Sampled;
    let evidence =
        Evidence { arm, runs: 9, schedules: 9, states: None, steps: 9, faults: Vec::new() };
    Cell {
        scenario: scenario.into(),
        policy: "any".into(),
        slot: "lock".into(),
        properties: properties.collect(),
        evidence: vec![evidence],
        unconfirmed: Vec::new(),
        contradictions: Vec::new(),
    }
}

fn clean(scenario: &str) -> Cell {
    cell(scenario, &[(MutualExclusion, CLEAN), (Progress, CLEAN)])
}

fn costs(uncontended: Option<u64>, takeover: Option<u64>, delay_ns: Option<u64>) -> Metrics {
    let mut metrics = Metrics::default();
    uncontended.into_iter().for_each(|calls| metrics.uncontended_calls.add(calls));
    takeover.into_iter().for_each(|calls| metrics.takeover_calls.add(calls));
    delay_ns.into_iter().for_each(|delay| metrics.succession_ns.add(delay));
    metrics
}

fn called(name: &str) -> Fleet {
    let policy = Policy { name: name.into(), ..Policy::clone(&policy("identity")) };
    Fleet::from(&Arc::new(policy))
}

fn rank(policies: Vec<(Fleet, Vec<Cell>, Metrics)>) -> Ranking {
    let all = policies.iter().map(|(fleet, cells, metrics)| {
        (fleet.clone(), cells.iter().map(|cell| (cell, metrics)).collect())
    });
    Ranking::new(&all.collect::<Vec<_>>())
}

fn order(ranking: &Ranking) -> Vec<&str> {
    ranking.safe.iter().map(|rank| rank.policy.as_str()).collect()
}

#[test]
fn the_cheapest_comes_first_by_one_cost_after_another() {
    let one = |name: &str, metrics| (called(name), vec![clean("only")], metrics);
    let ranking = rank(vec![
        one("e-unmeasured", costs(None, Some(1), Some(1))),
        one("d-dear", costs(Some(3), Some(1), Some(1))),
        one("c-late", costs(Some(2), Some(9), Some(7))),
        one("b-equal", costs(Some(2), Some(9), Some(5))),
        one("a-equal", costs(Some(2), Some(9), Some(5))),
        one("z-cheap", costs(Some(2), Some(8), Some(9))),
        one("y-no-takeover-seen", costs(Some(2), None, Some(0))),
    ]);
    let expected =
        ["z-cheap", "a-equal", "b-equal", "c-late", "y-no-takeover-seen", "d-dear", "e-unmeasured"];
    assert_eq!(order(&ranking), expected);
}

#[test]
fn where_the_kernel_lets_go_nothing_is_taken_over() {
    let flock = Fleet::from(&policy("flock"));
    let cells = || vec![clean("only")];
    let ranking = rank(vec![
        (called("other"), cells(), costs(Some(2), Some(1), Some(0))),
        (flock, cells(), costs(Some(2), None, Some(9))),
    ]);
    assert_eq!(order(&ranking), ["flock", "other"]);
    assert!(ranking.safe[0].is_kept_by_kernel);
}

#[test]
fn only_who_was_safe_in_every_cell_is_ranked() {
    let falls = |property| cell("second", &[(property, fell())]);
    let ranking = rank(vec![
        (called("falls"), vec![clean("first"), falls(MutualExclusion)], Metrics::default()),
        (called("stuck"), vec![clean("first"), falls(Progress)], Metrics::default()),
        (called("clean"), vec![clean("first"), clean("second")], Metrics::default()),
    ]);
    assert_eq!(order(&ranking), ["clean", "stuck"]);
    assert_eq!(ranking.safe[1].late, ["second"], "what does not come in time is told");
    let fallen: Vec<_> = ranking.fallen.iter().map(|it| (&*it.rank.policy, &it.fell[..])).collect();
    assert_eq!(fallen, [("falls", &["second".into()][..])]);
    assert!(ranking.felled_all.is_empty());
}

#[test]
fn of_whom_nothing_can_be_said_is_not_safe() {
    let unclear =
        |property| cell("first", &[(MutualExclusion, CLEAN), (property, Verdict::Inconclusive)]);
    let mut unseen = clean("first");
    unseen.evidence.clear();
    for cell in [unclear(MutualExclusion), unclear(Progress), unseen] {
        assert_eq!(Safe::of(&cell), Safe::Unclear);
        let ranking = rank(vec![(called("unclear"), vec![cell], Metrics::default())]);
        assert!(ranking.safe.is_empty());
        assert_eq!(ranking.fallen[0].unclear, ["first"]);
        assert!(ranking.fallen[0].fell.is_empty() && ranking.felled_all.is_empty());
    }
    let both = cell("first", &[(MutualExclusion, fell()), (Progress, Verdict::Inconclusive)]);
    assert_eq!(Safe::of(&both), Safe::No);
}

#[test]
fn those_that_fell_stand_in_the_order_of_their_falls() {
    let falls = |scenario: &str| cell(scenario, &[(MutualExclusion, fell())]);
    let ranking = rank(vec![
        (called("twice"), vec![falls("first"), falls("second")], costs(Some(1), None, None)),
        (called("dear"), vec![falls("first"), clean("second")], costs(Some(9), None, None)),
        (called("cheap"), vec![falls("first"), clean("second")], costs(Some(8), None, None)),
    ]);
    let names: Vec<&str> = ranking.fallen.iter().map(|it| it.rank.policy.as_str()).collect();
    assert_eq!(names, ["cheap", "dear", "twice"]);
    assert_eq!(ranking.felled_all, ["first"]);
    assert_eq!(ranking.scenarios, 2);
}
