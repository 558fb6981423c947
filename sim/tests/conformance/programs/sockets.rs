use std::time::Duration;

use locklab_sys::{Call, Direction, Fd, Shutdown};
use proptest::prelude::*;

use super::{Step, data, fd, path};

/// Calls on Unix sockets.
pub fn call() -> BoxedStrategy<Call> {
    prop_oneof![
        5 => Just(Call::Socket),
        3 => (fd(), address()).prop_map(|(fd, path)| Call::Bind { fd, path: path.into() }),
        4 => (fd(), 0_u32..3).prop_map(|(fd, backlog)| Call::Listen { fd, backlog }),
        5 => (fd(), address()).prop_map(|(fd, path)| Call::Connect { fd, path: path.into() }),
        4 => fd().prop_map(|fd| Call::Accept { fd }),
        4 => (fd(), data()).prop_map(|(fd, data)| Call::Send { fd, data }),
        4 => (fd(), 0_u32..9).prop_map(|(fd, len)| Call::Recv { fd, len }),
        2 => (fd(), how()).prop_map(|(fd, how)| Call::Shutdown { fd, how }),
        2 => (fd(), direction(), timeout())
            .prop_map(|(fd, of, timeout)| Call::SetTimeout { fd, of, timeout }),
        1 => fd().prop_map(|fd| Call::PeerCred { fd }),
        2 => fd().prop_map(|fd| Call::Close { fd }),
        1 => path().prop_map(|path| Call::Unlink { path: path.into() }),
    ]
    .boxed()
}

fn how() -> impl Strategy<Value = Shutdown> {
    prop::sample::select(vec![Shutdown::Read, Shutdown::Write, Shutdown::Both])
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Receive, Direction::Send])
}

/// Short: a wait with a time-out is waited for.
fn timeout() -> impl Strategy<Value = Option<Duration>> {
    prop::sample::select(vec![None, Some(Duration::from_millis(4))])
}

/// The path of a socket. No path at all is an abstract address to Linux, which
/// the model does not have.
fn address() -> impl Strategy<Value = String> {
    path().prop_filter("a path", |path| !path.is_empty())
}

pub fn begins() -> Vec<Vec<Step>> {
    vec![listening(), full()]
}

/// Calls that wait where somebody listens or has connected.
pub fn waits() -> BoxedStrategy<Call> {
    prop_oneof![
        3 => fd().prop_map(|fd| Call::Accept { fd }),
        3 => (fd(), 1_u32..9).prop_map(|(fd, len)| Call::Recv { fd, len }),
        1 => (fd(), data()).prop_map(|(fd, data)| Call::Send { fd, data }),
        1 => Just(Call::Connect { fd: Fd(0), path: "/run/s".into() }),
        1 => Just(Call::Socket),
        1 => (fd(), direction(), timeout())
            .prop_map(|(fd, of, timeout)| Call::SetTimeout { fd, of, timeout }),
    ]
    .boxed()
}

/// The first has accepted a connection, and waits for another, or for something
/// to receive; who has connected for that, too.
pub fn waiting() -> Vec<Vec<Step>> {
    let accepts = (0, Call::Accept { fd: Fd(0) });
    let [near, far] = [0, 1].map(|fd| Call::Recv { fd: Fd(fd), len: 9 });
    [accepts.clone(), (0, far)]
        .map(|waits| {
            let then = [accepts.clone(), waits, (1, near.clone())];
            listening().into_iter().chain(then).collect()
        })
        .into()
}

/// Whoever connects waits: somebody listens, and has as many as it wants.
fn full() -> Vec<Step> {
    let path = || "/run/s".into();
    vec![
        (1, Call::Socket),
        (1, Call::Bind { fd: Fd(0), path: path() }),
        (1, Call::Listen { fd: Fd(0), backlog: 0 }),
        (2, Call::Socket),
        (2, Call::Connect { fd: Fd(0), path: path() }),
        (0, Call::Socket),
        (0, Call::Connect { fd: Fd(0), path: path() }),
    ]
}

/// Somebody listens, and somebody connects.
fn listening() -> Vec<Step> {
    let path = || "/run/s".into();
    vec![
        (0, Call::Socket),
        (0, Call::Bind { fd: Fd(0), path: path() }),
        (0, Call::Listen { fd: Fd(0), backlog: 1 }),
        (1, Call::Socket),
        (1, Call::Connect { fd: Fd(0), path: path() }),
    ]
}
