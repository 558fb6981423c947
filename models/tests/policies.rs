//! Rows of parts, and the policies that they check to.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use locklab_models::{
    Choice, Compare, Complaint, Guard, KernelLock, LetGo, Mismatch, NAMED_POLICIES, OnExec, Period,
    Policy, PolicyRow, Publish, Recheck, RecordField, Reentry, Release, Stale, Takeover, Unsigned,
    VerifyField,
};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    policy: BTreeMap<String, PolicyRow>,
}

fn named() -> BTreeMap<String, Policy> {
    let file: File = toml::from_str(NAMED_POLICIES).expect("the named policies are well-formed");
    let check = |(name, row): (String, PolicyRow)| {
        let policy = row.check(&name).unwrap_or_else(|complaints| panic!("{name}: {complaints:?}"));
        (name, policy)
    };
    file.policy.into_iter().map(check).collect()
}

fn words(policy: &Policy) -> String {
    let words: Vec<String> = policy.parts().into_iter().map(|(_, word)| word).collect();
    words.join(" ")
}

fn parts(complaints: &[Complaint]) -> BTreeSet<&'static str> {
    complaints.iter().map(|complaint| complaint.part).collect()
}

fn thirty_seconds() -> Period {
    "30s".parse().expect("a duration")
}

#[test]
fn the_named_policies_are_made_of_these_parts() {
    let table: Vec<String> =
        named().iter().map(|(name, policy)| format!("{name}: {}", words(policy))).collect();
    assert_eq!(
        table,
        [
            "age: file create-then-write none age - unlink none - - none unlink - - - none",
            "age-own-release: file create-then-write pid+nonce age debris-after unlink none - - none own-bytes - - - none",
            "borg-1-style: file rename-directory pid+host dead held owner-entry - - - none own-entry - - - own-pid",
            "celery-style: file create-then-write pid dead debris-at-once unlink none - - none unlink - - - none",
            "chromium-style: file symlink pid+host dead held unlink none - - none unlink - - - none",
            "count: file link pid+start+boot dead held unlink none - - flock own-bytes - - - count-process",
            "count-per-task: file mkdir-then-write pid dead held unlink none - - none unlink - - - count-task",
            "dead-or-age: file create-then-write pid dead-or-age debris-after unlink none - - none unlink - - - none",
            "emacs-style: file symlink pid+boot+host dead held unlink none - - none own-bytes - - - own-pid",
            "fcntl: fcntl - - - - - - - - - - close none kept none",
            "filelock-lease-style: file create-then-write pid+start+boot+nonce+host heartbeat debris-after rename-aside inode+mtime after leave none own-descriptor - - - none",
            "filelock-soft-style: file create-then-write pid+start+boot+host dead debris-after rename-aside inode+mtime after leave none own-descriptor - - - none",
            "flock: flock - - - - - - - - - - close none kept none",
            "flock-unlink: flock - - - - - - - - - - unlink none kept none",
            "flock-unlink-checked: flock - - - - - - - - - - unlink path kept none",
            "generation: file numbered pid+start+boot dead held next-generation - - - none own-number - - - none",
            "git-gc-style: file link pid+host dead-or-age held rename-over none - - same-class unlink - - - none",
            "git-index-style: file create-then-write none never - - - - - - unlink - - - none",
            "heartbeat: file mkdir-then-write none heartbeat - unlink none - - none unlink - - - none",
            "identity: file create-then-write pid+start dead debris-after unlink none - - none own-bytes - - - none",
            "identity-boot: file create-then-write pid+start+boot dead debris-after unlink none - - none own-bytes - - - none",
            "identity-guarded: file link pid+start+boot dead held unlink none - - flock own-bytes - - - none",
            "identity-keeper: file create-then-write pid+start dead debris-after unlink bytes+inode - - none own-bytes - - - none",
            "identity-namespace: file link pid+start+boot+namespace dead held unlink none - - flock own-bytes - - - none",
            "identity-pidfd: file link pid+boot+pidfd dead held unlink none - - flock own-bytes - - - none",
            "libbsd-pidfile-style: flock - - - - - - - - - - unlink path kept none",
            "liblockfile-style: file link pid dead debris-after unlink none - - none unlink - - - none",
            "mercurial-style: file symlink pid+namespace+host dead held unlink none - - same-class unlink - - - count-process",
            "mkdir-pid: file mkdir-then-write pid dead held unlink none - - none unlink - - - none",
            "mkdir-pid-count: file mkdir-then-write pid dead held unlink none - - none unlink - - - count-process",
            "npm-lockfile-style: file create-then-write none age - unlink none - - same-class unlink - - - none",
            "observer-age: file link pid+nonce observed-unchanged held unlink none - - none own-bytes - - - none",
            "ofd: ofd - - - - - - - - - - close none kept none",
            "own-pid: file mkdir-then-write pid dead held unlink none - - none unlink - - - own-pid",
            "owner-entry: file rename-directory pid+start+boot+nonce dead held owner-entry - - - none own-entry - - - none",
            "pid: file create-then-write pid dead debris-after unlink bytes - - none own-bytes - - - none",
            "pid-blind: file create-then-write pid dead debris-after unlink none - - none unlink - - - none",
            "postmaster-style: file create-then-write pid dead held unlink none - - none unlink - - - none",
            "proper-lockfile-style: file mkdir-then-write none heartbeat - unlink none - - none unlink - - - none",
            "qt-qlockfile-style: file create-then-write pid+boot+host dead-or-age debris-after unlink none - - same-class unlink - - - none",
            "rename-aside: file create-then-write pid+start+boot dead debris-after rename-aside inode+mtime after leave none own-descriptor - - - none",
            "same-class: file link pid+start+boot dead held unlink none - - same-class own-bytes - - - none",
            "symlink-boot: file symlink pid+boot dead held unlink none - - none own-bytes - - - none",
        ]
    );
}

prop_compose! {
    /// Any combination of parts that can be written down, sensible or not.
    fn rows()(
        publish in select(Publish::ALL),
        record in subsequence(RecordField::ALL, 0..=RecordField::ALL.len()),
        stale in select(vec![
            Stale::Never,
            Stale::Age(thirty_seconds()),
            Stale::Dead,
            Stale::DeadOrAge(thirty_seconds()),
            Stale::Heartbeat(thirty_seconds()),
            Stale::ObservedUnchanged(thirty_seconds()),
        ]),
        unsigned in of(select(vec![
            Unsigned::Held,
            Unsigned::DebrisAfter(thirty_seconds()),
            Unsigned::DebrisAtOnce,
        ])),
        takeover in of(select(Takeover::ALL)),
        verify in of(subsequence(VerifyField::ALL, 0..=VerifyField::ALL.len())),
        compare in of(select(Compare::ALL)),
        mismatch in of(select(Mismatch::ALL)),
        guard in of(select(Guard::ALL)),
        release in select(Release::ALL),
        reentry in of(select(Reentry::ALL)),
    ) -> PolicyRow {
        PolicyRow {
            publish: Some(publish),
            record: Some(record),
            stale: Some(stale),
            unsigned,
            takeover,
            verify,
            compare,
            mismatch,
            guard,
            release: Some(release),
            reentry,
            ..PolicyRow::default()
        }
    }
}

/// The parts of a row that make no sense beside the others.
fn senseless(row: &PolicyRow) -> BTreeSet<&'static str> {
    let record = row.record.as_deref().unwrap_or_default();
    let says = |field| record.contains(&field);
    let verifies = |field| row.verify.iter().flatten().any(|it| *it == field);
    let unsigned = row.unsigned.unwrap_or(Unsigned::Held);
    let never =
        row.stale == Some(Stale::Never) && (record.is_empty() || unsigned == Unsigned::Held);
    let has_entries = row.publish == Some(Publish::RenameDirectory);
    let by_descriptor = row.release == Some(Release::OwnDescriptor);
    let compares = row.verify.is_some();
    let verifies_something = row.verify.as_ref().is_some_and(|verify| !verify.is_empty());
    let moves = row.takeover == Some(Takeover::RenameAside) && verifies_something;
    let after = row.compare == Some(Compare::After);
    let pidfd = says(RecordField::Pidfd);
    let of_a_pid = [RecordField::Start, RecordField::Boot, RecordField::Pidfd];
    let of_a_pid = of_a_pid.into_iter().chain([RecordField::Namespace, RecordField::Host]);
    let of_a_pid = of_a_pid.into_iter().any(says);
    let has_numbers = row.publish == Some(Publish::Numbered);
    let takes_next = row.takeover == Some(Takeover::NextGeneration);
    let is_directory =
        matches!(row.publish, Some(Publish::MkdirThenWrite | Publish::RenameDirectory));
    let rules = [
        ("record", of_a_pid && !says(RecordField::Pid)),
        ("record", pidfd && !says(RecordField::Boot)),
        ("record", pidfd && says(RecordField::Start)),
        ("stale", row.stale.is_some_and(Stale::asks_owner) && !says(RecordField::Pid)),
        ("stale", matches!(row.stale, Some(Stale::ObservedUnchanged(_))) && record.is_empty()),
        ("unsigned", record.is_empty() && row.unsigned.is_some()),
        ("takeover", row.takeover == Some(Takeover::OwnerEntry) && !has_entries),
        ("release", row.release == Some(Release::OwnEntry) && !has_entries),
        ("release", row.release == Some(Release::OwnBytes) && has_entries),
        ("release", by_descriptor && row.publish == Some(Publish::Symlink)),
        ("reentry", by_descriptor && row.reentry == Some(Reentry::OwnPid)),
        ("verify", compares && row.takeover.is_some_and(|it| !it.compares())),
        ("verify", compares && row.takeover.is_none() && has_numbers),
        ("takeover", row.takeover.is_some() && takes_next != has_numbers),
        ("takeover", row.takeover == Some(Takeover::RenameOver) && is_directory),
        ("release", (row.release == Some(Release::OwnNumber)) != has_numbers),
        ("stale", has_numbers && matches!(row.stale, Some(Stale::Heartbeat(_)))),
        ("guard", has_numbers && row.guard.is_some_and(|guard| guard != Guard::None)),
        ("publish", record.is_empty() && row.publish.is_some_and(Publish::is_signed)),
        ("verify", record.is_empty() && verifies(VerifyField::Bytes)),
        ("release", record.is_empty() && row.release == Some(Release::OwnBytes)),
        ("takeover", never && row.takeover.is_some()),
        ("verify", never && row.verify.is_some()),
        ("guard", never && row.guard.is_some()),
        ("compare", row.compare.is_some() && (never || !moves)),
        ("mismatch", row.mismatch.is_some() && (never || !moves || !after)),
        ("reentry", row.reentry == Some(Reentry::OwnPid) && !says(RecordField::Pid)),
    ];
    rules.into_iter().filter(|(_, broken)| *broken).map(|(part, _)| part).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn every_senseless_row_is_refused_for_its_parts_and_no_other_is(row in rows()) {
        let expected = senseless(&row);
        let refused = row.check("p").err().unwrap_or_default();
        prop_assert_eq!(parts(&refused), expected);
        prop_assert!(refused.iter().all(|complaint| complaint.help.is_some()));
    }

    #[test]
    fn a_policy_and_its_row_are_the_same(row in rows()) {
        let Ok(policy) = row.check("p") else { return Ok(()) };
        prop_assert_eq!(PolicyRow::from(&policy).check("p"), Ok(policy.clone()));
        let known: BTreeMap<_, _> = Policy::part_values().iter().copied().collect();
        for (part, word) in policy.parts() {
            prop_assert!(known[part].contains(&word.as_str()), "{} = {}", part, word);
            // A word is what it was changed to.
            if word != "-" {
                prop_assert_eq!(policy.with_part(part, &word), Some(Ok(policy.clone())));
            }
        }
    }
}

#[test]
fn what_a_file_lock_needs_is_asked_for_all_at_once() {
    let complaints = PolicyRow::default().check("p").expect_err("an empty row");
    assert_eq!(parts(&complaints), BTreeSet::from(["publish", "record", "release", "stale"]));
}

#[test]
fn the_kernel_keeps_a_lock_without_file_parts() {
    let kernel = PolicyRow { kernel: Some(KernelLock::Flock), ..PolicyRow::default() };
    assert!(kernel.clone().check("p").is_ok());
    let both = PolicyRow { publish: Some(Publish::Link), guard: Some(Guard::None), ..kernel };
    let complaints = both.check("p").expect_err("parts of a file lock");
    assert_eq!(parts(&complaints), BTreeSet::from(["guard", "publish"]));
}

#[test]
fn a_file_lock_has_no_parts_of_those_that_the_kernel_keeps() {
    let mut row = PolicyRow::from(&named()["pid"]);
    (row.let_go, row.recheck) = (Some(LetGo::Unlink), Some(Recheck::None));
    row.on_exec = Some(OnExec::Closed);
    let complaints = row.check("p").expect_err("parts of a kernel lock");
    assert_eq!(parts(&complaints), BTreeSet::from(["let-go", "on-exec", "recheck"]));
}

prop_compose! {
    /// Any lock that the kernel keeps.
    fn kept()(
        kernel in select(KernelLock::ALL),
        let_go in of(select(LetGo::ALL)),
        recheck in of(select(Recheck::ALL)),
        on_exec in of(select(OnExec::ALL)),
    ) -> PolicyRow {
        PolicyRow { kernel: Some(kernel), let_go, recheck, on_exec, ..PolicyRow::default() }
    }
}

proptest! {
    #[test]
    fn all_locks_that_the_kernel_keeps_make_sense(row in kept(), other in kept()) {
        let policy = row.check("p").expect("it makes sense");
        prop_assert_eq!(PolicyRow::from(&policy).check("p"), Ok(policy.clone()));
        let parts = policy.parts();
        for (part, word) in parts.iter().filter(|(_, word)| word != "-") {
            prop_assert_eq!(policy.with_part(part, word), Some(Ok(policy.clone())));
        }
        let other = other.check("p").expect("it makes sense");
        prop_assert_eq!(policy.fingerprint() == other.fingerprint(), policy == other);
    }
}

#[test]
fn a_field_named_twice_and_a_name_unfit_for_a_schedule_are_refused() {
    let mut row = PolicyRow::from(&named()["pid"]);
    row.record = Some(vec![RecordField::Pid, RecordField::Pid]);
    let complaints = row.check("my policy").expect_err("twice, and a space");
    assert_eq!(parts(&complaints), BTreeSet::from(["name", "record"]));
}

#[test]
fn one_part_is_changed_and_no_other() {
    for policy in named().values() {
        for (part, words) in Policy::part_values() {
            for word in *words {
                match policy.with_part(part, word) {
                    None => assert_eq!(*word, "-"),
                    Some(Err(complaints)) => assert!(!complaints.is_empty()),
                    Some(Ok(changed)) => assert_changed(policy, &changed, part, word),
                }
            }
        }
    }
    assert!(named()["age"].with_part("stale", "tired").is_none());
    assert!(named()["age"].with_part("colour", "red").is_none());
}

fn assert_changed(policy: &Policy, changed: &Policy, part: &str, word: &str) {
    for ((name, before), (_, after)) in policy.parts().into_iter().zip(changed.parts()) {
        if name == part {
            assert_eq!(after, word);
        } else {
            // A question may arise by the change, or arise no more.
            let same = before == after || before == "-" || after == "-";
            assert!(same, "{}: {name} became {after} with {part} = {word}", policy.name);
        }
    }
}

#[test]
fn a_changed_part_keeps_its_duration_or_takes_thirty_seconds() {
    let changed = |policy: &Policy, part, word| {
        policy.with_part(part, word).expect("such a part").expect("sensible")
    };
    let policies = named();
    let mut row = PolicyRow::from(&policies["age"]);
    row.stale = Some(Stale::Age("7s".parse().expect("a duration")));
    let seven = row.check("seven").expect("sensible");
    assert_eq!(changed(&seven, "stale", "age").durations(), [Duration::from_secs(7)]);
    assert_eq!(changed(&seven, "stale", "never").durations(), []);
    let old = changed(&policies["identity"], "stale", "age");
    assert_eq!(old.durations(), [Duration::from_secs(30); 2]);
}

#[test]
fn the_fingerprint_is_of_name_and_parts() {
    let policy = named().remove("identity").expect("named");
    let retold = Policy { rule: "Otherwise told.".to_owned(), ..policy.clone() };
    let renamed = Policy { name: "other".into(), ..policy.clone() };
    let changed = policy.with_part("guard", "flock").expect("a part").expect("sensible");
    assert_eq!(policy.fingerprint(), retold.fingerprint());
    assert_ne!(policy.fingerprint(), renamed.fingerprint());
    assert_ne!(policy.fingerprint(), changed.fingerprint());
}

#[test]
fn mistakes_in_a_row_are_told_clearly() {
    let error = |row: &str| {
        let row = format!("title = ''\nrule = ''\n{row}");
        toml::from_str::<PolicyRow>(&row).expect_err("a mistake").message().to_owned()
    };
    for (row, expected) in [
        ("stale = { age = '0s' }", "a duration of `0s` is none at all"),
        ("stale = { age = '11y' }", "`11y` is longer than ten years, 3,650 days"),
        ("stale = { age = 'soon' }", "`soon` is no duration; write `30s` or `1m 30s`"),
        ("stale = { age = 30 }", "invalid type: integer `30`, expected a duration such as \"30s\""),
        ("stale = 'age'", "`age` needs a duration: `{ age = \"30s\" }`"),
        ("stale = { dead = '30s' }", "`dead` takes no duration: `\"dead\"`"),
        ("stale = { age = '30s', dead = '1s' }", "only one of them can be chosen"),
        (
            "stale = 'tired'",
            "unknown variant `tired`, expected one of `never`, `age`, `dead`, `dead-or-age`, `heartbeat`, `observed-unchanged`",
        ),
        (
            "unsigned = 'debris-after'",
            "`debris-after` needs a duration: `{ debris-after = \"30s\" }`",
        ),
    ] {
        assert_eq!(error(row), expected);
    }
}
