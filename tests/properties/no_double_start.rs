use super::*;
const P: PropertyName = PropertyName::NoDoubleStart;

const STARTS: &[Do] = &[MarkOf(LISTENING, SOCKET), Start("nightly", 10), Sleep(9)];

#[test]
fn falls_when_two_work_on_one_job() {
    let twice: &[Do] = &[
        MarkOf(LISTENING, SOCKET),
        Start("nightly", 10),
        Sleep(5),
        Start("nightly", 10),
        Sleep(1),
    ];
    says(
        fell(P, &[twice], vec![]),
        "ann starts a second worker for nightly, on which ann/worker.1 works",
    );
    let other_daemon: &[Do] =
        &[MarkOf(LISTENING, "/run/other.sock"), Sleep(5), Start("nightly", 1)];
    assert!(fell(P, &[STARTS, other_daemon], vec![]).is_some());
}

#[test]
fn not_for_another_job_and_not_when_the_first_has_ended() {
    let weekly: &[Do] =
        &[MarkOf(LISTENING, SOCKET), Start("nightly", 10), Start("weekly", 10), Sleep(20)];
    assert_eq!(fell(P, &[weekly], vec![]), None);
    let again: &[Do] =
        &[MarkOf(LISTENING, SOCKET), Start("nightly", 3), Sleep(5), Start("nightly", 3), Sleep(9)];
    assert_eq!(fell(P, &[again], vec![]), None);
}

/// The worker of a daemon that was killed works on.
#[test]
fn a_dead_daemons_worker_counts() {
    let dies: &[Do] = &[MarkOf(LISTENING, SOCKET), Start("nightly", 60), Here, Sleep(9)];
    let successor: &[Do] = &[Sleep(5), MarkOf(LISTENING, SOCKET), Start("nightly", 1), Sleep(9)];
    assert!(fell(P, &[dies, successor], at(0, Action::Kill)).is_some());
}
