//! Descriptors that stand for processes, while these end.

use std::time::Duration;

use locklab_sys::{Call, Signal};

use super::processes::{CHILD, exit, family, holder, stat_of};
use super::{FD, FD2, calls, open, try_lock};
use crate::program::{Beginning, Program};

const PIDFD_OPEN: Call = Call::PidfdOpen { pid: CHILD };

fn signal(signal: Signal) -> Call {
    Call::PidfdSendSignal { pidfd: FD, signal }
}

fn poll(timeout: Option<Duration>) -> Call {
    Call::Poll { fds: [FD].into(), timeout }
}

/// The third has a descriptor of the child.
fn known_child(mut beginnings: Vec<Beginning>) -> Vec<Beginning> {
    beginnings.push(Beginning::Calls(2, vec![PIDFD_OPEN]));
    beginnings
}

/// A parent waits for its child, which ends.
fn ending(name: &'static str, third: impl IntoIterator<Item = Call>) -> Program {
    let wait = Call::Wait { pid: CHILD };
    Program::new(name, vec![calls([wait]), calls([exit()]), calls(third)])
}

pub fn programs() -> Vec<Program> {
    let now = || poll(Some(Duration::ZERO));
    vec![
        ending("pidfd-open-exit", [PIDFD_OPEN, PIDFD_OPEN]).with_processes(family()),
        ending("pidfd-open-poll-exit", [PIDFD_OPEN, now(), stat_of(CHILD)])
            .with_processes(family()),
        ending("pidfd-poll-exit", [now(), now()]).with_processes(known_child(family())),
        ending("pidfd-signal-exit", [signal(Signal::Probe), now(), signal(Signal::Probe)])
            .with_processes(known_child(family())),
        // Who is seen to have ended has no lock.
        Program::new(
            "pidfd-kill-lock",
            vec![
                Vec::new(),
                Vec::new(),
                calls([open("x"), signal(Signal::Kill), poll(None), try_lock(FD2)]),
            ],
        )
        .with_processes(known_child(holder())),
    ]
}
