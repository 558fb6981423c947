//! What is measured in the stories that are shipped.

use std::ops::ControlFlow;

use locklab::cell::Question;
use locklab::metrics::{Metrics, measure};
use locklab::show;

use crate::common::{policy, scenario};
use crate::trace::seconds;

fn story(name: &str, rule: &str) -> Metrics {
    let shown = show::story(&scenario(name), policy(rule));
    Metrics::of(&shown.trace, &|_| true)
}

/// As the lanes in README.md show: in at 31 s, out at 50 s.
#[test]
fn two_are_inside_for_nineteen_seconds() {
    let metrics = story("stopped-holder", "age");
    assert_eq!(metrics.longest_double_occupancy_ns(), Some(seconds(19)));
    assert_eq!(metrics.wait_ns.most(), Some(seconds(30)));
    assert_eq!(story("stopped-holder", "identity").longest_double_occupancy_ns(), Some(0));
}

/// The holder dies at once, and the waiter looks from 1.5 s on, once a second: by age it must
/// see the claim older than 30 s.
#[test]
fn by_age_a_dead_holder_is_succeeded_late() {
    for (rule, delay_ms) in [("age", 30_500), ("pid", 1_500), ("flock", 1_500)] {
        let delay_ns = story("dead-holder", rule).succession_ns.median();
        assert_eq!(delay_ns, Some(delay_ms * 1_000_000), "{rule}");
    }
}

/// Each call is named.
#[test]
fn calls_are_those_that_the_rules_tell() {
    for (rule, uncontended, takeover) in [
        // open, close; open, stat, clock, unlink, open, close.
        ("age", 2, Some(6)),
        // open, write, close; open, open, read, close, kill, unlink, open, write, close.
        ("pid-blind", 3, Some(9)),
        // unlink, open, write and close a private file, link it, and unlink it again.
        ("identity-guarded", 6, Some(19)),
        // open, flock.
        ("flock", 2, None),
    ] {
        let metrics = story("dead-holder", rule);
        assert_eq!(metrics.uncontended_calls.median(), Some(uncontended), "{rule}");
        assert_eq!(metrics.takeover_calls.median(), takeover, "{rule}");
    }
}

fn measured(name: &str, rule: &str, runs: u64) -> Metrics {
    let (scenario, fleet) = (scenario(name), (&policy(rule)).into());
    let question = Question { scenario, fleet, seed: 0, runs };
    measure(&question, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn a_cell_is_measured_in_its_story_and_its_random_runs() {
    let metrics = measured("dead-holder", "age", 20);
    assert_eq!(metrics.runs, 21);
    assert_eq!(metrics, measured("dead-holder", "age", 20), "whenever it is asked");
    assert!(metrics.succession_ns.count() > 1, "the story alone has one death");
    let more = measured("dead-holder", "age", 30);
    assert!(more.wait_ns.count() > metrics.wait_ns.count());
}

/// The other contender goes by age, whatever is asked: its waits are not those of the rule.
#[test]
fn whose_slot_is_filled_is_not_measured() {
    let scenario = scenario("rolling-upgrade");
    let fixed = scenario.processes.iter().filter(|process| !process.is_contender());
    assert!(fixed.count() > 0, "there is one that nothing varies");
    let all = show::story(&scenario, policy("identity"));
    let everybody = Metrics::of(&all.trace, &|_| true);
    let question = Question { scenario, fleet: (&policy("identity")).into(), seed: 0, runs: 1 };
    let counted = measure(&question, &mut |_| ControlFlow::Break(()));
    assert_eq!(counted.runs, 1, "the story is measured, whoever is impatient");
    let waits = |metrics: &Metrics| metrics.wait_ns.count() + metrics.unended_waits;
    assert!(waits(&counted) < waits(&everybody));
}
