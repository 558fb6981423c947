use std::time::Duration;

use locklab_sys::{
    Call, Fd, FlockOp, LockCommand, LockKind, Mode, OpenFlags, Pid, RecordLock, Signal, SmolStr,
};
use proptest::prelude::*;

use super::children::image;
use super::{Step, data, fd, process};

/// Calls of threads, and on the memory that they share.
pub fn call() -> BoxedStrategy<Call> {
    let timeout = prop::sample::select(vec![
        None,
        None,
        Some(Duration::ZERO),
        Some(Duration::from_millis(2)),
    ]);
    prop_oneof![
        6 => Just(Call::SpawnThread { image: image() }),
        2 => any::<u8>().prop_map(|code| Call::ThreadExit { code }),
        3 => process().prop_map(|tid| Call::Join { tid }),
        1 => Just(Call::Gettid),
        2 => process().prop_map(|pid| Call::ProcStat { pid }),
        2 => process().prop_map(|pid| Call::ProcStatus { pid }),
        1 => Just(Call::Getpid),
        1 => cell().prop_map(|cell| Call::CellRead { cell }),
        2 => (cell(), value()).prop_map(|(cell, value)| Call::CellWrite { cell, value }),
        2 => (cell(), value(), value())
            .prop_map(|(cell, expected, new)| Call::CellSwap { cell, expected, new }),
        5 => (cell(), value(), timeout)
            .prop_map(|(cell, expected, timeout)| Call::FutexWait { cell, expected, timeout }),
        4 => (cell(), 0_u32..4).prop_map(|(cell, count)| Call::FutexWake { cell, count }),
        1 => Just(Call::Exec { image: image() }),
    ]
    .boxed()
}

/// Two processes of several threads.
pub fn pairs() -> Vec<Step> {
    let thread = || Call::SpawnThread { image: image() };
    vec![(0, thread()), (1, thread()), (0, thread())]
}

/// A thread, and then a child, are started a while after one another. The main
/// thread ends, and the other takes its place.
pub fn in_turn() -> Vec<Step> {
    let pause = || Call::Nanosleep { duration: Duration::from_millis(10) };
    let ask = [0, 3, 4].map(|nth| (1, Call::ProcStat { pid: Pid(nth) }));
    let start = [
        (0, pause()),
        (0, Call::SpawnThread { image: image() }),
        (0, pause()),
        (3, Call::Fork { image: image() }),
    ];
    let replace = [(0, Call::ThreadExit { code: 0 }), (3, Call::Exec { image: image() })];
    start.into_iter().chain(ask.clone()).chain(replace).chain(ask).collect()
}

/// Calls that come between a thread and what it waits for.
pub fn meddling() -> BoxedStrategy<Call> {
    let signal = prop::sample::select(vec![Signal::Stop, Signal::Cont, Signal::Cont]);
    let lock = prop::sample::select(vec![FlockOp::Exclusive, FlockOp::Unlock]);
    prop_oneof![
        4 => fd().prop_map(|fd| Call::Close { fd }),
        4 => Just(open()),
        1 => Just(Call::Socket),
        // Process 0 is mostly one of several threads.
        3 => signal.prop_map(|signal| Call::Kill { pid: Pid(0), signal }),
        2 => (fd(), lock).prop_map(|(fd, op)| Call::Flock { fd, op }),
        2 => fd().prop_map(|fd| Call::Connect { fd, path: "/run/s".into() }),
        2 => fd().prop_map(|fd| Call::Accept { fd }),
        2 => (fd(), data()).prop_map(|(fd, data)| Call::Send { fd, data }),
        2 => fd().prop_map(|fd| Call::Recv { fd, len: 3 }),
        1 => fd().prop_map(|fd| Call::Poll { fds: [fd].into(), timeout: None }),
        1 => Just(Call::Fork { image: image() }),
        1 => Just(Call::ThreadExit { code: 1 }),
    ]
    .boxed()
}

fn open() -> Call {
    Call::Open {
        path: "/tmp/a".into(),
        flags: OpenFlags::RDWR | OpenFlags::CREAT,
        mode: Mode::FILE,
    }
}

/// A thread waits for connections.
pub fn accepting() -> Vec<Step> {
    listening().chain([(3, Call::Accept { fd: Fd(0) })]).collect()
}

/// A thread waits for bytes, another for those or for a connection.
pub fn receiving() -> Vec<Step> {
    let [listener, one, other] = [0, 1, 2].map(Fd);
    let connected = [
        (0, Call::Socket),
        (0, Call::Connect { fd: one, path: "/run/s".into() }),
        (0, Call::Accept { fd: listener }),
        (3, Call::Recv { fd: one, len: 3 }),
        (5, Call::Poll { fds: [other, listener].into(), timeout: None }),
    ];
    listening().chain(connected).collect()
}

/// A thread waits for a lock that another has.
pub fn locking() -> Vec<Step> {
    let lock = |fd| Call::Flock { fd, op: FlockOp::Exclusive };
    let steps = [(0, open()), (0, open()), (0, lock(Fd(0))), (3, lock(Fd(1)))];
    pairs().into_iter().chain(steps).collect()
}

/// A thread waits for a record lock that another process has, at a descriptor that
/// a third closes. The file is then locked by another descriptor, and the wait ends.
pub fn closing() -> Vec<Step> {
    let fcntl = |fd, command, kind, start| {
        let lock = RecordLock { kind, start, len: 1 };
        Call::Fcntl { fd: Fd(fd), command, lock }
    };
    let steps = [
        (0, open()),
        (0, open()),
        (1, open()),
        (1, fcntl(0, LockCommand::Set, LockKind::Write, 0)),
        (3, fcntl(0, LockCommand::SetWait, LockKind::Write, 0)),
        (5, Call::Close { fd: Fd(0) }),
        (0, fcntl(0, LockCommand::Set, LockKind::Write, 4)),
        (1, fcntl(0, LockCommand::Set, LockKind::Unlock, 0)),
        (1, fcntl(0, LockCommand::Get, LockKind::Write, 4)),
    ];
    pairs().into_iter().chain(steps).collect()
}

fn listening() -> impl Iterator<Item = Step> {
    let fd = Fd(0);
    let bind = Call::Bind { fd, path: "/run/s".into() };
    let steps = [(0, Call::Socket), (0, bind), (0, Call::Listen { fd, backlog: 1 })];
    pairs().into_iter().chain(steps)
}

fn cell() -> impl Strategy<Value = SmolStr> {
    prop::sample::select(vec!["cell", "other"]).prop_map(SmolStr::new_static)
}

fn value() -> impl Strategy<Value = i64> {
    prop_oneof![3 => Just(0), 2 => Just(1), 1 => Just(-1), 1 => Just(1 << 32)]
}
