use locklab_sys::{Call, Fd, FlockOp, LockCommand, LockKind, OpenFlags, RecordLock};
use proptest::prelude::*;

use super::files::open;
use super::{Step, fd};

/// Calls on what each of the first three has open, as [`opened`] begins.
pub fn call() -> BoxedStrategy<Call> {
    prop_oneof![
        8 => (fd(), flock()).prop_map(|(fd, op)| Call::Flock { fd, op }),
        2 => fcntl(),
        1 => open_or_close(),
    ]
    .boxed()
}

/// Calls with record locks.
pub fn records() -> BoxedStrategy<Call> {
    prop_oneof![
        12 => fcntl(),
        1 => (fd(), flock()).prop_map(|(fd, op)| Call::Flock { fd, op }),
        1 => open_or_close(),
    ]
    .boxed()
}

fn open_or_close() -> impl Strategy<Value = Call> {
    let flags = prop::sample::select(vec![OpenFlags::RDONLY, OpenFlags::WRONLY, OpenFlags::RDWR]);
    prop_oneof![
        2 => fd().prop_map(|fd| Call::Close { fd }),
        1 => fd().prop_map(|fd| Call::Dup { fd }),
        1 => flags.prop_map(|flags| open("/tmp/a", flags)),
    ]
}

pub fn flock() -> impl Strategy<Value = FlockOp> {
    prop::sample::select(vec![
        FlockOp::TryExclusive,
        FlockOp::TryShared,
        FlockOp::Unlock,
        FlockOp::Exclusive,
        FlockOp::Shared,
    ])
}

fn fcntl() -> impl Strategy<Value = Call> {
    use LockCommand::{Get, OfdGet, OfdSet, OfdSetWait, Set, SetWait};
    let command = prop_oneof![
        3 => Just(Set),
        5 => Just(SetWait),
        2 => Just(Get),
        2 => Just(OfdSet),
        3 => Just(OfdSetWait),
        1 => Just(OfdGet),
    ];
    (fd(), command, lock()).prop_map(|(fd, command, lock)| Call::Fcntl { fd, command, lock })
}

/// Few bytes, so that locks meet.
fn lock() -> impl Strategy<Value = RecordLock> {
    let kind = prop::sample::select(vec![LockKind::Read, LockKind::Write, LockKind::Unlock]);
    let start = prop_oneof![12 => 0_i64..6, 1 => prop::sample::select(vec![-1, i64::MAX])];
    let len = prop_oneof![12 => 1_i64..3, 2 => Just(0), 1 => -2_i64..0, 1 => Just(i64::MAX)];
    (kind, start, len).prop_map(|(kind, start, len)| RecordLock { kind, start, len })
}

pub fn begins() -> Vec<Vec<Step>> {
    vec![opened(), shared_out()]
}

/// Each of the first three has the same file open.
fn opened() -> Vec<Step> {
    let flags = OpenFlags::RDWR | OpenFlags::CREAT;
    (0..3).map(|who| (who, open("/tmp/a", flags))).collect()
}

/// As [`shared_out`], and the first waits, in one way or another, for the others.
pub fn waits() -> Vec<Vec<Step>> {
    let fd = Fd(0);
    let lock = RecordLock { kind: LockKind::Write, start: 1, len: 2 };
    let waits = [
        Call::Fcntl { fd, command: LockCommand::SetWait, lock },
        Call::Fcntl { fd, command: LockCommand::OfdSetWait, lock },
        Call::Flock { fd, op: FlockOp::Exclusive },
    ];
    let locked = (1, Call::Flock { fd, op: FlockOp::Exclusive });
    let begin = |call| shared_out().into_iter().chain([locked.clone(), (0, call)]).collect();
    waits.into_iter().map(begin).collect()
}

/// Each of them has locked a byte of it.
fn shared_out() -> Vec<Step> {
    let locked = (0..3).map(|who| {
        let lock = RecordLock { kind: LockKind::Write, start: who as i64, len: 1 };
        (who, Call::Fcntl { fd: Fd(0), command: LockCommand::Set, lock })
    });
    opened().into_iter().chain(locked).collect()
}
