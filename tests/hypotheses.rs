//! Stories that suppose a cause for what nobody could reproduce: each brings it about under
//! every rule, and none does any more once the lock is held for the whole run.

mod common;

use std::sync::Arc;

use common::{policy, scenario};
use locklab::policy_file;
use locklab::scenario::PropertyName::{self, Progress, SpacedPosts};
use locklab::scenario::{Hypothesis, Scenario, builtin};
use locklab::show;
use locklab::variant::variant;
use locklab_models::word::mark::POSTED;
use locklab_models::{Policy, Program};
use locklab_sim::TracedEvent;

fn supposed() -> Vec<Arc<Scenario>> {
    let all = builtin().iter().filter(|scenario| scenario.hypothesis.is_some());
    all.map(|scenario| Arc::new(scenario.clone())).collect()
}

fn fell(scenario: &Arc<Scenario>, policy: &Arc<Policy>, property: PropertyName) -> Option<String> {
    let results = show::story(scenario, policy).results;
    let asked = results.into_iter().find(|(name, _)| *name == property);
    asked.unwrap_or_else(|| panic!("{} does not ask about {property}", scenario.name)).1
}

/// The same story, but each run takes its account's lock for as long as it lasts.
fn widened(scenario: &Scenario) -> Arc<Scenario> {
    let mut widened = scenario.clone();
    widened.properties.push(Progress);
    for process in &mut widened.processes {
        let Program::Poster(poster) = &mut process.changed else { panic!("posters only") };
        poster.whole_run = true;
    }
    Arc::new(widened)
}

/// Rules that count who holds them, kernel locks among them.
fn counting() -> Vec<Arc<Policy>> {
    let counted = |name: &str| variant(&policy(name), "reentry=count-process").unwrap();
    let names = ["mkdir-pid", "identity", "identity-guarded", "flock"];
    names.into_iter().map(|name| Arc::new(counted(name))).collect()
}

#[test]
fn there_are_three_and_one_is_refuted() {
    let names: Vec<_> = supposed().iter().map(|it| (it.name.clone(), it.hypothesis)).collect();
    let expected = [
        ("spacing-late-look", Hypothesis::Open),
        ("spacing-late-note", Hypothesis::Open),
        ("spacing-stale-read", Hypothesis::Refuted),
    ];
    assert_eq!(names, expected.map(|(name, hypothesis)| (name.into(), Some(hypothesis))));
}

#[test]
fn each_would_explain_what_was_seen_whatever_the_rule() {
    for scenario in supposed() {
        for policy in policy_file::named() {
            let fallen = fell(&scenario, &policy, SpacedPosts);
            assert!(fallen.is_some(), "{} under {}", scenario.name, policy.name);
        }
    }
}

/// And somebody posts, so that the posts are not apart for want of any.
#[test]
fn a_wider_guard_leaves_none_of_them() {
    for scenario in supposed() {
        let widened = widened(&scenario);
        for policy in counting() {
            for property in [SpacedPosts, Progress] {
                let fallen = fell(&widened, &policy, property);
                assert_eq!(fallen, None, "{} under {}", widened.name, policy.name);
            }
            let trace = show::story(&widened, &policy).trace;
            let events = trace.steps.iter().flat_map(|step| &step.events);
            let is_post = |it: &&TracedEvent| matches!(it, TracedEvent::Mark { name: POSTED, .. });
            let posts = events.filter(is_post).count();
            assert_eq!(posts, 1, "{} under {}", widened.name, policy.name);
        }
    }
}

#[test]
fn a_wider_guard_locks_out_whoever_does_not_count() {
    for scenario in supposed() {
        let widened = widened(&scenario);
        for name in ["mkdir-pid", "identity", "flock"] {
            let stuck = fell(&widened, &policy(name), Progress).expect("stuck");
            assert!(stuck.starts_with("self-deadlock: "), "{}: {stuck}", widened.name);
        }
    }
}

/// The scenario that holds all three says the same.
#[test]
fn the_shipped_story_has_all_of_them_at_once() {
    let all = scenario("spacing-widened");
    assert_eq!(all.processes.len(), supposed().len());
    assert_eq!(fell(&all, &policy("mkdir-pid-count"), SpacedPosts), None);
    assert!(fell(&all, &policy("mkdir-pid"), Progress).is_some());
}
