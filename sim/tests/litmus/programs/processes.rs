//! Processes that begin and end, and what others see of it.

use locklab_sys::host::Step;
use locklab_sys::{Call, Fd, OpenFlags, Pid, Signal};

use super::{FD, FD2, calls, create, lock, open, open_with, stat, try_lock};
use crate::program::{Beginning, Program};

const PARENT: Pid = Pid(0);
pub(super) const CHILD: Pid = Pid(1);

fn probe(pid: Pid) -> Call {
    Call::Kill { pid, signal: Signal::Probe }
}

pub(super) fn exit() -> Call {
    Call::Exit { code: 7 }
}

pub(super) fn stat_of(pid: Pid) -> Call {
    Call::ProcStat { pid }
}

/// Somebody has a child, and there is a third.
pub(super) fn family() -> Vec<Beginning> {
    vec![Beginning::Launch, Beginning::Fork { parent: 0, keep: Vec::new() }, Beginning::Launch]
}

fn open_lock(path: &str) -> Call {
    open_with(path, OpenFlags::RDWR | OpenFlags::CREAT)
}

const FREED_BEFORE: &str = "a process is seen to run whose lock is free already";

const FREED_APART: &str = "one lock of a process that ends is free before the other";

const KILLED_LATER: &str = "a killed process ends after `kill` has returned";

const STOPPED_LATER: &str = "a stopped process stops after `kill` has returned";

const READ_LATER: &str =
    "between the opening and the reading of its `/proc` file, a process goes: ESRCH";

fn is_read_later(told: &str, instead: &str) -> bool {
    [told, instead] == ["ESRCH", "ENOENT"]
}

fn still_runs(told: &str, instead: &str) -> bool {
    [told, instead] == ["runs", "zombie"]
}

/// So much does somebody have open that it takes a while to close it: what was
/// opened last is freed first.
const MUCH: u32 = 200;

fn open_much() -> impl Iterator<Item = Call> {
    (0..MUCH).map(|_| open("/"))
}

/// Somebody has a child that opens much and then holds a lock, and there is a
/// third.
pub(super) fn holder() -> Vec<Beginning> {
    let lock = [open_lock("x"), lock(Fd(FD.0 + MUCH))];
    vec![
        Beginning::Launch,
        Beginning::Fork { parent: 0, keep: Vec::new() },
        Beginning::Calls(1, open_much().chain(lock).collect()),
        Beginning::Launch,
    ]
}

/// Somebody holds two locks, and has opened much in between.
fn holder_of_two() -> Vec<Beginning> {
    let one = [open_lock("x"), lock(FD)].into_iter();
    let other = [open_lock("y"), lock(Fd(FD2.0 + MUCH))];
    let calls = one.chain(open_much()).chain(other).collect();
    vec![Beginning::Launch, Beginning::Calls(0, calls), Beginning::Launch]
}

pub fn programs() -> Vec<Program> {
    vec![
        Program::new(
            "exit-wait-probe",
            vec![
                calls([Call::Wait { pid: CHILD }]),
                calls([exit()]),
                calls([stat_of(CHILD), probe(CHILD), stat_of(CHILD)]),
            ],
        )
        .with_processes(family())
        .known(READ_LATER, &[(2, 0), (2, 2)], is_read_later),
        Program::new(
            "spawn-wait-probe",
            vec![
                vec![
                    Step::Fork { keep: Vec::new(), child: calls([create("a"), exit()]) },
                    Step::Call(Call::Wait { pid: Pid(2) }),
                ],
                calls([stat("a"), probe(Pid(2)), stat("a"), probe(Pid(2))]),
            ],
        )
        .with_processes(vec![Beginning::Launch, Beginning::Launch]),
        Program::new(
            "orphan",
            vec![calls([exit()]), calls([Call::Getppid, probe(PARENT), Call::Getppid])],
        )
        .with_processes(vec![Beginning::Launch, Beginning::Fork { parent: 0, keep: Vec::new() }]),
        Program::new(
            "exit-frees-locks",
            vec![calls([exit()]), calls([open("x"), open("y"), lock(FD2), try_lock(FD)])],
        )
        .with_processes(holder_of_two())
        .known(FREED_APART, &[(1, 3)], |told, instead| [told, instead] == ["EAGAIN", "ok"]),
        Program::new(
            "exit-lock-probe",
            vec![Vec::new(), calls([exit()]), calls([open("x"), lock(FD), stat_of(CHILD)])],
        )
        .with_processes(holder())
        .known(FREED_BEFORE, &[(2, 2)], still_runs),
        Program::new(
            "kill-lock",
            vec![
                Vec::new(),
                Vec::new(),
                calls([
                    open("x"),
                    Call::Kill { pid: CHILD, signal: Signal::Kill },
                    try_lock(FD),
                    stat_of(CHILD),
                ]),
            ],
        )
        .with_processes(holder())
        .known(FREED_BEFORE, &[(2, 3)], still_runs)
        .known(KILLED_LATER, &[(2, 2), (2, 3)], |told, instead| {
            [told, instead] == ["EAGAIN", "ok"] || still_runs(told, instead)
        }),
        Program::new(
            "stop-stat",
            vec![
                calls([create("a")]),
                calls([
                    Call::Kill { pid: PARENT, signal: Signal::Stop },
                    stat("a"),
                    stat_of(PARENT),
                    stat("a"),
                    Call::Kill { pid: PARENT, signal: Signal::Cont },
                ]),
            ],
        )
        .with_processes(vec![Beginning::Launch, Beginning::Launch])
        .known(STOPPED_LATER, &[(1, 1), (1, 2)], |told, instead| {
            [told, instead] == ["ENOENT", "inode 0 with 1 links, 0 bytes"]
                || [told, instead] == ["runs", "stopped"]
        }),
    ]
}
