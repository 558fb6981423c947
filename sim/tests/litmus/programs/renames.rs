//! `renameat2`, which replaces nothing, or exchanges.

use locklab_sys::{Call, RenameFlag};

use super::{FD, calls, close, content, create, file, open, read, rename, stat, unlink, write};
use crate::program::Program;

fn no_replace(old: &str, new: &str) -> Call {
    Call::Renameat2 { old: old.into(), new: new.into(), flag: RenameFlag::NoReplace }
}

fn exchange(old: &str, new: &str) -> Call {
    Call::Renameat2 { old: old.into(), new: new.into(), flag: RenameFlag::Exchange }
}

fn two_files() -> Vec<Call> {
    [file("a", "A"), file("b", "BB")].concat()
}

pub fn programs() -> Vec<Program> {
    let contents = || [content("a"), content("b")].concat();
    vec![
        Program::new(
            "noreplace-noreplace",
            vec![calls([no_replace("x", "a")]), calls([no_replace("y", "a")])],
        )
        .with_files([file("x", "X"), file("y", "Y")].concat())
        .look(content("a").into_iter().chain([stat("x"), stat("y")])),
        Program::new(
            "noreplace-create",
            vec![calls([no_replace("x", "a")]), calls([create("a"), write(FD, b"A")])],
        )
        .with_files(file("x", "X"))
        .look(content("a").into_iter().chain([stat("x")])),
        Program::new("noreplace-unlink", vec![calls([no_replace("x", "a")]), calls([unlink("a")])])
            .with_files([file("x", "X"), file("a", "A")].concat())
            .look(content("a").into_iter().chain([stat("x")])),
        // Never neither, and always one of both.
        Program::new(
            "exchange-stat",
            vec![calls([exchange("a", "b")]), calls([stat("a"), stat("b"), stat("a")])],
        )
        .with_files(two_files()),
        Program::new(
            "exchange-read",
            vec![
                calls([exchange("a", "b"), exchange("a", "b")]),
                calls([open("a"), read(FD, 9), close(FD), open("b"), read(FD, 9)]),
            ],
        )
        .with_files(two_files()),
        Program::new(
            "exchange-rename",
            vec![calls([exchange("a", "b")]), calls([rename("c", "a")])],
        )
        .with_files([two_files(), file("c", "CCC").into()].concat())
        .look(contents()),
        Program::new("exchange-unlink", vec![calls([exchange("a", "b")]), calls([unlink("a")])])
            .with_files(two_files())
            .look(contents()),
        Program::new(
            "exchange-exchange",
            vec![calls([exchange("a", "b")]), calls([exchange("b", "c")])],
        )
        .with_files([two_files(), file("c", "CCC").into()].concat())
        .look([contents(), content("c").into()].concat()),
    ]
}
