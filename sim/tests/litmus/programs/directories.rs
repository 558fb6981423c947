//! Directories, and what is in them.

use locklab_sys::{Call, OpenFlags};

use super::{FD, calls, close, create, file, link, mkdir, open_with, rename, rmdir, stat, unlink};
use crate::program::Program;

fn open_directory(path: &str) -> Call {
    open_with(path, OpenFlags::RDONLY | OpenFlags::DIRECTORY)
}

/// A long list is told in parts, by several system calls.
const IN_PARTS: &str =
    "of a large directory, a name is missed or told twice that is changed meanwhile";

fn readdir() -> Call {
    Call::Readdir { fd: FD }
}

pub fn programs() -> Vec<Program> {
    vec![
        Program::new("rmdir-create", vec![calls([rmdir("d")]), calls([create("d/a")])])
            .with_files([mkdir("d")])
            .look([stat("d"), stat("d/a")]),
        Program::new("rmdir-mkdir", vec![calls([rmdir("d")]), calls([mkdir("d/e")])])
            .with_files([mkdir("d")])
            .look([stat("d"), stat("d/e")]),
        Program::new(
            "rename-directories",
            vec![calls([rename("x", "d")]), calls([rename("y", "d")])],
        )
        .with_files([mkdir("x"), create("x/a"), mkdir("y"), create("y/b")])
        .look([stat("d/a"), stat("d/b"), stat("x"), stat("y")]),
        Program::new(
            "readdir-create",
            vec![calls([create("d/a"), create("d/b")]), calls([open_directory("d"), readdir()])],
        )
        .with_files([mkdir("d")]),
        Program::new(
            "readdir-unlink",
            vec![calls([unlink("d/a"), unlink("d/b")]), calls([open_directory("d"), readdir()])],
        )
        .with_files([mkdir("d"), create("d/a"), create("d/b")]),
        Program::new(
            "readdir-rename",
            vec![calls([rename("d/a", "d/b")]), calls([open_directory("d"), readdir()])],
        )
        .with_files([mkdir("d"), create("d/a")]),
        Program::new(
            "readdir-replace",
            vec![
                calls([create("d/b"), unlink("d/a")]),
                calls([open_directory("d"), readdir(), readdir()]),
            ],
        )
        .with_files([mkdir("d"), create("d/a")]),
        Program::new(
            "readdir-link",
            vec![
                calls([link("d/a", "d/b"), unlink("d/a")]),
                calls([open_directory("d"), readdir(), readdir()]),
            ],
        )
        .with_files([mkdir("d")].into_iter().chain(file("d/a", "A"))),
        Program::new(
            "readdir-large",
            vec![
                calls([rename("d/a", "d/b"), rename("d/b", "d/c"), rename("d/c", "d/d")]),
                calls([open_directory("d"), readdir()]),
            ],
        )
        .with_files(large_directory())
        .known(IN_PARTS, &[(1, 1)], |told, _| {
            let short = told.strip_prefix('[').and_then(|told| told.strip_suffix(" and 40]"));
            let mut short = short.into_iter().flat_map(|it| it.split(' '));
            short.all(|it| ["", "a", "b", "c", "d"].contains(&it))
        }),
    ]
}

/// More than is told at once.
fn large_directory() -> Vec<Call> {
    const NAMES: usize = 40;
    let name = |number: usize| format!("d/{}{number}", "x".repeat(250));
    let files = (0..NAMES).flat_map(|number| [create(&name(number)), close(FD)]);
    [mkdir("d"), create("d/a"), close(FD)].into_iter().chain(files).collect()
}
