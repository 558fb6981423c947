//! One part of a policy changed at a time, and policies named by what was changed.

mod common;

use std::process::Command;

use common::{policy, scenario};
use locklab::ablate::ablate;
use locklab::fleet::Fleet;
use locklab::scenario::PropertyName;
use locklab::show;
use locklab::variant::{changes, variant};

#[test]
fn the_guard_keeps_two_from_getting_in_by_the_window() {
    let scenarios = [scenario("compare-window")];
    let ablation = ablate(&policy("identity-guarded"), &scenarios, 0, 200, &|| {});
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
    let ablation = ablate(&policy("identity"), &scenarios, 0, 50, &|| {});
    let never = ablation.changed.iter().find(|it| it.change.to == "never").unwrap();
    let words: Vec<&str> =
        never.falls.iter().flat_map(|it| &it.properties).map(|(_, word)| word.as_str()).collect();
    assert_eq!(words, ["SLOW", "STUCK"]);
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
