//! How many names a file has, while they come and go.

use super::{FD, calls, file, fstat, link, open, rename, stat, unlink};
use crate::program::Program;

/// `unlink` and `rename` are two steps of Linux.
const STILL_FOUND: &str = "a path still leads to a file that has no link any more";

/// So is `link`.
const NOT_YET_FOUND: &str = "a link counts before its name is found";

fn is_linked_twice(told: &str, instead: &str) -> bool {
    [told, instead] == ["inode 0 with 2 links, 1 bytes", "inode 0 with 1 links, 1 bytes"]
}

/// It is the other file by then, or none.
fn is_linked_no_more(told: &str, _instead: &str) -> bool {
    told == "inode 0 with 0 links, 1 bytes"
}

pub fn programs() -> Vec<Program> {
    vec![
        Program::new("unlink-link", vec![calls([unlink("a")]), calls([link("a", "b")])])
            .with_files(file("a", "A"))
            .look([stat("a"), stat("b")]),
        Program::new(
            "link-stat",
            vec![calls([link("a", "b")]), calls([stat("b"), stat("a"), stat("b")])],
        )
        .with_files(file("a", "A"))
        .known(NOT_YET_FOUND, &[(1, 1)], is_linked_twice),
        Program::new(
            "link-fstat",
            vec![calls([link("a", "b")]), calls([open("a"), fstat(FD), stat("b")])],
        )
        .with_files(file("a", "A"))
        .known(NOT_YET_FOUND, &[(1, 1)], is_linked_twice),
        Program::new("unlink-stat", vec![calls([unlink("a")]), calls([stat("a"), stat("a")])])
            .with_files(file("a", "A"))
            .known(STILL_FOUND, &[(1, 0), (1, 1)], is_linked_no_more),
        Program::new(
            "unlink-fstat",
            vec![calls([unlink("a")]), calls([open("a"), fstat(FD), stat("a")])],
        )
        .with_files(file("a", "A"))
        .known(STILL_FOUND, &[(1, 2)], is_linked_no_more),
        Program::new(
            "rename-stat",
            vec![calls([rename("b", "a")]), calls([open("a"), stat("a"), fstat(FD)])],
        )
        .with_files([file("a", "A"), file("b", "BB")].concat())
        .known(STILL_FOUND, &[(1, 1)], is_linked_no_more),
        Program::new(
            "rename-fstat",
            vec![calls([rename("b", "a")]), calls([open("a"), fstat(FD), stat("a")])],
        )
        .with_files([file("a", "A"), file("b", "BB")].concat())
        .known(STILL_FOUND, &[(1, 2)], is_linked_no_more),
        Program::new(
            "rename-linked",
            vec![calls([rename("a", "b")]), calls([stat("a"), stat("b"), stat("a")])],
        )
        .with_files(file("a", "A").into_iter().chain([link("a", "c")])),
    ]
}
