use std::time::Duration;

use locklab_sys::{Call, Disposition, Pid, Signal};
use proptest::prelude::*;

use super::{Step, locks, process, processes, sockets};

/// Signals that a process can choose what to do at.
pub fn call() -> BoxedStrategy<Call> {
    prop_oneof![
        8 => (process(), sent()).prop_map(|(pid, signal)| Call::Kill { pid, signal }),
        2 => (signal(), disposition())
            .prop_map(|(signal, disposition)| Call::Sigaction { signal, disposition }),
        1 => timer().prop_map(|after| Call::Setitimer { after }),
        1 => prop::sample::select(vec!["SIGALRM", "SIGCONT"])
            .prop_map(|cell| Call::CellRead { cell: cell.into() }),
    ]
    .boxed()
}

/// Each of the first three has a handler, and something to wait for, in which the
/// first may be interrupted.
pub fn begins() -> Vec<Vec<Step>> {
    let interrupts = vec![(2, Call::Kill { pid: Pid(0), signal: Signal::Alrm })];
    let interrupted =
        sockets::waiting().into_iter().map(|begin| [begin, interrupts.clone()].concat());
    let others = [
        locks::waits(),
        sockets::begins(),
        sockets::waiting(),
        interrupted.collect(),
        processes::waiting(),
    ];
    let others = others.concat();
    others.into_iter().map(|other| [handled(), other].concat()).collect()
}

/// Each of the first three has a handler.
fn handled() -> Vec<Step> {
    let sigaction = |signal, restart| {
        let disposition = Disposition::Handle { restart };
        Call::Sigaction { signal, disposition }
    };
    vec![
        (0, sigaction(Signal::Alrm, false)),
        (1, sigaction(Signal::Alrm, true)),
        (2, sigaction(Signal::Alrm, false)),
        (2, sigaction(Signal::Cont, true)),
    ]
}

fn sent() -> impl Strategy<Value = Signal> {
    prop_oneof![4 => Just(Signal::Alrm), 1 => Just(Signal::Stop), 2 => Just(Signal::Cont)]
}

fn signal() -> impl Strategy<Value = Signal> {
    prop_oneof![8 => Just(Signal::Alrm), 4 => Just(Signal::Cont), 1 => Just(Signal::Kill)]
}

fn disposition() -> impl Strategy<Value = Disposition> {
    let handle = any::<bool>().prop_map(|restart| Disposition::Handle { restart });
    prop_oneof![4 => handle, 1 => Just(Disposition::Ignore), 1 => Just(Disposition::Default)]
}

/// At once, in the far future, or never.
fn timer() -> impl Strategy<Value = Duration> {
    let times = [Duration::from_millis(1), Duration::from_secs(1_000_000), Duration::ZERO];
    prop::sample::select(times.to_vec())
}
