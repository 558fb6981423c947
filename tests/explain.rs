//! What `explain` tells of a policy: its calls as two runs made them, what it stands on, and where
//! it falls, with the reasons.

mod common;

use std::path::PathBuf;

use common::cli::{locklab, stderr, stdout};
use common::policy;
use locklab::policy_file;
use locklab::rehearsal::{Ending, TAKER, after_a_death, alone};
use locklab_models::{Lock, Removal, Takeover};
use locklab_sim::{TracedEvent, TracedOutcome};

fn explained(arguments: &[&str]) -> String {
    let output = locklab(&[&["explain"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

/// From one heading up to another.
fn between(text: &str, from: &str, to: &str) -> String {
    let begin = text.find(from).unwrap_or_else(|| panic!("no {from}\n{text}"));
    let end = text[begin..].find(to).unwrap_or_else(|| panic!("no {to}\n{text}"));
    text[begin..begin + end].trim_end().to_owned()
}

fn calls(policy: &str) -> String {
    between(&explained(&[policy]), "Its calls, when nobody", "What it stands on")
}

#[test]
fn a_rule_by_age_looks_at_a_clock() {
    insta::assert_snapshot!(calls("age"));
}

#[test]
fn a_directory_with_a_count_in_memory() {
    insta::assert_snapshot!(calls("mkdir-pid-count"));
}

#[test]
fn a_guarded_takeover_looks_twice() {
    insta::assert_snapshot!(calls("identity-guarded"));
}

#[test]
fn where_the_kernel_lets_go_there_is_nothing_to_take_over() {
    insta::assert_snapshot!(calls("flock"));
}

#[test]
fn one_that_is_never_stale_is_never_taken_over() {
    let text = calls("identity~stale=never");
    let end = between(&(text.clone() + "\nEND"), "when the owner has died", "END");
    assert!(end.contains("never taken over") && end.contains("601 s after the death"), "{text}");
}

#[test]
fn every_policy_enters_when_it_is_alone_and_its_calls_are_told() {
    for policy in policy_file::named() {
        let alone = alone(&policy);
        assert!(!alone.acquisition.is_empty(), "{}", policy.name);
        assert!(!alone.release.is_empty(), "{}", policy.name);
        let last = alone.trace.steps[alone.acquisition.end - 1].events.last();
        assert!(matches!(last, Some(TracedEvent::Mark { name: "entered", .. })));
        let waits = alone.trace.steps[alone.acquisition.clone()]
            .iter()
            .filter(|step| step.outcome == Some(TracedOutcome::Waits));
        assert_eq!(waits.count(), 0, "{}: nothing stands in its way", policy.name);
    }
}

#[test]
fn only_the_claims_of_files_are_taken_over() {
    let mut taken_over = 0;
    for policy in policy_file::named() {
        let succession = after_a_death(&policy);
        match (&policy.lock, &succession.end) {
            (Lock::Kernel(_), Ending::Free(_)) => {}
            (Lock::File(_), Ending::TakenOver(preparing, attempt)) => {
                assert!(preparing.end <= attempt.start);
                let by_dead = |event: &TracedEvent| {
                    matches!(event, TracedEvent::NameRemoved { by, maker, .. }
                        if by == TAKER && maker != TAKER)
                };
                let steps = &succession.trace.steps[attempt.clone()];
                assert!(steps.iter().flat_map(|step| &step.events).any(by_dead));
                taken_over += 1;
            }
            (Lock::File(lock), end) => {
                let leaves = |it: &Removal| it.takeover == Takeover::NextGeneration;
                let is_left = lock.removal.as_ref().is_none_or(leaves);
                assert!(is_left, "{}: {end:?}", policy.name);
            }
            (Lock::Kernel(_), end) => panic!("{}: {end:?}", policy.name),
        }
    }
    assert!(taken_over > 5);
}

#[test]
fn how_long_a_dead_claim_lies_is_measured() {
    let delay = |name: &str| after_a_death(&policy(name)).delay.as_secs();
    assert_eq!((delay("age"), delay("identity"), delay("flock")), (31, 1, 1));
    assert_eq!(after_a_death(&policy("age")).polls, 30);
}

#[test]
fn where_it_falls_is_what_the_scenarios_expect_and_why() {
    let text = explained(&["identity"]);
    let falls = between(&text, "Where it is expected to fall", "Where the scenarios");
    let one_line = falls.replace("\n  ", " ");
    for scenario in locklab::scenario::builtin() {
        let fleet = (&policy("identity")).into();
        let found = scenario.properties.iter().filter_map(|property| {
            let expectation = scenario.expectations.find(&fleet, *property).ok()??;
            let falls = expectation.verdict == locklab::scenario::Expected::Violated;
            falls.then_some((property, expectation))
        });
        let found: Vec<_> = found.collect();
        let named = one_line.lines().filter(|it| it.starts_with(&format!("- {}:", scenario.name)));
        let named: Vec<&str> = named.collect();
        assert_eq!(named.is_empty(), found.is_empty(), "{}", scenario.name);
        for (property, expectation) in found {
            let told = |line: &&str| {
                line.contains(property.as_str()) && line.contains(expectation.because.as_str())
            };
            assert!(named.iter().any(told), "{} {property}\n{named:?}", scenario.name);
        }
    }
}

#[test]
fn a_policy_of_ones_own_is_explained_alike() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("explain-mine.toml");
    let rule = "[policy.mine]\ntitle = \"Mine\"\nrule = \"By age.\"\npublish = \"symlink\"\n\
                record = [\"pid\"]\nstale = { age = \"5s\" }\nrelease = \"own-bytes\"\n\
                leaves-open = [\"Everything else.\"]\n";
    std::fs::write(&path, rule).unwrap();
    let text = explained(&["mine", "--policy-file", path.to_str().unwrap()]);
    for needed in [
        "By age.",
        "1. symlink lock \"pid=1000\" → ok",
        "after 5 attempts that found it held",
        "The realtime clock is not set",
        "Where it is expected to fall\n- ",
        "What its source leaves open, and how it is read here\n- Everything else.",
    ] {
        assert!(text.contains(needed), "{needed}\n{text}");
    }
    assert!(!text.contains("Its row"), "it is in the file that was named");
}
