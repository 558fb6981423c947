//! One part of a policy changed at a time, and policies named by what was changed.

mod common;

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{policy, scenario};
use locklab::ablate::{Ablation, Changed, Effort, Standing, Watch, ablate};
use locklab::fleet::Fleet;
use locklab::gaps::{Count, Trend};
use locklab::scenario::PropertyName;
use locklab::show;
use locklab::variant::{changes, variant};

fn effort(runs: u64) -> Effort {
    Effort { seed: 0, runs, states: 2_000 }
}

#[test]
fn the_guard_keeps_two_from_getting_in_by_the_window() {
    let scenarios = [scenario("compare-window")];
    let ablation = ablate(&policy("identity-guarded"), &scenarios, effort(200), Watch::NOBODY);
    let guard = ablation.changed.iter().find(|it| it.change.part == "guard").unwrap();
    assert_eq!((&*guard.change.from, guard.change.to), ("flock", "none"));
    let [difference] = &guard.falls[..] else { panic!("{:?}", guard.falls) };
    let fallen: Vec<PropertyName> = difference.properties.iter().map(|(it, _)| *it).collect();
    assert_eq!(fallen, [PropertyName::MutualExclusion, PropertyName::LiveHolder]);
    let counterexample = difference.counterexample.as_ref().expect("a schedule shows it");
    let fleet = Fleet::from(&guard.change.policy);
    let shown = show::replay(&counterexample.schedule, &scenarios[0], &fleet).unwrap();
    assert!(
        shown.results.iter().any(|(it, fell)| *it == counterexample.property && fell.is_some())
    );
}

#[test]
fn what_is_never_taken_over_makes_a_dead_holder_stay() {
    let scenarios = [scenario("dead-holder")];
    let ablation = ablate(&policy("identity"), &scenarios, effort(50), Watch::NOBODY);
    let never = ablation.changed.iter().find(|it| it.change.to == "never").unwrap();
    let words: Vec<&str> =
        never.falls.iter().flat_map(|it| &it.properties).map(|(_, word)| word.as_str()).collect();
    assert_eq!(words, ["SLOW", "STUCK"]);
}

fn changed<'a>(ablation: &'a Ablation, part: &str, to: &str) -> &'a Changed {
    let mut all = ablation.changed.iter();
    all.find(|it| (it.change.part, it.change.to) == (part, to)).expect("the change makes sense")
}

#[test]
fn what_a_search_finds_is_a_shortest_run_that_replays() {
    let scenarios = [scenario("two-contenders")];
    let ablation = ablate(&policy("mkdir-pid"), &scenarios, effort(20), Watch::NOBODY);
    let changed = changed(&ablation, "unsigned", "debris-at-once");
    let [difference] = &changed.falls[..] else { panic!("{:?}", changed.falls) };
    let counterexample = difference.counterexample.as_ref().unwrap();
    assert!(counterexample.minimal);
    let fleet = Fleet::from(&changed.change.policy);
    let shown = show::replay(&counterexample.schedule, &scenarios[0], &fleet).unwrap();
    let fell = |(it, fell): &(_, Option<_>)| *it == counterexample.property && fell.is_some();
    assert!(shown.results.iter().any(fell));
}

#[test]
fn what_stands_is_proved_or_was_not_seen_to_fall() {
    let scenarios = [scenario("two-contenders")];
    let looked_at = |states| {
        let effort = Effort { states, ..effort(20) };
        ablate(&policy("identity-guarded"), &scenarios, effort, Watch::NOBODY)
    };
    let all = looked_at(10_000);
    let release = changed(&all, "release", "unlink");
    assert!(!release.makes_a_difference());
    assert_eq!(release.standing, Standing { all: 1, proved: 1 });
    let age = changed(&all, "stale", "age");
    assert!(age.falls[0].is_proved, "that it stood before");
    assert!(age.falls[0].counterexample.is_some());
    // A search that is cut off leaves what the other arms show.
    let few = looked_at(100);
    let release = changed(&few, "release", "unlink");
    assert!(!release.makes_a_difference());
    assert_eq!(release.standing, Standing { all: 1, proved: 0 });
}

#[test]
fn a_window_is_closed_or_widened() {
    let scenarios = [scenario("two-contenders")];
    let ablation = ablate(&policy("identity"), &scenarios, effort(20), Watch::NOBODY);
    let of = |part, to| match &changed(&ablation, part, to).gaps[..] {
        [gaps] => Some((gaps.before, gaps.after, gaps.trend)),
        [] => None,
        more => panic!("{more:?}"),
    };
    let places = |number| Count::Places { min: number, max: number };
    assert_eq!(of("publish", "link"), Some((places(1), places(0), Trend::Closed)));
    let in_two_steps = Some((places(1), places(2), Trend::Widened));
    assert_eq!(of("publish", "mkdir-then-write"), in_two_steps);
    assert_eq!(of("release", "unlink"), None);
}

#[test]
fn whoever_has_had_enough_hears_of_what_was_looked_at() {
    let scenarios = [scenario("dead-holder")];
    let done = AtomicU64::new(0);
    let watch = Watch {
        done: &|| _ = done.fetch_add(1, Ordering::Relaxed),
        is_enough: &|| done.load(Ordering::Relaxed) >= 6,
        ..Watch::NOBODY
    };
    let ablation = ablate(&policy("identity"), &scenarios, effort(5), watch);
    let all = changes(&policy("identity")).len();
    assert_eq!(ablation.changed.len() + ablation.left.len(), all);
    assert!(ablation.changed.len() < 6, "{}", ablation.changed.len());
    let at_once = Watch { is_enough: &|| true, ..Watch::NOBODY };
    let ablation = ablate(&policy("identity"), &scenarios, effort(5), at_once);
    assert_eq!((ablation.changed.len(), ablation.left.len()), (0, all));
}

#[test]
fn every_change_has_a_name_that_finds_it() {
    for base in ["age", "identity", "identity-guarded", "mkdir-pid", "flock"] {
        let base = policy(base);
        for change in changes(&base) {
            let name = change.policy.name.strip_prefix(&*base.name).unwrap();
            let found = variant(&base, name.strip_prefix('~').unwrap()).unwrap();
            assert_eq!(found, *change.policy);
            assert_eq!(
                found.parts().iter().filter(|it| !base.parts().contains(it)).count().min(1),
                1
            );
        }
    }
}

#[test]
fn what_is_changed_again_is_named_once() {
    let open = variant(&policy("identity-guarded"), "guard=none~verify=bytes").unwrap();
    let changes = changes(&open);
    let closed = changes.iter().find(|it| (it.part, it.to) == ("guard", "flock")).unwrap();
    assert_eq!(closed.policy.name, "identity-guarded~verify=bytes~guard=flock");
    let (_, name) = closed.policy.name.split_once('~').unwrap();
    let found = variant(&policy("identity-guarded"), name).unwrap();
    assert_eq!(found.parts(), closed.policy.parts());
}

#[test]
fn changes_add_up() {
    let twice = variant(&policy("identity"), "guard=flock~verify=bytes.inode").unwrap();
    assert_eq!(twice.name, "identity~guard=flock~verify=bytes.inode");
    let parts = twice.parts();
    assert!(parts.contains(&("guard", "flock".to_owned())));
    assert!(parts.contains(&("verify", "bytes+inode".to_owned())));
}

#[test]
fn what_cannot_be_changed_is_told_and_exits_with_2() {
    for (name, said) in [
        ("identity~guard", "has the form PART=WORD"),
        ("identity~gard=flock", "did you mean `guard`?"),
        ("identity~guard=flokc", "did you mean `flock`?"),
        ("flock~guard=flock", "cannot be changed so"),
        ("idenity~guard=flock", "did you mean `identity`?"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_locklab"));
        let output = command.args(["run", "dead-holder", "--policy", name]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(said), "{name}: {told}");
    }
}
