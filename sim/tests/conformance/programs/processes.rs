use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Call, Clock, Image, Pid, Signal};
use proptest::prelude::*;

use super::{Step, fd, process};

/// Calls on processes, and what else is neither of files nor of sockets.
pub fn call() -> BoxedStrategy<Call> {
    prop_oneof![
        4 => prop::collection::vec(fd(), 0..2)
            .prop_map(|keep| Call::Spawn { image: child(), keep: keep.into() }),
        4 => process().prop_map(|pid| Call::Wait { pid }),
        2 => process().prop_map(|pid| Call::ProcStat { pid }),
        2 => process().prop_map(|pid| Call::ProcStatus { pid }),
        4 => (process(), signal()).prop_map(|(pid, signal)| Call::Kill { pid, signal }),
        3 => process().prop_map(|pid| Call::PidfdOpen { pid }),
        2 => (fd(), signal()).prop_map(|(pidfd, signal)| Call::PidfdSendSignal { pidfd, signal }),
        3 => (prop::collection::vec(fd(), 0..3), timeout())
            .prop_map(|(fds, timeout)| Call::Poll { fds: fds.into(), timeout }),
        2 => signal().prop_map(|signal| Call::ParentDeathSignal { signal }),
        2 => any::<u8>().prop_map(|code| Call::Exit { code }),
        1 => Just(Call::Getpid),
        1 => Just(Call::Getppid),
        1 => Just(Call::BootId),
        1 => clock().prop_map(|clock| Call::ClockGettime { clock }),
        1 => (0_u64..3).prop_map(|millis| Call::Nanosleep { duration: Duration::from_millis(millis) }),
        1 => (0_u8..9).prop_map(|len| Call::Getrandom { len }),
        1 => Just(Call::CellRead { cell: "cell".into() }),
        1 => any::<i64>().prop_map(|value| Call::CellWrite { cell: "cell".into(), value }),
    ]
    .boxed()
}

pub fn begins() -> Vec<Vec<Step>> {
    vec![departed(), bereaved()]
}

/// The first waits for a child, or for nothing.
pub fn waiting() -> Vec<Vec<Step>> {
    let spawn = Call::Spawn { image: child(), keep: Arc::default() };
    vec![
        vec![(0, spawn), (0, Call::Wait { pid: Pid(1) })],
        vec![(0, Call::Poll { fds: Arc::default(), timeout: None })],
    ]
}

/// A process that somebody knows by a pidfd has ended.
fn departed() -> Vec<Step> {
    vec![(0, Call::PidfdOpen { pid: Pid(1) }), (1, Call::Exit { code: 0 })]
}

/// A child has ended, and is not waited for yet.
fn bereaved() -> Vec<Step> {
    vec![(0, Call::Spawn { image: child(), keep: Arc::default() }), (3, Call::Exit { code: 7 })]
}

/// What a child runs: nothing, as long as it is not told to.
fn child() -> Image {
    Image::new("puppet", "", |_| std::future::pending())
}

fn signal() -> impl Strategy<Value = Signal> {
    prop::sample::select(vec![
        Signal::Probe,
        Signal::Stop,
        Signal::Cont,
        Signal::Kill,
        Signal::Alrm,
    ])
}

fn clock() -> impl Strategy<Value = Clock> {
    prop::sample::select(vec![Clock::Realtime, Clock::Monotonic, Clock::Boottime])
}

/// Short, since it is waited for; or for ever.
fn timeout() -> impl Strategy<Value = Option<Duration>> {
    prop::sample::select(vec![None, Some(Duration::ZERO), Some(Duration::from_millis(2))])
}
