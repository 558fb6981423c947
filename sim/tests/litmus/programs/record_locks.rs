//! Locks of byte ranges: those of a process, and those of a description.

use locklab_sys::{Call, Fd, LockCommand, LockKind, OpenFlags, RecordLock};

use super::{FD, FD2, calls, close, content, open_with, read, write};
use crate::program::Program;

fn open_lock() -> Call {
    open_with("lock", OpenFlags::RDWR | OpenFlags::CREAT)
}

fn fcntl(command: LockCommand, kind: LockKind, start: i64) -> Call {
    Call::Fcntl { fd: FD, command, lock: RecordLock { kind, start, len: 1 } }
}

fn set(command: LockCommand) -> Call {
    fcntl(command, LockKind::Write, 0)
}

fn wait_for(start: i64) -> Call {
    fcntl(LockCommand::SetWait, LockKind::Write, start)
}

/// Two ask for the same byte.
fn both_set(name: &'static str, commands: [LockCommand; 2]) -> Program {
    Program::new(name, commands.map(|it| calls([open_lock(), set(it)])).into())
}

/// Who has the lock reads what others wrote before, and writes.
fn write_locked(name: &'static str, command: LockCommand) -> Program {
    let unlock = fcntl(command, LockKind::Unlock, 0);
    let racer =
        |by: &[u8]| calls([open_lock(), set(command), read(FD, 9), write(FD, by), unlock.clone()]);
    Program::new(name, vec![racer(b"A"), racer(b"B")]).look(content("lock"))
}

/// A process loses its locks with any descriptor of the file.
fn lost_by_close(name: &'static str, closed: Fd) -> Program {
    Program::new(
        name,
        vec![
            calls([
                open_lock(),
                open_lock(),
                wait_for(0),
                write(FD, b"A"),
                close(closed),
                write(FD, b"B"),
            ]),
            calls([open_lock(), wait_for(0), read(FD, 9), read(FD, 9)]),
        ],
    )
}

pub fn programs() -> Vec<Program> {
    use LockCommand::{Get, OfdSet, OfdSetWait, Set, SetWait};
    vec![
        both_set("setlk-setlk", [Set, Set]),
        both_set("ofd-setlk-setlk", [OfdSet, OfdSet]),
        both_set("setlk-ofd-setlk", [Set, OfdSet]),
        write_locked("setlkw-and-write", SetWait),
        write_locked("ofd-setlkw-and-write", OfdSetWait),
        lost_by_close("setlkw-close", FD),
        lost_by_close("setlkw-close-another", FD2),
        // One is told of it, and the other gets the lock.
        Program::new(
            "setlkw-deadlock",
            vec![
                calls([open_lock(), wait_for(0), wait_for(1)]),
                calls([open_lock(), wait_for(1), wait_for(0)]),
            ],
        ),
        Program::new(
            "setlk-getlk",
            vec![
                calls([open_lock(), set(Set), fcntl(Set, LockKind::Unlock, 0)]),
                calls([open_lock(), set(Get), set(Get)]),
            ],
        ),
    ]
}
