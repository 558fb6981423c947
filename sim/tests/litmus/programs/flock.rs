//! Locks of the kernel.

use locklab_sys::{Call, FlockOp, OpenFlags};

use super::{FD, calls, content, fstat, lock, open_with, read, stat, try_lock, unlink, write};
use crate::program::Program;

fn open_lock() -> Call {
    open_with("lock", OpenFlags::RDWR | OpenFlags::CREAT)
}

pub fn programs() -> Vec<Program> {
    let unlock = || Call::Flock { fd: FD, op: FlockOp::Unlock };
    vec![
        // Who comes when the other has closed all has it, too.
        Program::new(
            "try-lock",
            vec![calls([open_lock(), try_lock(FD)]), calls([open_lock(), try_lock(FD)])],
        ),
        Program::new(
            "lock-and-write",
            vec![
                calls([open_lock(), lock(FD), read(FD, 9), write(FD, b"A"), unlock()]),
                calls([open_lock(), lock(FD), read(FD, 9), write(FD, b"B"), unlock()]),
            ],
        )
        .look(content("lock")),
        Program::new(
            "lock-of-three",
            vec![
                calls([open_lock(), lock(FD), read(FD, 9), write(FD, b"A")]),
                calls([open_lock(), lock(FD), read(FD, 9), write(FD, b"B")]),
                calls([open_lock(), try_lock(FD), read(FD, 9)]),
            ],
        )
        .look(content("lock")),
        // Whether what is locked is still what stands there: the second look.
        Program::new(
            "lock-look-again",
            vec![
                calls([open_lock(), lock(FD), fstat(FD), stat("lock")]),
                calls([open_lock(), lock(FD), fstat(FD), unlink("lock")]),
            ],
        ),
        Program::new(
            "lock-look-again-both",
            vec![
                calls([open_lock(), lock(FD), stat("lock"), fstat(FD), unlink("lock")]),
                calls([open_lock(), lock(FD), stat("lock"), fstat(FD), unlink("lock")]),
            ],
        ),
    ]
}
