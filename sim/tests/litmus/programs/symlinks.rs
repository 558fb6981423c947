//! Symbolic links.

use locklab_sys::Call;

use super::{FD, calls, create, file, open, read, rename, stat, unlink};
use crate::program::Program;

fn symlink(target: &str, path: &str) -> Call {
    Call::Symlink { target: target.into(), path: path.into() }
}

fn readlink(path: &str) -> Call {
    Call::Readlink { path: path.into() }
}

pub fn programs() -> Vec<Program> {
    vec![
        Program::new(
            "symlink-symlink",
            vec![calls([symlink("x", "a")]), calls([symlink("y", "a")])],
        )
        .look([readlink("a")]),
        Program::new("symlink-create", vec![calls([symlink("x", "a")]), calls([create("a")])])
            .look([readlink("a"), stat("a")]),
        Program::new(
            "symlink-open",
            vec![calls([symlink("x", "a")]), calls([open("a"), read(FD, 9), readlink("a")])],
        )
        .with_files(file("x", "X")),
        Program::new(
            "symlink-readlink",
            vec![
                calls([symlink("x", "a"), unlink("a"), symlink("y", "a")]),
                calls([readlink("a"), readlink("a")]),
            ],
        ),
        Program::new(
            "symlink-replace",
            vec![
                calls([rename("b", "a")]),
                calls([open("a"), read(FD, 9), readlink("a"), stat("a")]),
            ],
        )
        .with_files(
            [file("x", "X"), file("y", "YY")]
                .concat()
                .into_iter()
                .chain([symlink("x", "a"), symlink("y", "b")]),
        ),
    ]
}
