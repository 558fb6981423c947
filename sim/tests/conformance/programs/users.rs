use locklab_sys::{Call, Mode, OpenFlags, Uid};
use proptest::prelude::*;

use super::files::flags;
use super::{Identity, Step, fd, path, process};

/// Calls on users, and on whose files are.
pub fn call() -> BoxedStrategy<Call> {
    prop_oneof![
        4 => (path(), flags(), mode())
            .prop_map(|(path, flags, mode)| Call::Open { path: path.into(), flags, mode }),
        2 => (path(), mode()).prop_map(|(path, mode)| Call::Mkdir { path: path.into(), mode }),
        4 => (path(), mode()).prop_map(|(path, mode)| Call::Chmod { path: path.into(), mode }),
        2 => (fd(), mode()).prop_map(|(fd, mode)| Call::Fchmod { fd, mode }),
        2 => (path(), uid()).prop_map(|(path, uid)| Call::Chown { path: path.into(), uid }),
        1 => uid().prop_map(|uid| Call::Setuid { uid }),
        1 => Just(Call::Getuid),
        1 => process().prop_map(|pid| Call::ProcStatus { pid }),
    ]
    .boxed()
}

/// Three processes of several users.
pub fn cast() -> BoxedStrategy<Vec<Identity>> {
    let casts = [[1000, 1001, 0], [1001, 1000, 1000], [0, 1001, 1000], [1000, 1001, 1002]];
    let casts = casts.map(|uids| uids.map(|uid| Identity { uid: Uid(uid), container: None }));
    prop::sample::select(casts.map(Vec::from).to_vec()).boxed()
}

pub fn begins() -> Vec<Vec<Step>> {
    vec![sharing(), hiding()]
}

/// A directory for all, with a file in it and one beside it.
fn sharing() -> Vec<Step> {
    vec![
        (0, mkdir("/tmp/d")),
        (0, Call::Chmod { path: "/tmp/d".into(), mode: Mode::new(0o777) }),
        (1, create("/tmp/d/a")),
        (1, create("/tmp/a")),
    ]
}

/// A directory that is its owner's alone, with what is in it.
fn hiding() -> Vec<Step> {
    vec![
        (1, mkdir("/tmp/d")),
        (1, create("/tmp/d/a")),
        (1, mkdir("/tmp/d/e")),
        (1, Call::Chmod { path: "/tmp/d".into(), mode: Mode::new(0o700) }),
    ]
}

fn mkdir(path: &str) -> Call {
    Call::Mkdir { path: path.into(), mode: Mode::DIRECTORY }
}

fn create(path: &str) -> Call {
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT;
    Call::Open { path: path.into(), flags, mode: Mode::FILE }
}

/// Mostly what programs have, now and then with a bit less or more.
fn mode() -> impl Strategy<Value = Mode> {
    let common = prop::sample::select(vec![0o644, 0o666, 0o600, 0o755, 0o777, 0o1777, 0o700]);
    prop_oneof![4 => common, 1 => 0_u16..0o2000].prop_map(Mode::new)
}

fn uid() -> impl Strategy<Value = Uid> {
    prop::sample::select(vec![1000, 1001, 0]).prop_map(Uid)
}
