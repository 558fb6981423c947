use locklab_sys::{Call, Mode, OpenFlags};
use proptest::prelude::*;

use super::locks::flock;
use super::{Step, data, fd, path};

/// Calls on files and directories.
pub fn call() -> BoxedStrategy<Call> {
    prop_oneof![
        6 => (path(), flags()).prop_map(|(path, flags)| open(&path, flags)),
        3 => (fd(), 0_u32..9).prop_map(|(fd, len)| Call::Read { fd, len }),
        3 => (fd(), data()).prop_map(|(fd, data)| Call::Write { fd, data }),
        3 => fd().prop_map(|fd| Call::Close { fd }),
        3 => path().prop_map(|path| Call::Stat { path: path.into() }),
        2 => fd().prop_map(|fd| Call::Fstat { fd }),
        3 => (path(), path())
            .prop_map(|(old, new)| Call::Link { old: old.into(), new: new.into() }),
        3 => (path(), path())
            .prop_map(|(old, new)| Call::Rename { old: old.into(), new: new.into() }),
        4 => path().prop_map(|path| Call::Unlink { path: path.into() }),
        2 => path().prop_map(|path| mkdir(&path)),
        2 => path().prop_map(|path| Call::Rmdir { path: path.into() }),
        1 => fd().prop_map(|fd| Call::Fsync { fd }),
        2 => fd().prop_map(|fd| Call::Readdir { fd }),
        3 => (fd(), flock()).prop_map(|(fd, op)| Call::Flock { fd, op }),
    ]
    .boxed()
}

pub(super) fn open(path: &str, flags: OpenFlags) -> Call {
    Call::Open { path: path.into(), flags, mode: Mode::FILE }
}

fn mkdir(path: &str) -> Call {
    Call::Mkdir { path: path.into(), mode: Mode::DIRECTORY }
}

pub(super) fn flags() -> impl Strategy<Value = OpenFlags> {
    let any_of = |flags: Vec<OpenFlags>| {
        let count = flags.len();
        prop::sample::subsequence(flags, 0..count)
            .prop_map(|some| some.into_iter().fold(OpenFlags::RDONLY, |all, flag| all | flag))
    };
    prop_oneof![
        4 => Just(OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL),
        4 => Just(OpenFlags::RDONLY),
        2 => Just(OpenFlags::RDWR | OpenFlags::CREAT),
        1 => Just(OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC),
        2 => Just(OpenFlags::RDONLY | OpenFlags::DIRECTORY),
        1 => any_of(vec![
            OpenFlags::WRONLY,
            OpenFlags::CREAT,
            OpenFlags::EXCL,
            OpenFlags::TRUNC,
            OpenFlags::DIRECTORY,
        ]),
    ]
}

pub fn begins() -> Vec<Vec<Step>> {
    vec![reading(), removed()]
}

/// A directory that was removed is still open.
fn removed() -> Vec<Step> {
    let directory = OpenFlags::RDONLY | OpenFlags::DIRECTORY;
    vec![
        (0, mkdir("/tmp/d")),
        (0, open("/tmp/d", directory)),
        (1, Call::Rmdir { path: "/tmp/d".into() }),
    ]
}

/// There is a directory with a file in it, and it is open.
fn reading() -> Vec<Step> {
    let file = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
    let directory = OpenFlags::RDONLY | OpenFlags::DIRECTORY;
    vec![(0, mkdir("/tmp/d")), (0, open("/tmp/d/a", file)), (1, open("/tmp/d", directory))]
}
