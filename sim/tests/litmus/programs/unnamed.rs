//! Files without a name (`O_TMPFILE`), which get one.

use locklab_sys::host::Step;
use locklab_sys::{Call, OpenFlags};

use super::{
    FD, FD2, calls, content, create, fstat, mkdir, open, open_with, read, stat, unlink, write,
};
use crate::program::Program;

/// That takes a while: so does what races with it.
fn prepare(what: &[u8]) -> [Call; 2] {
    [open_with("d", OpenFlags::RDWR | OpenFlags::TMPFILE), write(FD, what)]
}

/// A whole file appears at once.
fn publish(what: &[u8]) -> Vec<Step> {
    let name = Call::LinkFd { fd: FD, new: "d/a".into() };
    calls(prepare(what).into_iter().chain([name, fstat(FD)]))
}

fn meanwhile(then: impl IntoIterator<Item = Call>) -> Vec<Step> {
    calls(prepare(b"other").into_iter().chain(then))
}

pub fn programs() -> Vec<Program> {
    let in_directory = |name, racers| Program::new(name, racers).with_files([mkdir("d")]);
    vec![
        in_directory("linkfd-linkfd", vec![publish(b"A"), publish(b"B")])
            .look(content("d/a").into_iter().chain([stat("d/a")])),
        in_directory(
            "linkfd-create",
            vec![publish(b"A"), meanwhile([create("d/a"), write(FD2, b"B")])],
        )
        .look(content("d/a")),
        in_directory(
            "linkfd-read",
            vec![publish(b"A"), meanwhile([open("d/a"), read(FD2, 9), fstat(FD2)])],
        ),
        in_directory("linkfd-unlink", vec![publish(b"A"), meanwhile([unlink("d/a")])])
            .look([stat("d/a")]),
    ]
}
