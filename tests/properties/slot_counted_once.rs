use super::*;
const P: PropertyName = PropertyName::SlotCountedOnce;

const COUNTS: &[Do] = &[Here, MarkOf(PICKED, "nightly"), Count(1), Here, Sleep(9)];
const COUNTS_LATER: &[Do] = &[Sleep(5), MarkOf(PICKED, "weekly"), Count(1), Sleep(1)];
const TWO_SLOTS: &[Do] = &[Sleep(5), MarkOf(PICKED, "weekly"), Count(2), Sleep(1)];

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
fn a_worker_takes_the_slot_that_was_counted_for_it() {
    let daemon: &[Do] = &[MarkOf(LISTENING, SOCKET), Sleep(2), Start("nightly", 60), Sleep(9)];
    let long: &[Do] = &[MarkOf(PICKED, "nightly"), Count(2), Sleep(9)];
    assert_eq!(fell(P, &[long, daemon, TWO_SLOTS], vec![]), None);
    assert!(fell(P, &[long, daemon, COUNTS_LATER], vec![]).is_some());
}

#[test]
fn a_slot_is_free_again_when_the_dispatcher_or_the_worker_has_done_with_it() {
    let gives_up: &[Do] =
        &[MarkOf(PICKED, "nightly"), Count(1), Sleep(1), MarkOf(UNDONE, "nightly"), Sleep(9)];
    assert_eq!(fell(P, &[gives_up, COUNTS_LATER], vec![]), None);
    assert_eq!(fell(P, &[COUNTS, COUNTS_LATER], at(0, Action::Kill)), None);
    let daemon: &[Do] = &[MarkOf(LISTENING, SOCKET), Start("nightly", 2), Sleep(9)];
    assert_eq!(fell(P, &[daemon, COUNTS_LATER], vec![]), None);
}

#[test]
fn a_stopped_dispatcher_has_not_done_with_its_slot() {
    let stops: &[Do] =
        &[MarkOf(PICKED, "nightly"), Count(1), Here, Sleep(1), MarkOf(UNDONE, "nightly")];
    assert!(fell(P, &[stops, COUNTS_LATER], at(0, Action::Stop(60 * SECOND))).is_some());
}

#[test]
fn the_slots_of_two_daemons_are_two() {
    let other: &[Do] = &[MarkOf(LISTENING, "/run/other.sock"), Start("nightly", 60), Sleep(9)];
    assert_eq!(fell(P, &[other, COUNTS_LATER], vec![]), None);
}
