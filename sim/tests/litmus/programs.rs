//! The programs: each family of calls has a file of its own.

mod contents;
mod descriptors;
mod directories;
mod flock;
mod links;
mod names;
mod pidfds;
mod processes;
mod record_locks;
mod renames;
mod sockets;
mod symlinks;
mod unnamed;

use locklab_sys::host::Step;
use locklab_sys::{Call, Fd, FlockOp, Mode, OpenFlags};

use crate::program::Program;

/// All of them.
pub fn all() -> Vec<Program> {
    let families = [
        names::programs(),
        links::programs(),
        renames::programs(),
        symlinks::programs(),
        unnamed::programs(),
        directories::programs(),
        contents::programs(),
        flock::programs(),
        record_locks::programs(),
        sockets::programs(),
        descriptors::programs(),
        processes::programs(),
        pidfds::programs(),
    ];
    families.into_iter().flatten().collect()
}

/// The first descriptor that a process opens.
const FD: Fd = Fd(3);

/// The second one.
const FD2: Fd = Fd(4);

fn calls(calls: impl IntoIterator<Item = Call>) -> Vec<Step> {
    calls.into_iter().map(Step::Call).collect()
}

fn open(path: &str) -> Call {
    open_with(path, OpenFlags::RDONLY)
}

/// Creates a file that must not be there.
fn create(path: &str) -> Call {
    open_with(path, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL)
}

fn open_with(path: &str, flags: OpenFlags) -> Call {
    Call::Open { path: path.into(), flags, mode: Mode::FILE }
}

fn read(fd: Fd, len: u32) -> Call {
    Call::Read { fd, len }
}

fn write(fd: Fd, data: &[u8]) -> Call {
    Call::Write { fd, data: data.into() }
}

fn close(fd: Fd) -> Call {
    Call::Close { fd }
}

fn stat(path: &str) -> Call {
    Call::Stat { path: path.into() }
}

fn fstat(fd: Fd) -> Call {
    Call::Fstat { fd }
}

fn link(old: &str, new: &str) -> Call {
    Call::Link { old: old.into(), new: new.into() }
}

fn rename(old: &str, new: &str) -> Call {
    Call::Rename { old: old.into(), new: new.into() }
}

fn unlink(path: &str) -> Call {
    Call::Unlink { path: path.into() }
}

fn mkdir(path: &str) -> Call {
    Call::Mkdir { path: path.into(), mode: Mode::DIRECTORY }
}

fn rmdir(path: &str) -> Call {
    Call::Rmdir { path: path.into() }
}

fn try_lock(fd: Fd) -> Call {
    Call::Flock { fd, op: FlockOp::TryExclusive }
}

fn lock(fd: Fd) -> Call {
    Call::Flock { fd, op: FlockOp::Exclusive }
}

/// Makes a file with something in it.
fn file(path: &str, content: &str) -> [Call; 3] {
    [create(path), write(FD, content.as_bytes()), close(FD)]
}

/// What is in a file, if it is there: the first that is open.
fn content(path: &str) -> [Call; 3] {
    [open(path), read(FD, 100), close(FD)]
}
