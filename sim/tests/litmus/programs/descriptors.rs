//! Descriptors that processes share: a child has inherited them.

use locklab_sys::{Call, OpenFlags};

use super::{FD, calls, content, file, open, open_with, read, write};
use crate::program::{Beginning, Program};

/// A process has opened a file, and its child has it from there.
fn inherited(calls: Vec<Call>) -> Vec<Beginning> {
    vec![
        Beginning::Launch,
        Beginning::Calls(0, calls),
        Beginning::Fork { parent: 0, keep: vec![FD] },
    ]
}

pub fn programs() -> Vec<Program> {
    let create = open_with("a", OpenFlags::RDWR | OpenFlags::CREAT);
    vec![
        Program::new(
            "shared-offset-write",
            vec![
                calls([write(FD, b"aa"), write(FD, b"bb")]),
                calls([write(FD, b"cc"), write(FD, b"dd")]),
            ],
        )
        .with_processes(inherited(vec![create]))
        .look(content("a")),
        Program::new(
            "shared-offset-read",
            vec![calls([read(FD, 2), read(FD, 2)]), calls([read(FD, 2), read(FD, 2)])],
        )
        .with_processes(inherited([&file("a", "12345678")[..], &[open("a")]].concat())),
    ]
}
