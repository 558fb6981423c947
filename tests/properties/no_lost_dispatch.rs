use super::*;
const P: PropertyName = PropertyName::NoLostDispatch;

const TOLD: &[Do] = &[MarkOf(PICKED, "nightly"), Sleep(2), MarkOf(DISPATCHED, "nightly"), Sleep(9)];

#[test]
fn falls_when_what_was_promised_is_never_started() {
    let never: &[Do] = &[MarkOf(LISTENING, SOCKET), Here, Sleep(5), Start("nightly", 1)];
    says(
        fell(P, &[never, TOLD], at(0, Action::Kill)),
        "bob was told that nightly is started, and it never was",
    );
    assert_eq!(fell(P, &[never, TOLD], vec![]), None);
}

#[test]
fn falls_when_two_were_told_of_one_start() {
    let once: &[Do] = &[MarkOf(LISTENING, SOCKET), Start("nightly", 1), Sleep(9)];
    assert_eq!(fell(P, &[once, TOLD], vec![]), None);
    assert!(fell(P, &[once, TOLD, TOLD], vec![]).is_some());
    let twice: &[Do] =
        &[MarkOf(LISTENING, SOCKET), Start("nightly", 1), Start("nightly", 1), Sleep(9)];
    assert_eq!(fell(P, &[twice, TOLD, TOLD], vec![]), None);
}

#[test]
fn falls_when_another_job_was_started() {
    let other: &[Do] = &[MarkOf(LISTENING, SOCKET), Start("weekly", 1), Sleep(9)];
    assert!(fell(P, &[other, TOLD], vec![]).is_some());
}

#[test]
fn not_when_nobody_was_told() {
    let given_up: &[Do] = &[MarkOf(PICKED, "nightly"), Sleep(2), MarkOf(UNDONE, "nightly")];
    assert_eq!(fell(P, &[&[MarkOf(LISTENING, SOCKET), Sleep(9)], given_up], vec![]), None);
}
