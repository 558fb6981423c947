use super::*;
const P: PropertyName = PropertyName::SlotCountedOnce;

const COUNTS: &[Do] = &[Here, Count(1), Here, Sleep(9)];
const COUNTS_LATER: &[Do] = &[Sleep(5), Count(1), Sleep(1)];
const TWO_SLOTS: &[Do] = &[Sleep(5), Count(2), Sleep(1)];

#[test]
fn falls_when_two_count_the_same_slot() {
    says(
        fell(P, &[COUNTS, COUNTS_LATER], vec![]),
        "bob counts a slot of /run/daemon.sock that is not free: ann has counted it",
    );
    assert_eq!(fell(P, &[COUNTS, TWO_SLOTS], vec![]), None);
}

#[test]
fn falls_when_a_worker_is_in_the_slot() {
    let daemon: &[Do] = &[MarkOf(LISTENING, SOCKET), Start("nightly", 60), Sleep(9)];
    says(
        fell(P, &[daemon, COUNTS_LATER], vec![]),
        "bob counts a slot of /run/daemon.sock that is not free: ann/worker.1 is in it",
    );
    assert_eq!(fell(P, &[daemon, TWO_SLOTS], vec![]), None);
}

#[test]
fn a_worker_takes_the_slot_of_whoever_asked_for_it() {
    const LONG: &[Do] = &[Count(2), Sleep(9)];
    let for_ann: &[Do] =
        &[MarkOf(LISTENING, SOCKET), Asked("nightly", ANN), Sleep(2), Start("nightly", 60)];
    assert_eq!(fell(P, &[LONG, for_ann, TWO_SLOTS], vec![]), None);
    assert!(fell(P, &[LONG, for_ann, COUNTS_LATER], vec![]).is_some());
    // The worker of somebody who is gone takes a slot, and ann still counts one.
    let for_nobody: &[Do] =
        &[MarkOf(LISTENING, SOCKET), Asked("nightly", 7), Sleep(2), Start("nightly", 60)];
    assert!(fell(P, &[LONG, for_nobody, TWO_SLOTS], vec![]).is_some());
}

/// The same job may be asked for twice: each has its own slot.
#[test]
fn a_late_worker_does_not_take_anothers_slot() {
    let gives_up: &[Do] = &[Count(3), Sleep(1), MarkOf(UNDONE, "nightly"), Sleep(9)];
    let counts: &[Do] = &[Sleep(2), Count(3), Sleep(9)];
    let daemon: &[Do] = &[
        MarkOf(LISTENING, SOCKET),
        Asked("nightly", ANN),
        Sleep(3),
        Start("nightly", 60),
        Sleep(2),
        Count(2),
    ];
    let fell = fell(P, &[gives_up, counts, daemon], vec![]).unwrap();
    assert!(fell.contains("bob has counted it, cat/worker.1 is in it"), "{fell}");
}

#[test]
fn a_slot_is_free_again_when_the_dispatcher_or_the_worker_has_done_with_it() {
    let gives_up: &[Do] = &[Count(1), Sleep(1), MarkOf(UNDONE, "nightly"), Sleep(9)];
    assert_eq!(fell(P, &[gives_up, COUNTS_LATER], vec![]), None);
    assert_eq!(fell(P, &[COUNTS, COUNTS_LATER], at(0, Action::Kill)), None);
    let daemon: &[Do] = &[MarkOf(LISTENING, SOCKET), Start("nightly", 2), Sleep(9)];
    assert_eq!(fell(P, &[daemon, COUNTS_LATER], vec![]), None);
}

#[test]
fn a_slot_that_was_promised_is_not_free() {
    let told: &[Do] = &[Count(1), Sleep(1), MarkOf(DISPATCHED, "nightly"), Sleep(1)];
    let daemon: &[Do] = &[MarkOf(LISTENING, SOCKET), Asked("nightly", ANN), Sleep(9)];
    assert!(fell(P, &[told, daemon, COUNTS_LATER], vec![]).is_some());
}

#[test]
fn a_stopped_dispatcher_has_not_done_with_its_slot() {
    let stops: &[Do] = &[Count(1), Here, Sleep(1), MarkOf(UNDONE, "nightly")];
    assert!(fell(P, &[stops, COUNTS_LATER], at(0, Action::Stop(60 * SECOND))).is_some());
}

#[test]
fn the_slots_of_two_daemons_are_two() {
    let other: &[Do] = &[MarkOf(LISTENING, "/run/other.sock"), Start("nightly", 60), Sleep(9)];
    assert_eq!(fell(P, &[other, COUNTS_LATER], vec![]), None);
}
