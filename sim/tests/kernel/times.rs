//! The times of files: which calls touch which, as measured on ext4 and tmpfs
//! under Linux 6.18, and how coarse they may be.

use std::time::Duration;

use locklab_sim::kernel::{MachineConfig, TaskId};
use locklab_sys::{Call, Clock, Errno, Fd, Mode, OpenFlags, RenameFlag, Uid};

use crate::lab::{
    self, Lab, MACHINE, link, link_fd, mkdir, open, readlink, rename, renameat2, rmdir, stat,
    symlink, unlink, write,
};

const SECOND: Duration = Duration::from_secs(1);
const WRITE: OpenFlags = OpenFlags::WRONLY;

/// What a call changes of a thing's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touched {
    Nothing,
    Change,
    Both,
}

use Touched::{Both, Change, Nothing};

/// With a link to `f`, and open as descriptor 3 `f`, as 4 a file without a name.
fn tree() -> (Lab, TaskId) {
    let (mut lab, root) = lab::tree();
    lab.unit(root, &symlink("f", "/tmp/lf")).unwrap();
    lab.open(root, "/tmp/f", OpenFlags::RDWR).unwrap();
    lab.open(root, "/tmp", WRITE | OpenFlags::TMPFILE).unwrap();
    (lab, root)
}

fn utimensat(path: &str, mtime: Option<Duration>, follow: bool) -> Call {
    Call::Utimensat { path: path.into(), mtime, follow }
}

fn chmod(path: &str) -> Call {
    Call::Chmod { path: path.into(), mode: Mode::FILE }
}

/// To whom it belongs already.
fn chown(path: &str) -> Call {
    Call::Chown { path: path.into(), uid: Uid::ROOT }
}

/// A call; the things whose times are looked at, by the paths they have before
/// and after it; and what it touches of each.
type Row<'r> = (Call, &'r [(&'r str, &'r str, Touched)]);

#[test]
fn each_call_touches_the_times_that_linux_touches() {
    let f = |touched| ("/tmp/f", "/tmp/f", touched);
    let lf = |touched| ("/tmp/lf", "/tmp/lf", touched);
    let tmp = |touched| ("/tmp", "/tmp", touched);
    let d = |touched| ("/tmp/d", "/tmp/d", touched);
    let rows: &[Row<'_>] = &[
        (write(Fd(3), b"x"), &[f(Both), tmp(Nothing)]),
        (write(Fd(3), b""), &[f(Nothing)]),
        (Call::Read { fd: Fd(3), len: 1 }, &[f(Nothing)]),
        (open("/tmp/f", WRITE), &[f(Nothing)]),
        (open("/tmp/f", WRITE | OpenFlags::TRUNC), &[f(Both), tmp(Nothing)]),
        (open("/tmp/f", WRITE | OpenFlags::CREAT), &[f(Nothing), tmp(Nothing)]),
        (open("/tmp/d/x", WRITE | OpenFlags::CREAT), &[d(Both), tmp(Nothing)]),
        (open("/tmp/d", WRITE | OpenFlags::TMPFILE), &[d(Nothing)]),
        (stat("/tmp/lf"), &[f(Nothing), lf(Nothing)]),
        (readlink("/tmp/lf"), &[lf(Nothing)]),
        (link("/tmp/f", "/tmp/d/x"), &[f(Change), d(Both), tmp(Nothing)]),
        (link_fd(Fd(3), "/tmp/d/x"), &[f(Change), d(Both)]),
        (link("/tmp/lf", "/tmp/d/x"), &[lf(Change), f(Nothing)]),
        (unlink("/tmp/g"), &[f(Change), tmp(Both)]),
        (unlink("/tmp/d/f"), &[d(Both), tmp(Nothing)]),
        (unlink("/tmp/lf"), &[f(Nothing), tmp(Both)]),
        (mkdir("/tmp/d/x"), &[d(Both), ("/tmp/d/s", "/tmp/d/s", Nothing)]),
        (rmdir("/tmp/d/s"), &[d(Both), tmp(Nothing)]),
        (symlink("q", "/tmp/d/x"), &[d(Both)]),
        (rename("/tmp/f", "/tmp/x"), &[("/tmp/f", "/tmp/x", Change), tmp(Both)]),
        (rename("/tmp/f", "/tmp/d/f"), &[("/tmp/f", "/tmp/d/f", Change), tmp(Both), d(Both)]),
        (rename("/tmp/f", "/tmp/g"), &[f(Nothing), tmp(Nothing)]),
        (rename("/tmp/e", "/tmp/d/x"), &[("/tmp/e", "/tmp/d/x", Change), tmp(Both), d(Both)]),
        (
            renameat2("/tmp/e", "/tmp/d/f", RenameFlag::Exchange),
            &[("/tmp/e", "/tmp/d/f", Change), ("/tmp/d/f", "/tmp/e", Change), tmp(Both), d(Both)],
        ),
        (renameat2("/tmp/f", "/tmp/g", RenameFlag::Exchange), &[f(Nothing), tmp(Nothing)]),
        (chmod("/tmp/lf"), &[f(Change), lf(Nothing)]),
        (chown("/tmp/lf"), &[f(Change), lf(Nothing)]),
        (utimensat("/tmp/lf", None, true), &[f(Both), lf(Nothing), tmp(Nothing)]),
        (utimensat("/tmp/lf", None, false), &[f(Nothing), lf(Both)]),
        (Call::Futimens { fd: Fd(3), mtime: None }, &[f(Both)]),
    ];
    for (call, things) in rows {
        let (mut lab, a) = tree();
        let before: Vec<_> = things.iter().map(|(path, ..)| lab.lstat(a, path).unwrap()).collect();
        lab.kernel.advance_to(SECOND);
        let now = lab.kernel.clock(MACHINE, Clock::Realtime);
        lab.call(a, call).unwrap();
        for (before, &(_, path, touched)) in before.iter().zip(*things) {
            let after = lab.lstat(a, path).unwrap();
            let (mtime, ctime) = match touched {
                Nothing => (before.mtime, before.ctime),
                Change => (before.mtime, now),
                Both => (now, now),
            };
            assert_eq!((after.mtime, after.ctime), (mtime, ctime), "{path} after {call}");
        }
    }
}

#[test]
fn what_has_no_name_left_was_changed_then() {
    let (mut lab, a) = tree();
    let dir = lab.open(a, "/tmp/d/s", OpenFlags::RDONLY).unwrap();
    let file = lab.open(a, "/tmp/d/f", OpenFlags::RDONLY).unwrap();
    let made = lab.fstat(a, file).unwrap().mtime;
    lab.kernel.advance_to(SECOND);
    lab.unit(a, &rmdir("/tmp/d/s")).unwrap();
    lab.unit(a, &rename("/tmp/f", "/tmp/d/f")).unwrap();
    for fd in [dir, file] {
        let stat = lab.fstat(a, fd).unwrap();
        assert_eq!((stat.nlink, stat.mtime, stat.ctime), (0, made, made + SECOND));
    }
}

#[test]
fn a_modification_time_can_be_set_and_a_change_time_cannot() {
    let (mut lab, a) = tree();
    lab.kernel.advance_to(SECOND);
    let now = lab.kernel.clock(MACHINE, Clock::Realtime);
    for mtime in [SECOND, now + SECOND] {
        lab.unit(a, &utimensat("/tmp/f", Some(mtime), true)).unwrap();
        let stat = lab.stat(a, "/tmp/f").unwrap();
        assert_eq!((stat.mtime, stat.ctime), (mtime, now));
    }
    let reader = lab.open(a, "/tmp/d", OpenFlags::RDONLY).unwrap();
    lab.unit(a, &Call::Futimens { fd: reader, mtime: Some(SECOND) }).unwrap();
    assert_eq!(lab.stat(a, "/tmp/d").unwrap().mtime, SECOND);
}

#[test]
fn setting_a_time_fails_as_in_linux() {
    let (mut lab, a) = tree();
    lab.unit(a, &symlink("no", "/tmp/ln")).unwrap();
    let rows = [
        ("", true, Err(Errno::ENOENT)),
        ("/tmp/no", true, Err(Errno::ENOENT)),
        ("/tmp/ln", true, Err(Errno::ENOENT)),
        ("/tmp/ln", false, Ok(())),
        ("/tmp/ln/", false, Err(Errno::ENOENT)),
        ("/tmp/f/", true, Err(Errno::ENOTDIR)),
        ("/", true, Ok(())),
    ];
    for (path, follow, expected) in rows {
        assert_eq!(lab.unit(a, &utimensat(path, None, follow)), expected, "{path}");
    }
    let pid = lab.pid(a);
    let pidfd = lab.fd(a, &Call::PidfdOpen { pid }).unwrap();
    let socket = lab.fd(a, &Call::Socket).unwrap();
    let mut futimens = |fd| lab.unit(a, &Call::Futimens { fd, mtime: None });
    assert_eq!(futimens(pidfd), Err(Errno::EOPNOTSUPP));
    assert_eq!(futimens(socket), Ok(()));
    assert_eq!(futimens(Fd(99)), Err(Errno::EBADF));
}

#[test]
fn coarse_times_are_the_clock_rounded_down() {
    let second = SECOND.as_nanos() as u32;
    for (granularity, expected) in [
        (Duration::ZERO, Duration::new(101, second / 2 + 1)),
        (Duration::from_millis(4), Duration::new(101, second / 2)),
        (SECOND, 101 * SECOND),
        (2 * SECOND, 100 * SECOND),
    ] {
        let mut lab =
            Lab::with(MachineConfig { time_granularity: granularity, ..Default::default() });
        let a = lab.launch("a");
        lab.kernel.set_clock(MACHINE, Duration::new(101, second / 2 + 1));
        lab.put(a, "/tmp/f", "abc");
        let stat = lab.stat(a, "/tmp/f").unwrap();
        assert_eq!((stat.mtime, stat.ctime), (expected, expected));
        assert_eq!(lab.stat(a, "/tmp").unwrap().mtime, expected);
        lab.unit(a, &utimensat("/tmp/f", Some(Duration::new(301, second / 2 + 1)), true)).unwrap();
        let set = lab.stat(a, "/tmp/f").unwrap().mtime;
        assert_eq!(set, expected + 200 * SECOND, "a time that is set is rounded, too");
        assert_eq!(
            lab.kernel.file_times().collect::<Vec<_>>(),
            [(MACHINE, set), (MACHINE, expected)]
        );
    }
}

#[test]
fn file_times_are_of_what_processes_made_and_lives() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    assert_eq!(lab.kernel.file_times().count(), 0);
    lab.put(a, "/tmp/f", "abc");
    let made = lab.stat(a, "/tmp/f").unwrap().mtime;
    assert_eq!(lab.kernel.file_times().collect::<Vec<_>>(), [(MACHINE, made)]);
    lab.kernel.advance_to(SECOND);
    lab.unit(a, &rename("/tmp/f", "/tmp/g")).unwrap();
    let both = [(MACHINE, made), (MACHINE, made + SECOND)];
    assert_eq!(lab.kernel.file_times().collect::<Vec<_>>(), both);
    lab.unit(a, &unlink("/tmp/g")).unwrap();
    assert_eq!(lab.kernel.file_times().count(), 0);
}
