//! Symbolic links, files without a name, exchanged names, and file times.

use std::time::Duration;

use locklab_sys::{Call, Mode, OpenFlags, RenameFlag};
use proptest::prelude::*;
use proptest::sample::select;

use super::{Step, data, fd};

/// Calls on names, and on the times of what they mean.
pub fn call() -> BoxedStrategy<Call> {
    let links = prop_oneof![
        6 => (target(), path())
            .prop_map(|(target, path)| Call::Symlink { target: target.into(), path: path.into() }),
        2 => path().prop_map(|path| Call::Readlink { path: path.into() }),
        3 => path().prop_map(|path| Call::Lstat { path: path.into() }),
        2 => path().prop_map(|path| Call::Stat { path: path.into() }),
    ];
    let names = prop_oneof![
        6 => (path(), flags()).prop_map(|(path, flags)| Call::Open { path: path.into(), flags, mode: Mode::FILE }),
        2 => (path(), path())
            .prop_map(|(old, new)| Call::Link { old: old.into(), new: new.into() }),
        2 => (path(), path())
            .prop_map(|(old, new)| Call::Rename { old: old.into(), new: new.into() }),
        5 => (path(), path(), flag())
            .prop_map(|(old, new, flag)| Call::Renameat2 { old: old.into(), new: new.into(), flag }),
        2 => path().prop_map(|path| Call::Unlink { path: path.into() }),
        2 => path().prop_map(|path| Call::Mkdir { path: path.into(), mode: Mode::DIRECTORY }),
        1 => path().prop_map(|path| Call::Rmdir { path: path.into() }),
    ];
    let opened = prop_oneof![
        4 => (fd(), path()).prop_map(|(fd, new)| Call::LinkFd { fd, new: new.into() }),
        2 => fd().prop_map(|fd| Call::Fstat { fd }),
        2 => (fd(), data()).prop_map(|(fd, data)| Call::Write { fd, data }),
        1 => fd().prop_map(|fd| Call::Readdir { fd }),
        1 => fd().prop_map(|fd| Call::Close { fd }),
    ];
    let times = prop_oneof![
        4 => (path(), mtime(), any::<bool>())
            .prop_map(|(path, mtime, follow)| Call::Utimensat { path: path.into(), mtime, follow }),
        2 => (fd(), mtime()).prop_map(|(fd, mtime)| Call::Futimens { fd, mtime }),
    ];
    let rare = prop_oneof![
        2 => Just(Call::Socket),
        3 => (fd(), path()).prop_filter_map("a path", |(fd, path)| {
            (!path.is_empty()).then(|| Call::Bind { fd, path: path.into() })
        }),
        2 => (fd(), path()).prop_filter_map("a path", |(fd, path)| {
            (!path.is_empty()).then(|| Call::Connect { fd, path: path.into() })
        }),
        1 => (path(), fd(), any::<bool>())
            .prop_map(|(path, fd, removedir)| Call::Funlinkat { path: path.into(), fd, removedir }),
    ];
    prop_oneof![13 => links, 18 => names, 10 => opened, 6 => times, 2 => rare].boxed()
}

/// Few names, and all of them soon links to each other.
fn path() -> impl Strategy<Value = String> {
    let common =
        select(vec!["/tmp/a", "/tmp/b", "/tmp/d", "/tmp/d/a", "/tmp/d/d", "/tmp/l", "/tmp/l/a"]);
    let odd = select(vec![
        "/tmp/l/",
        "/tmp/a/",
        "/tmp/d/",
        "/tmp/d/d/",
        "/tmp/l/l/l/a",
        "/tmp/l/../a",
        "/tmp/d/d/../a",
        "/tmp/l/..",
        "/tmp/d/.",
        "/tmp//./l//b",
        "/nowhere/a",
        "l/a",
        "/",
        "",
    ]);
    prop_oneof![5 => common, 1 => odd].prop_map(str::to_owned)
}

/// Where links lead: somewhere near, mostly.
fn target() -> impl Strategy<Value = String> {
    let near = select(vec!["a", "b", "d", "l", "d/a", "/tmp/d", "/tmp/l", "/tmp/a", "../tmp/b"]);
    let odd = select(vec![".", "..", "/", "d/", "a/", "./d/.", "l/l/a", "/run/s", "nowhere/a", ""]);
    let long = select(vec![127, 128, 255, 256, 4095, 4096]).prop_map(|len| "n".repeat(len));
    prop_oneof![
        6 => near.prop_map(str::to_owned),
        3 => odd.prop_map(str::to_owned),
        1 => long,
    ]
}

fn flags() -> impl Strategy<Value = OpenFlags> {
    let access = select(vec![OpenFlags::RDONLY, OpenFlags::WRONLY, OpenFlags::RDWR]);
    let other = select(vec![
        OpenFlags::CREAT,
        OpenFlags::CREAT | OpenFlags::EXCL,
        OpenFlags::TMPFILE,
        OpenFlags::TMPFILE | OpenFlags::EXCL,
        OpenFlags::NOFOLLOW,
        OpenFlags::NOFOLLOW | OpenFlags::CREAT,
        OpenFlags::NOFOLLOW | OpenFlags::DIRECTORY,
        OpenFlags::NOFOLLOW | OpenFlags::TMPFILE,
        OpenFlags::DIRECTORY,
        OpenFlags::TRUNC,
        OpenFlags::TMPFILE | OpenFlags::TRUNC,
        OpenFlags::TMPFILE | OpenFlags::CREAT,
    ]);
    prop_oneof![
        1 => access.clone(),
        4 => (access, other).prop_map(|(access, other)| access | other),
    ]
}

fn flag() -> impl Strategy<Value = RenameFlag> {
    prop_oneof![1 => Just(RenameFlag::NoReplace), 2 => Just(RenameFlag::Exchange)]
}

/// Now, or long ago.
fn mtime() -> impl Strategy<Value = Option<Duration>> {
    prop::option::of((1_u64..4).prop_map(|seconds| Duration::new(seconds, 123_456_789)))
}

/// How programs may begin.
pub fn begins() -> Vec<Vec<Step>> {
    vec![linked(), round_about()]
}

/// Links to a directory with a file, to the file, to nothing and in a circle.
fn linked() -> Vec<Step> {
    let file = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
    let link =
        |target: &str, path: &str| (0, Call::Symlink { target: target.into(), path: path.into() });
    vec![
        (0, Call::Mkdir { path: "/tmp/d".into(), mode: Mode::DIRECTORY }),
        (0, Call::Open { path: "/tmp/d/a".into(), flags: file, mode: Mode::FILE }),
        link("d", "/tmp/l"),
        link("l/a", "/tmp/a"),
        link("d/d", "/tmp/b"),
        link("../l/d", "/tmp/d/d"),
    ]
}

/// A path that goes round forty links, and so cannot go round one more.
fn round_about() -> Vec<Step> {
    let steps = ["/tmp/l", "/tmp/a"].into_iter().zip([".", "b"]);
    let links =
        steps.map(|(path, target)| Call::Symlink { target: target.into(), path: path.into() });
    let (round, create) =
        ("/tmp/".to_owned() + &"l/".repeat(39), OpenFlags::WRONLY | OpenFlags::CREAT);
    let walks = ["a", "b", "l/a", "l/b", "l/l/b"].map(|last| format!("{round}{last}"));
    let calls = walks.into_iter().flat_map(|path| {
        let path = locklab_sys::SmolStr::new(path);
        [
            Call::Lstat { path: path.clone() },
            Call::Stat { path: path.clone() },
            Call::Open { path, flags: create, mode: Mode::FILE },
        ]
    });
    links.chain(calls).map(|call| (0, call)).collect()
}
