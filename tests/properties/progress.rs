use super::*;
const P: PropertyName = PropertyName::Progress;
const GIVES_UP: &[Do] = &[Mark(WAITING), Sleep(60), Mark(REFUSED)];

#[test]
fn falls_for_a_claim_that_nobody_may_remove() {
    says(
        fell(P, &[INSIDE, GIVES_UP], at(0, Action::Kill)),
        "bob is kept from /run/lock 60s though nobody is inside: nobody removes the claim of ann, which is dead",
    );
}

#[test]
fn falls_for_who_waits_for_itself() {
    let own: &[Do] =
        &[Mark(WAITING), Claim, Mark(ENTERED), Mark(WAITING), Sleep(60), Mark(REFUSED)];
    says(fell(P, &[own], vec![]), "self-deadlock: ann waits for /run/lock, which it holds itself");
}

/// A rule that goes by age would have let it in.
#[test]
fn not_for_who_is_impatient_with_itself() {
    let own: &[Do] =
        &[Mark(WAITING), Claim, Mark(ENTERED), Mark(WAITING), Sleep(20), Mark(REFUSED)];
    assert_eq!(fell(P, &[own], vec![]), None);
}

#[test]
fn falls_for_those_who_wait_for_each_other() {
    const ANN: &[Do] = &[
        MarkOf(WAITING, "/run/a"),
        MarkOf(ENTERED, "/run/a"),
        Sleep(1),
        MarkOf(WAITING, "/run/b"),
        Sleep(60),
        MarkOf(REFUSED, "/run/b"),
    ];
    const BOB: &[Do] = &[
        MarkOf(WAITING, "/run/b"),
        MarkOf(ENTERED, "/run/b"),
        Sleep(1),
        MarkOf(WAITING, "/run/a"),
        Sleep(60),
        MarkOf(REFUSED, "/run/a"),
    ];
    says(fell(P, &[ANN, BOB], vec![]), "deadlock: ann, bob wait for each other");
}

#[test]
fn falls_for_who_hangs_in_the_kernel() {
    const HANGS: &[Do] = &[Flock, Mark(WAITING), Flock];
    let message = fell(P, &[HANGS], vec![]).unwrap();
    assert!(message.contains("ann is kept from /run/lock for ever"), "{message}");
}

#[test]
fn not_for_who_is_impatient_or_outwaited_or_gets_in() {
    let long: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Sleep(100), Mark(LEAVING)];
    assert_eq!(fell(P, &[long, GIVES_UP], vec![]), None);
    let brief: &[Do] = &[Mark(WAITING), Sleep(20), Mark(REFUSED)];
    assert_eq!(fell(P, &[INSIDE, brief], at(0, Action::Kill)), None);
    let gets_in: &[Do] = &[Mark(WAITING), Sleep(60), Remove, Claim, Mark(ENTERED)];
    assert_eq!(fell(P, &[INSIDE, gets_in], at(0, Action::Kill)), None);
}

#[test]
fn whoever_else_ends_in_good_order_does_not_excuse_it() {
    assert!(fell(P, &[INSIDE, GIVES_UP, &[Sleep(50)]], at(0, Action::Kill)).is_some());
}

#[test]
fn not_while_somebody_is_stopped_or_on_the_way_out() {
    const LEAVES: &[Do] =
        &[Mark(WAITING), Claim, Mark(ENTERED), Mark(LEAVING), Here, Remove, Mark(RELEASED)];
    assert_eq!(fell(P, &[LEAVES, GIVES_UP], at(0, Action::Stop(90 * SECOND))), None);
    const SLOW: &[Do] =
        &[Mark(WAITING), Claim, Mark(ENTERED), Mark(LEAVING), Sleep(90), Remove, Mark(RELEASED)];
    assert_eq!(fell(P, &[SLOW, GIVES_UP], vec![]), None);
    const TAKES: &[Do] = &[Mark(WAITING), Claim, Sleep(90), Mark(ENTERED)];
    assert_eq!(fell(P, &[TAKES, GIVES_UP], vec![]), None);
}

#[test]
fn a_fault_restarts_the_clock() {
    const LEFT: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Mark(LEAVING)];
    const CONCERNED: &[Do] = &[Mark(WAITING), Here, Sleep(1), Mark(REFUSED)];
    let stop = || at(2, Action::Stop(40 * SECOND));
    assert!(fell(P, &[LEFT, GIVES_UP, CONCERNED], vec![]).is_some());
    assert_eq!(fell(P, &[LEFT, GIVES_UP, CONCERNED], stop()), None);
    // Who has nothing to do with the lock excuses nobody.
    const OTHER: &[Do] = &[MarkOf(WAITING, "/run/other"), Here, Sleep(1)];
    assert!(fell(P, &[LEFT, GIVES_UP, OTHER], stop()).is_some());
    assert!(fell(P, &[LEFT, GIVES_UP, OTHER], at(2, Action::Stop(600 * SECOND))).is_some());
}

#[test]
fn threads_that_wait_for_each_other_are_told_by_their_names() {
    const INNER: &[Do] =
        &[MarkOf(ENTERED, "/run/other"), Sleep(1), Mark(WAITING), Sleep(9), Mark(REFUSED)];
    let outer: &[Do] =
        &[Thread(INNER), Mark(ENTERED), Sleep(2), MarkOf(WAITING, "/run/other"), Sleep(60)];
    says(fell(P, &[outer], vec![]), "deadlock: ann#2, ann wait for each other");
}
