//! Files without a name, and names for what is open, as a Linux 6.18 answers.

use locklab_sim::kernel::{Effect, Naming, ProcId, TaskId};
use locklab_sys::{Call, Errno, Fd, OpenFlags, Uid};

use crate::lab::{Lab, link_fd, mkdir, open, symlink, unlink};

use Errno::*;

const READ: OpenFlags = OpenFlags::RDONLY;
const WRITE: OpenFlags = OpenFlags::WRONLY;

/// In `/tmp`: a file, a directory with a file, and links to the file, the
/// directory, nothing and itself.
fn tree() -> (Lab, TaskId) {
    let mut lab = Lab::new();
    let task = lab.launch_as("a", Uid::ROOT);
    lab.unit(task, &mkdir("/tmp/d")).unwrap();
    lab.put(task, "/tmp/f", "abc");
    lab.put(task, "/tmp/d/f", "abcdef");
    for (target, name) in [("f", "lf"), ("d", "ld"), ("no", "ln"), ("loop", "loop")] {
        lab.unit(task, &symlink(target, &format!("/tmp/{name}"))).unwrap();
    }
    (lab, task)
}

#[test]
fn a_file_without_a_name_gets_one() {
    let (mut lab, a) = tree();
    let fd = lab.open(a, "/tmp/ld", OpenFlags::RDWR | OpenFlags::TMPFILE).unwrap();
    let ino = lab.fstat(a, fd).unwrap().ino;
    assert_eq!(lab.fstat(a, fd).unwrap().nlink, 0);
    assert_eq!(lab.names(a, "/tmp/d").unwrap(), ["f"]);
    lab.write(a, fd, "whole").unwrap();
    lab.kernel.clear_effects();
    lab.unit(a, &link_fd(fd, "/tmp/ld/x")).unwrap();
    let (path, proc) = ("/tmp/d/x".into(), ProcId(0));
    let added = Effect::NameAdded { path, ino, maker: proc, by: proc, how: Naming::Exclusive };
    assert_eq!(lab.kernel.effects(), [added]);
    assert_eq!(lab.get(a, "/tmp/d/x").unwrap(), "whole");
    assert_eq!(lab.unit(a, &link_fd(fd, "/tmp/y")), Ok(()), "and a second one");
    for path in ["/tmp/d/x", "/tmp/y"] {
        lab.unit(a, &unlink(path)).unwrap();
    }
    assert_eq!(lab.unit(a, &link_fd(fd, "/tmp/y")), Err(ENOENT), "but none after the last");
}

#[test]
fn o_tmpfile_fails_as_in_linux() {
    let nameless = OpenFlags::TMPFILE;
    let rows = [
        (open("/tmp/d", READ | nameless), Err(EINVAL)),
        (open("", READ | nameless), Err(EINVAL)),
        (open("/tmp/d", READ | nameless | OpenFlags::TRUNC), Err(EINVAL)),
        (open("/tmp/d", WRITE | nameless | OpenFlags::CREAT), Err(EINVAL)),
        (open("", WRITE | nameless), Err(ENOENT)),
        (open("/tmp/no", WRITE | nameless), Err(ENOENT)),
        (open("/tmp/f", WRITE | nameless), Err(ENOTDIR)),
        (open("/tmp/f/", WRITE | nameless), Err(ENOTDIR)),
        (open("/tmp/lf", WRITE | nameless), Err(ENOTDIR)),
        (open("/tmp/loop", WRITE | nameless), Err(ELOOP)),
        (open("/tmp/ld", WRITE | nameless | OpenFlags::NOFOLLOW), Err(ENOTDIR)),
        (open("/tmp/ld/", WRITE | nameless | OpenFlags::NOFOLLOW), Ok(())),
        (open("/tmp/ld", WRITE | nameless | OpenFlags::DIRECTORY), Ok(())),
        (open("/", WRITE | nameless), Ok(())),
    ];
    let (lab, task) = tree();
    for (call, expected) in rows {
        assert_eq!(lab.clone().call(task, &call).map(|_| ()), expected, "{call}");
    }
}

#[test]
fn linking_a_descriptor_fails_as_in_linux() {
    let (mut lab, a) = tree();
    let exclusive = WRITE | OpenFlags::TMPFILE | OpenFlags::EXCL;
    let never = lab.open(a, "/tmp", exclusive).unwrap();
    let dir = lab.open(a, "/tmp/d", READ).unwrap();
    let removed = lab.open(a, "/tmp/d/f", READ).unwrap();
    lab.unit(a, &unlink("/tmp/d/f")).unwrap();
    let file = lab.open(a, "/tmp/f", READ).unwrap();
    let socket = lab.fd(a, &Call::Socket).unwrap();
    let pid = lab.pid(a);
    let pidfd = lab.fd(a, &Call::PidfdOpen { pid }).unwrap();
    let rows = [
        (never, "/tmp/x", Err(ENOENT)),
        (never, "/tmp/f", Err(EEXIST)),
        (removed, "/tmp/x", Err(ENOENT)),
        (dir, "/tmp/x", Err(EPERM)),
        (dir, "/tmp/f", Err(EEXIST)),
        (socket, "/tmp/x", Err(EXDEV)),
        (socket, "/tmp/f", Err(EEXIST)),
        (socket, "/tmp/x/", Err(ENOENT)),
        (pidfd, "/tmp/x", Err(EXDEV)),
        (Fd(99), "/tmp/x", Err(ENOENT)),
        (Fd(99), "/tmp/f", Err(ENOENT)),
        (file, "/tmp/ln", Err(EEXIST)),
        (file, "/tmp/x", Ok(())),
    ];
    for (fd, new, expected) in rows {
        assert_eq!(lab.clone().unit(a, &link_fd(fd, new)), expected, "{fd} to {new}");
    }
}
