//! Names that come and go: creating, linking, renaming, removing.

use super::{
    FD, calls, close, content, create, file, fstat, link, mkdir, open, read, rename, rmdir, stat,
    unlink, write,
};
use crate::program::Program;

pub fn programs() -> Vec<Program> {
    vec![
        Program::new(
            "create-create",
            vec![calls([create("a"), write(FD, b"A")]), calls([create("a"), write(FD, b"B")])],
        )
        .look(content("a")),
        Program::new(
            "create-of-three",
            vec![calls([create("a")]), calls([create("a")]), calls([create("a")])],
        )
        .look([stat("a")]),
        Program::new("link-link", vec![calls([link("x", "a")]), calls([link("y", "a")])])
            .with_files([file("x", "A"), file("y", "B")].concat())
            .look(content("a").into_iter().chain([stat("x"), stat("y")])),
        Program::new("mkdir-mkdir", vec![calls([mkdir("d")]), calls([mkdir("d")])])
            .look([stat("d")]),
        Program::new(
            "mkdir-rmdir",
            vec![calls([mkdir("d"), rmdir("d")]), calls([mkdir("d"), rmdir("d")])],
        )
        .look([stat("d")]),
        // Never no file, and never half a file.
        Program::new(
            "rename-over-read",
            vec![
                calls([rename("new", "a"), rename("newer", "a")]),
                calls([open("a"), read(FD, 9), close(FD), open("a"), read(FD, 9)]),
            ],
        )
        .with_files([file("a", "old"), file("new", "new"), file("newer", "newer")].concat())
        .look(content("a")),
        Program::new("rename-rename", vec![calls([rename("a", "b")]), calls([rename("b", "a")])])
            .with_files([file("a", "A"), file("b", "B")].concat())
            .look([content("a"), content("b")].concat()),
        Program::new(
            "rename-to-one-name",
            vec![calls([rename("x", "a")]), calls([rename("y", "a")])],
        )
        .with_files([file("x", "A"), file("y", "B")].concat())
        .look(content("a").into_iter().chain([stat("x"), stat("y")])),
        // Of three who move it away, one has it.
        Program::new(
            "rename-away",
            vec![calls([rename("a", "x")]), calls([rename("a", "y")]), calls([rename("a", "z")])],
        )
        .with_files(file("a", "A"))
        .look([stat("x"), stat("y"), stat("z")]),
        Program::new("unlink-open", vec![calls([unlink("a")]), calls([open("a"), fstat(FD)])])
            .with_files(file("a", "A")),
        Program::new("unlink-unlink", vec![calls([unlink("a")]), calls([unlink("a")])])
            .with_files(file("a", "A")),
        Program::new(
            "unlink-create",
            vec![calls([unlink("a")]), calls([create("a"), write(FD, b"B")])],
        )
        .with_files(file("a", "A"))
        .look(content("a")),
        // The lost claim: both judge, and both remove.
        Program::new(
            "unlink-create-twice",
            vec![
                calls([unlink("a"), create("a"), write(FD, b"A")]),
                calls([unlink("a"), create("a"), write(FD, b"B")]),
            ],
        )
        .with_files(file("a", "dead"))
        .look(content("a")),
        // Who says "I want it" and then looks whether others do: never do both
        // see nobody.
        Program::new(
            "flags",
            vec![calls([create("a"), stat("b")]), calls([create("b"), stat("a")])],
        ),
        // And when it is known that they are not there.
        Program::new(
            "flags-looked-for-before",
            vec![
                calls([stat("b"), create("a"), stat("b")]),
                calls([stat("a"), create("b"), stat("a")]),
            ],
        ),
        Program::new(
            "one-after-the-other",
            vec![
                calls([create("a"), create("b")]),
                calls([stat("b"), stat("a"), stat("b"), stat("a")]),
            ],
        ),
        Program::new(
            "told-by-a-third",
            vec![
                calls([create("a")]),
                calls([stat("a"), create("b")]),
                calls([stat("b"), stat("a")]),
            ],
        ),
        Program::new(
            "moved-between-directories",
            vec![
                calls([rename("d/a", "e/a"), rename("e/a", "d/a")]),
                calls([stat("d/a"), stat("e/a"), stat("d/a")]),
            ],
        )
        .with_files([mkdir("d"), mkdir("e")].into_iter().chain(file("d/a", "A"))),
    ]
}
