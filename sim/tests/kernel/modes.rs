//! Whose files are, and who may do what with them: as a Linux 6.18 answers, on
//! ext4 and tmpfs alike.

use locklab_sim::kernel::{MachineConfig, TaskId};
use locklab_sys::{Call, Errno, Mode, OpenFlags, Uid};

use crate::lab::{Lab, link, mkdir, open, rename, rmdir, stat, unlink};

use Errno::*;

const READ: OpenFlags = OpenFlags::RDONLY;
const WRITE: OpenFlags = OpenFlags::WRONLY;
const CREATE: OpenFlags = OpenFlags::CREAT;

fn chmod(path: &str, bits: u16) -> Call {
    Call::Chmod { path: path.into(), mode: Mode::new(bits) }
}

fn chown(path: &str, uid: u32) -> Call {
    Call::Chown { path: path.into(), uid: Uid(uid) }
}

/// A lab in which 1000 has made files and directories, and 1001 who asks.
struct Two {
    lab: Lab,
    root: TaskId,
    owner: TaskId,
    other: TaskId,
}

impl Two {
    fn new() -> Self {
        Self::on(MachineConfig::default())
    }

    fn on(config: MachineConfig) -> Self {
        let mut lab = Lab::with(config);
        let root = lab.launch_as("root", Uid::ROOT);
        let owner = lab.launch("owner");
        let other = lab.launch_as("other", Uid(1001));
        Self { lab, root, owner, other }
    }

    /// A file of the owner.
    fn file(&mut self, path: &str, bits: u16) {
        self.lab.put(self.owner, path, "abc");
        self.lab.unit(self.owner, &chmod(path, bits)).unwrap();
    }

    fn directory(&mut self, path: &str, bits: u16, whose: u32) {
        self.lab.unit(self.root, &mkdir(path)).unwrap();
        self.lab.unit(self.root, &chmod(path, bits)).unwrap();
        self.lab.unit(self.root, &chown(path, whose)).unwrap();
    }

    /// Makes each call, as the other user and on a copy.
    fn check(&self, rows: impl IntoIterator<Item = (Call, Result<(), Errno>)>) {
        self.check_as(self.other, rows);
    }

    fn check_as(&self, who: TaskId, rows: impl IntoIterator<Item = (Call, Result<(), Errno>)>) {
        self.lab.check(who, rows);
    }

    fn seen(&mut self, path: &str) -> (u32, u16) {
        let stat = self.lab.stat(self.root, path).unwrap();
        (stat.uid.0, stat.mode.bits())
    }
}

#[test]
fn a_machine_boots_with_owners_and_modes() {
    let mut two = Two::new();
    assert_eq!(two.seen("/"), (0, 0o755));
    assert_eq!(two.seen("/tmp"), (0, 0o1777));
    assert_eq!(two.seen("/run"), (1000, 0o755));
    two.check([
        (mkdir("/d"), Err(EACCES)),
        (mkdir("/run/d"), Err(EACCES)),
        (open("/run/f", WRITE | CREATE), Err(EACCES)),
        (mkdir("/tmp/d"), Ok(())),
    ]);
    two.check_as(two.owner, [(mkdir("/d"), Err(EACCES)), (mkdir("/run/d"), Ok(()))]);
    two.check_as(two.root, [(mkdir("/d"), Ok(())), (mkdir("/run/d"), Ok(()))]);
}

#[test]
fn the_umask_takes_write_permission_from_others() {
    let mut two = Two::new();
    let other = two.other;
    for (asked, left) in [(0o666, 0o644), (0o777, 0o755), (0o600, 0o600), (0o1666, 0o1644), (0, 0)]
    {
        let mode = Mode::new(asked);
        let path = "/tmp/f".into();
        two.lab.fd(other, &Call::Open { path, flags: WRITE | CREATE, mode }).unwrap();
        assert_eq!(two.seen("/tmp/f"), (1001, left));
        two.lab.unit(other, &unlink("/tmp/f")).unwrap();
        two.lab.unit(other, &Call::Mkdir { path: "/tmp/d".into(), mode }).unwrap();
        assert_eq!(two.seen("/tmp/d"), (1001, left));
        two.lab.unit(other, &rmdir("/tmp/d")).unwrap();
    }
    let mode = Mode::new(0);
    let create = Call::Open { path: "/tmp/f".into(), flags: WRITE | CREATE, mode };
    let fd = two.lab.fd(other, &create).unwrap();
    assert_eq!(two.lab.write(other, fd, "x"), Ok(1), "who creates a file may use it");
    two.check([(create, Err(EACCES))]);
}

#[test]
fn owners_and_root_change_modes_and_root_owners() {
    let mut two = Two::new();
    two.file("/tmp/f", 0o666);
    let before = two.lab.stat(two.root, "/tmp/f").unwrap();
    two.check([
        (chmod("/tmp/f", 0o777), Err(EPERM)),
        (chmod("/tmp/no", 0o777), Err(ENOENT)),
        (chmod("/tmp/f/x", 0o777), Err(ENOTDIR)),
        (chown("/tmp/f", 1001), Err(EPERM)),
        (chown("/tmp/f", 1000), Err(EPERM)),
        (chown("/tmp/no", 1001), Err(ENOENT)),
    ]);
    two.check_as(two.owner, [(chown("/tmp/f", 1001), Err(EPERM)), (chown("/tmp/f", 1000), Ok(()))]);
    two.lab.unit(two.owner, &chmod("/tmp/f", 0o1666)).unwrap();
    two.lab.unit(two.root, &chown("/tmp/f", 1001)).unwrap();
    assert_eq!(two.seen("/tmp/f"), (1001, 0o1666));
    assert_eq!(two.lab.stat(two.root, "/tmp/f").unwrap().mtime, before.mtime);
    two.check([(chmod("/tmp/f", 0o600), Ok(()))]);
    two.check_as(two.owner, [(chmod("/tmp/f", 0o600), Err(EPERM))]);
}

#[test]
fn a_descriptor_outlives_its_permission() {
    let mut two = Two::new();
    two.file("/tmp/f", 0o666);
    let fd = two.lab.open(two.other, "/tmp/f", OpenFlags::RDWR).unwrap();
    let fchmod = |bits| Call::Fchmod { fd, mode: Mode::new(bits) };
    two.check([(fchmod(0o600), Err(EPERM))]);
    two.check_as(two.owner, [(fchmod(0o600), Err(EBADF))]);
    two.lab.unit(two.owner, &chmod("/tmp/f", 0o600)).unwrap();
    assert_eq!(two.lab.write(two.other, fd, "x"), Ok(1));
    two.check([(open("/tmp/f", READ), Err(EACCES))]);
    let own = two.lab.open(two.owner, "/tmp/f", READ).unwrap();
    let fchmod = Call::Fchmod { fd: own, mode: Mode::new(0o640) };
    two.lab.unit(two.owner, &fchmod).unwrap();
    assert_eq!(two.seen("/tmp/f"), (1000, 0o640));
}

#[test]
fn files_are_opened_by_who_may() {
    let mut two = Two::new();
    two.file("/tmp/readable", 0o644);
    two.file("/tmp/private", 0o600);
    two.file("/tmp/not-the-owners", 0o066);
    two.directory("/tmp/unread", 0o733, 1000);
    let truncate = READ | OpenFlags::TRUNC;
    two.check([
        (open("/tmp/readable", READ), Ok(())),
        (open("/tmp/readable", WRITE), Err(EACCES)),
        (open("/tmp/readable", truncate), Err(EACCES)),
        (open("/tmp/readable", WRITE | CREATE | OpenFlags::EXCL), Err(EEXIST)),
        (open("/tmp/readable", WRITE | OpenFlags::DIRECTORY), Err(ENOTDIR)),
        (open("/tmp/private", READ), Err(EACCES)),
        (open("/tmp/not-the-owners", OpenFlags::RDWR), Ok(())),
        (open("/tmp/unread", READ), Err(EACCES)),
        (open("/tmp/unread", WRITE), Err(EISDIR)),
        (open("/tmp/unread/f", WRITE | CREATE), Ok(())),
    ]);
    two.check_as(two.owner, [(open("/tmp/not-the-owners", READ), Err(EACCES))]);
    two.check_as(two.root, [(open("/tmp/private", OpenFlags::RDWR), Ok(()))]);
}

#[test]
fn a_walk_searches_each_directory() {
    let mut two = Two::new();
    two.directory("/tmp/listed", 0o766, 1000);
    two.lab.put(two.owner, "/tmp/listed/f", "");
    let long = format!("/tmp/listed/{}", "n".repeat(256));
    two.check([
        (stat("/tmp/listed"), Ok(())),
        (stat("/tmp/listed/"), Ok(())),
        (open("/tmp/listed", READ), Ok(())),
        (stat("/tmp/listed/."), Err(EACCES)),
        (stat("/tmp/listed/.."), Err(EACCES)),
        (stat("/tmp/listed/f"), Err(EACCES)),
        (stat("/tmp/listed/f/x"), Err(EACCES)),
        (stat("/tmp/listed/no"), Err(EACCES)),
        (stat(&long), Err(EACCES)),
        (open("/tmp/listed/no", WRITE | CREATE), Err(EACCES)),
        (chmod("/tmp/listed/f", 0o777), Err(EACCES)),
        (link("/tmp/listed/f", "/tmp/g"), Err(EACCES)),
        (rename("/tmp/no", "/tmp/listed/f"), Err(EACCES)),
    ]);
    two.check_as(
        two.root,
        [(stat("/tmp/listed/f"), Ok(())), (stat("/tmp/listed/no"), Err(ENOENT))],
    );
}

#[test]
fn names_are_changed_by_who_may_write_their_directory() {
    let mut two = Two::new();
    two.directory("/tmp/d", 0o755, 1000);
    two.file("/tmp/d/f", 0o666);
    two.directory("/tmp/d/s", 0o777, 1000);
    two.directory("/tmp/mine", 0o755, 1001);
    two.lab.put(two.other, "/tmp/mine/f", "");
    two.check([
        (open("/tmp/d/new", WRITE | CREATE), Err(EACCES)),
        (open("/tmp/d/f", WRITE | CREATE), Ok(())),
        (mkdir("/tmp/d/new"), Err(EACCES)),
        (mkdir("/tmp/d/f"), Err(EEXIST)),
        (unlink("/tmp/d/f"), Err(EACCES)),
        (unlink("/tmp/d/s"), Err(EACCES)),
        (unlink("/tmp/d/f/"), Err(ENOTDIR)),
        (unlink("/tmp/d/s/"), Err(EISDIR)),
        (unlink("/tmp/d/no"), Err(ENOENT)),
        (rmdir("/tmp/d/s"), Err(EACCES)),
        (rmdir("/tmp/d/f"), Err(EACCES)),
        (link("/tmp/mine/f", "/tmp/d/new"), Err(EACCES)),
        (link("/tmp/mine/f", "/tmp/d/f"), Err(EEXIST)),
        (link("/tmp/mine", "/tmp/d/new"), Err(EACCES)),
        (rename("/tmp/d/f", "/tmp/mine/g"), Err(EACCES)),
        (rename("/tmp/mine/f", "/tmp/d/f"), Err(EACCES)),
        (rename("/tmp/mine/f", "/tmp/d/new"), Err(EACCES)),
        (rename("/tmp/mine/f", "/tmp/d/s"), Err(EACCES)),
        (rename("/tmp/d/f", "/tmp/d/f"), Ok(())),
        (rename("/tmp/d/f", "/tmp/d/f/"), Err(ENOTDIR)),
        (rename("/tmp/d/no", "/tmp/d/new"), Err(ENOENT)),
        (rename("/tmp/mine/f", "/tmp/d/s/f"), Ok(())),
    ]);
}

#[test]
fn a_sticky_directory_keeps_what_is_anothers() {
    let mut two = Two::new();
    two.file("/tmp/f", 0o666);
    two.lab.unit(two.owner, &mkdir("/tmp/d")).unwrap();
    two.lab.put(two.other, "/tmp/mine", "");
    two.lab.unit(two.other, &mkdir("/tmp/my-dir")).unwrap();
    two.check([
        (unlink("/tmp/f"), Err(EPERM)),
        (unlink("/tmp/d"), Err(EPERM)),
        (rmdir("/tmp/d"), Err(EPERM)),
        (rmdir("/tmp/f"), Err(EPERM)),
        (rename("/tmp/f", "/tmp/g"), Err(EPERM)),
        (rename("/tmp/mine", "/tmp/f"), Err(EPERM)),
        (rename("/tmp/mine", "/tmp/d"), Err(EPERM)),
        (rename("/tmp/f", "/tmp/f"), Ok(())),
        (rename("/tmp/d", "/tmp/d/x"), Err(EINVAL)),
        (rename("/tmp/mine", "/tmp/g"), Ok(())),
        (rename("/tmp/mine", "/tmp/my-dir"), Err(EISDIR)),
        (rename("/tmp/my-dir", "/tmp/d"), Err(EPERM)),
        (unlink("/tmp/mine"), Ok(())),
    ]);
    two.check_as(two.root, [(unlink("/tmp/f"), Ok(())), (rmdir("/tmp/d"), Ok(()))]);
    two.directory("/tmp/of-mine", 0o1777, 1001);
    two.file("/tmp/of-mine/f", 0o600);
    two.check([(unlink("/tmp/of-mine/f"), Ok(()))]);
}

#[test]
fn a_directory_that_is_moved_elsewhere_is_written() {
    let mut two = Two::new();
    two.directory("/tmp/still", 0o555, 1001);
    two.directory("/tmp/d", 0o755, 1001);
    two.directory("/tmp/d/full", 0o755, 1001);
    two.directory("/tmp/d/full/s", 0o755, 1001);
    two.lab.put(two.other, "/tmp/d/f", "");
    two.check([
        (rename("/tmp/still", "/tmp/renamed"), Ok(())),
        (rename("/tmp/still", "/tmp/d/new"), Err(EACCES)),
        (rename("/tmp/still", "/tmp/d/full"), Err(EACCES)),
        (rename("/tmp/still", "/tmp/d/f"), Err(ENOTDIR)),
    ]);
    two.check_as(two.root, [(rename("/tmp/still", "/tmp/d/new"), Ok(()))]);
}

#[test]
fn hard_links_are_protected() {
    let rows = |refused: Result<(), Errno>| {
        [
            (link("/tmp/readable", "/tmp/x"), refused),
            (link("/tmp/readable", "/run/x"), refused.and(Err(EACCES))),
            (link("/tmp/readable", "/tmp/writable"), Err(EEXIST)),
            (link("/tmp/writable", "/tmp/x"), Ok(())),
            (link("/tmp/writable", "/run/x"), Err(EACCES)),
            (link("/tmp/d", "/tmp/x"), Err(EPERM)),
        ]
    };
    for (protected_hardlinks, refused) in [(true, Err(EPERM)), (false, Ok(()))] {
        let mut two = Two::on(MachineConfig { protected_hardlinks, ..Default::default() });
        two.file("/tmp/readable", 0o644);
        two.file("/tmp/writable", 0o666);
        two.lab.unit(two.owner, &mkdir("/tmp/d")).unwrap();
        two.check(rows(refused));
        two.check_as(two.owner, [(link("/tmp/readable", "/tmp/x"), Ok(()))]);
        two.check_as(two.root, [(link("/tmp/readable", "/tmp/x"), Ok(()))]);
    }
}

#[test]
fn creating_over_anothers_file_in_a_sticky_directory_is_refused_to_root_too() {
    for protected_regular in 0..3 {
        let mut two = Two::on(MachineConfig { protected_regular, ..Default::default() });
        two.file("/tmp/f", 0o666);
        two.directory("/tmp/group", 0o1770, 0);
        two.lab.unit(two.root, &link("/tmp/f", "/tmp/group/f")).unwrap();
        two.directory("/tmp/plain", 0o777, 0);
        two.file("/tmp/plain/f", 0o666);
        two.lab.put(two.root, "/tmp/roots", "");
        two.lab.unit(two.root, &chmod("/tmp/roots", 0o666)).unwrap();
        let from = |level| if protected_regular < level { Ok(()) } else { Err(EACCES) };
        let read = READ | CREATE;
        let rows = || {
            [
                (open("/tmp/f", WRITE | CREATE), from(1)),
                (open("/tmp/f", read), from(1)),
                (open("/tmp/f", read | OpenFlags::EXCL), Err(EEXIST)),
                (open("/tmp/f", WRITE), Ok(())),
                (open("/tmp/roots", WRITE | CREATE), Ok(())),
                (open("/tmp/plain/f", WRITE | CREATE), Ok(())),
            ]
        };
        two.check(rows());
        two.check_as(two.root, rows());
        two.check_as(two.root, [(open("/tmp/group/f", WRITE | CREATE), from(2))]);
        two.check_as(two.owner, [(open("/tmp/f", WRITE | CREATE), Ok(()))]);
    }
}

#[test]
fn who_reads_and_writes_needs_leave_for_both() {
    for (bits, reads, writes) in [(0o604, true, false), (0o602, false, true), (0o606, true, true)] {
        let Two { mut lab, owner, other, .. } = Two::new();
        lab.put(owner, "/tmp/f", "it");
        lab.unit(owner, &chmod("/tmp/f", bits)).unwrap();
        let may = |leave: bool| if leave { Ok(()) } else { Err(EACCES) };
        lab.check(
            other,
            [
                (open("/tmp/f", READ), may(reads)),
                (open("/tmp/f", WRITE), may(writes)),
                (open("/tmp/f", OpenFlags::RDWR), may(reads && writes)),
            ],
        );
    }
}
