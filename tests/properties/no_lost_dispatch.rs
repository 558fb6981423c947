use super::*;
const P: PropertyName = PropertyName::NoLostDispatch;

const TOLD: &[Do] = &[Count(1), Sleep(2), MarkOf(DISPATCHED, "nightly"), Sleep(9)];
const LOST: &str = "bob was told that nightly is started, and it never was";

#[test]
fn falls_when_what_was_promised_is_never_started() {
    let early: &[Do] = &[
        MarkOf(LISTENING, SOCKET),
        Sleep(1),
        Asked("nightly", BOB),
        Here,
        Sleep(5),
        Start("nightly", 1),
        Sleep(9),
    ];
    assert_eq!(fell(P, &[early, TOLD], vec![]), None);
    says(fell(P, &[early, TOLD], at(0, Action::Kill)), LOST);
    says(fell(P, &[&[MarkOf(LISTENING, SOCKET), Sleep(9)], TOLD], vec![]), LOST);
}

#[test]
fn a_promise_outlives_the_dispatcher_and_not_the_daemon() {
    let told_and_gone: &[Do] = &[Count(1), Sleep(2), MarkOf(DISPATCHED, "nightly")];
    let starts: &[Do] = &[
        MarkOf(LISTENING, SOCKET),
        Sleep(1),
        Asked("nightly", BOB),
        Sleep(5),
        Start("nightly", 1),
    ];
    assert_eq!(fell(P, &[starts, told_and_gone], vec![]), None);
    let dies: &[Do] = &[MarkOf(LISTENING, SOCKET), Sleep(1), Asked("nightly", BOB), Sleep(5)];
    says(fell(P, &[dies, told_and_gone], vec![]), LOST);
}

/// The answer may be heard when the daemon that gave it is dead.
#[test]
fn falls_when_a_promise_is_heard_too_late() {
    let hears_late: &[Do] = &[Count(1), Sleep(5), MarkOf(DISPATCHED, "nightly"), Sleep(1)];
    let dies: &[Do] = &[MarkOf(LISTENING, SOCKET), Sleep(1), Asked("nightly", BOB), Sleep(1)];
    says(fell(P, &[dies, hears_late], vec![]), LOST);
    // And then the slot is free again.
    let counts: &[Do] = &[Sleep(9), Count(1)];
    assert_eq!(fell(PropertyName::SlotCountedOnce, &[dies, hears_late, counts], vec![]), None);
}

/// A worker that was started for somebody who is gone pays nobody's promise.
#[test]
fn falls_when_the_start_was_anothers() {
    let daemon: &[Do] =
        &[MarkOf(LISTENING, SOCKET), Asked("nightly", CAT), Start("nightly", 1), Sleep(9)];
    assert!(fell(P, &[daemon, TOLD, &[Count(1)]], vec![]).is_some());
    let own: &[Do] = &[
        MarkOf(LISTENING, SOCKET),
        Sleep(1),
        Asked("nightly", BOB),
        Start("nightly", 1),
        Sleep(9),
    ];
    assert_eq!(fell(P, &[own, TOLD], vec![]), None);
}

#[test]
fn falls_when_two_were_told_of_one_start() {
    let once: &[Do] = &[
        MarkOf(LISTENING, SOCKET),
        Sleep(1),
        Asked("nightly", BOB),
        Start("nightly", 1),
        Sleep(9),
    ];
    assert!(fell(P, &[once, TOLD, TOLD], vec![]).is_some());
}

#[test]
fn not_when_nobody_was_told() {
    let given_up: &[Do] = &[Count(1), Sleep(2), MarkOf(UNDONE, "nightly")];
    assert_eq!(fell(P, &[&[MarkOf(LISTENING, SOCKET), Sleep(9)], given_up], vec![]), None);
}
