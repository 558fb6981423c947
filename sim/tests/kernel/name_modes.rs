//! Who may go through links, name what is open, exchange names and set times:
//! as a Linux 6.18 answers.

use std::time::Duration;

use locklab_sim::kernel::{MachineConfig, TaskId};
use locklab_sys::{Call, Errno, Mode, OpenFlags, RenameFlag, Uid};

use crate::lab::{Lab, link_fd, mkdir, open, readlink, renameat2, stat, symlink};

use Errno::*;
use RenameFlag::{Exchange, NoReplace};

const READ: OpenFlags = OpenFlags::RDONLY;
const WRITE: OpenFlags = OpenFlags::WRONLY;
const CREATE: OpenFlags = OpenFlags::CREAT;

/// In `/tmp`, which is sticky, and of 1001: `theirs`, which all may read, `open`,
/// which all may write, and the directory `dir`. Of 1000, who asks: `mine` and
/// `home`.
struct Two {
    lab: Lab,
    root: TaskId,
    they: TaskId,
    me: TaskId,
}

impl Two {
    fn on(config: MachineConfig) -> Self {
        let mut lab = Lab::with(config);
        let root = lab.launch_as("root", Uid::ROOT);
        let they = lab.launch_as("they", Uid(1001));
        let me = lab.launch("me");
        for (who, name) in [(they, "theirs"), (they, "open"), (me, "mine")] {
            lab.put(who, &format!("/tmp/{name}"), "abc");
        }
        lab.unit(they, &chmod("/tmp/open", 0o666)).unwrap();
        for (who, name) in [(they, "dir"), (me, "home")] {
            lab.unit(who, &mkdir(&format!("/tmp/{name}"))).unwrap();
        }
        Self { lab, root, they, me }
    }

    fn new() -> Self {
        Self::on(MachineConfig::default())
    }

    /// Makes each call on a copy.
    fn check(&self, who: TaskId, rows: impl IntoIterator<Item = (Call, Result<(), Errno>)>) {
        self.lab.check(who, rows);
    }
}

fn chmod(path: &str, bits: u16) -> Call {
    Call::Chmod { path: path.into(), mode: Mode::new(bits) }
}

fn utimensat(path: &str, mtime: Option<Duration>) -> Call {
    Call::Utimensat { path: path.into(), mtime, follow: false }
}

#[test]
fn in_sticky_directories_only_own_links_are_followed() {
    for protected_symlinks in [true, false] {
        let mut two = Two::on(MachineConfig { protected_symlinks, ..Default::default() });
        let (lab, they) = (&mut two.lab, two.they);
        for (who, target, name) in [
            (they, "mine", "link"),
            (they, "home", "way"),
            (they, "no", "dangling"),
            (they, "loop", "loop"),
            (two.me, "link", "chain"),
            (two.root, "mine", "roots"),
            (they, "../mine", "dir/link"),
        ] {
            lab.unit(who, &symlink(target, &format!("/tmp/{name}"))).unwrap();
        }
        let unless_protected = |reply| if protected_symlinks { Err(EACCES) } else { reply };
        let rows = [
            (stat("/tmp/link"), unless_protected(Ok(()))),
            (stat("/tmp/link/"), unless_protected(Err(ENOTDIR))),
            (stat("/tmp/way/"), unless_protected(Ok(()))),
            (stat("/tmp/chain"), unless_protected(Ok(()))),
            (stat("/tmp/loop"), unless_protected(Err(ELOOP))),
            (open("/tmp/dangling", WRITE | CREATE), unless_protected(Ok(()))),
            (open("/tmp/dangling", WRITE | CREATE | OpenFlags::EXCL), Err(EEXIST)),
            (open("/tmp/link", READ | OpenFlags::NOFOLLOW), Err(ELOOP)),
            // Of what is no file, without the switch for files.
            (open("/tmp/link", WRITE | CREATE | OpenFlags::NOFOLLOW), Err(EACCES)),
            (readlink("/tmp/link"), Ok(())),
            (stat("/tmp/way/."), Ok(())),
            (stat("/tmp/roots"), Ok(())),
            (stat("/tmp/dir/link"), Ok(())),
        ];
        two.check(two.me, rows.clone());
        two.check(two.root, rows);
    }
}

#[test]
fn in_a_sticky_directory_that_not_all_may_write_nothing_is_protected() {
    let mut two = Two::on(MachineConfig { protected_regular: 2, ..Default::default() });
    let (lab, they, root) = (&mut two.lab, two.they, two.root);
    lab.unit(root, &mkdir("/tmp/club")).unwrap();
    lab.unit(root, &chmod("/tmp/club", 0o1777)).unwrap();
    lab.unit(they, &symlink("../mine", "/tmp/club/link")).unwrap();
    lab.put(they, "/tmp/club/file", "abc");
    lab.unit(they, &chmod("/tmp/club/file", 0o666)).unwrap();
    let rows = |reply: Result<(), Errno>| {
        [(stat("/tmp/club/link"), reply), (open("/tmp/club/file", WRITE | CREATE), reply)]
    };
    two.check(two.me, rows(Err(EACCES)));
    two.lab.unit(two.root, &chmod("/tmp/club", 0o1755)).unwrap();
    two.check(two.me, rows(Ok(())));
}

#[test]
fn a_time_is_set_by_the_owner_and_touched_by_who_may_write() {
    let mut two = Two::new();
    two.lab.unit(two.they, &symlink("theirs", "/tmp/link")).unwrap();
    let past = Some(Duration::from_secs(1));
    let rows = [
        (utimensat("/tmp/mine", past), Ok(())),
        (utimensat("/tmp/mine", None), Ok(())),
        (utimensat("/tmp/theirs", past), Err(EPERM)),
        (utimensat("/tmp/theirs", None), Err(EACCES)),
        (utimensat("/tmp/open", past), Err(EPERM)),
        (utimensat("/tmp/open", None), Ok(())),
        (utimensat("/tmp/dir", None), Err(EACCES)),
        (utimensat("/tmp/link", past), Err(EPERM)),
        (utimensat("/tmp/link", None), Ok(())),
    ];
    two.check(two.me, rows);
    two.check(two.root, [(utimensat("/tmp/theirs", past), Ok(()))]);
}

#[test]
fn sockets_and_processes_have_times_for_their_owners() {
    let Two { mut lab, root, me, .. } = Two::new();
    let socket = lab.fd(root, &Call::Socket).unwrap();
    let (_, mine) = lab.spawn(root, &[socket]).unwrap();
    let pid = lab.pid(me);
    let pidfd = lab.fd(mine, &Call::PidfdOpen { pid }).unwrap();
    lab.unit(mine, &Call::Setuid { uid: Uid::USER }).unwrap();
    let past = Some(Duration::from_secs(1));
    let mut futimens = |who, fd, mtime| lab.unit(who, &Call::Futimens { fd, mtime });
    assert_eq!(futimens(mine, socket, None), Ok(()));
    assert_eq!(futimens(mine, socket, past), Err(EPERM));
    assert_eq!(futimens(root, socket, past), Ok(()));
    assert_eq!(futimens(mine, pidfd, None), Err(EACCES));
    assert_eq!(futimens(mine, pidfd, past), Err(EOPNOTSUPP));
    lab.unit(root, &Call::Fchmod { fd: socket, mode: Mode::new(0o700) }).unwrap();
    assert_eq!(lab.unit(mine, &Call::Futimens { fd: socket, mtime: None }), Err(EACCES));
}

#[test]
fn a_file_without_a_name_needs_a_directory_that_can_be_written() {
    let two = Two::new();
    let nameless = WRITE | OpenFlags::TMPFILE;
    let rows = [
        (open("/tmp/dir", nameless), Err(EACCES)),
        (open("/tmp/theirs", nameless), Err(ENOTDIR)),
        (open("/tmp/home", nameless), Ok(())),
        (open("/tmp", nameless), Ok(())),
    ];
    two.check(two.me, rows);
}

#[test]
fn to_name_what_is_open_needs_what_a_hard_link_needs() {
    let mut two = Two::new();
    let (lab, me) = (&mut two.lab, two.me);
    let nameless = lab.open(me, "/tmp/home", WRITE | OpenFlags::TMPFILE).unwrap();
    let theirs = lab.open(me, "/tmp/theirs", READ).unwrap();
    let open = lab.open(me, "/tmp/open", READ).unwrap();
    let home = lab.open(me, "/tmp/home", READ).unwrap();
    let socket = lab.fd(me, &Call::Socket).unwrap();
    let rows = [
        (link_fd(nameless, "/tmp/home/x"), Ok(())),
        (link_fd(nameless, "/tmp/dir/x"), Err(EACCES)),
        (link_fd(open, "/tmp/home/x"), Ok(())),
        (link_fd(theirs, "/tmp/home/x"), Err(EPERM)),
        (link_fd(theirs, "/tmp/dir/x"), Err(EPERM)),
        (link_fd(theirs, "/tmp/mine"), Err(EEXIST)),
        (link_fd(home, "/tmp/home/x"), Err(EPERM)),
        (link_fd(home, "/tmp/dir/x"), Err(EACCES)),
        (link_fd(socket, "/tmp/dir/x"), Err(EXDEV)),
    ];
    two.check(me, rows);
}

#[test]
fn an_exchange_removes_on_both_sides() {
    let mut two = Two::new();
    let (lab, me, they) = (&mut two.lab, two.me, two.they);
    lab.unit(me, &mkdir("/tmp/home/own")).unwrap();
    lab.unit(they, &mkdir("/tmp/dir/own")).unwrap();
    lab.unit(they, &mkdir("/tmp/pub")).unwrap();
    lab.unit(they, &mkdir("/tmp/pub/own")).unwrap();
    lab.unit(they, &chmod("/tmp/pub", 0o777)).unwrap();
    lab.put(they, "/tmp/pub/f", "");
    lab.put(me, "/tmp/home/f", "");
    let rows = [
        (renameat2("/tmp/mine", "/tmp/home", Exchange), Ok(())),
        (renameat2("/tmp/mine", "/tmp/theirs", Exchange), Err(EPERM)),
        (renameat2("/tmp/theirs", "/tmp/mine", Exchange), Err(EPERM)),
        (renameat2("/tmp/mine", "/tmp/dir/own", Exchange), Err(EACCES)),
        (renameat2("/tmp/home/f", "/tmp/pub/f", Exchange), Ok(())),
        // The `..` of a directory changes that is another's.
        (renameat2("/tmp/home/f", "/tmp/pub/own", Exchange), Err(EACCES)),
        (renameat2("/tmp/pub/own", "/tmp/home/f", Exchange), Err(EACCES)),
        (renameat2("/tmp/pub/own", "/tmp/pub/f", Exchange), Ok(())),
        (renameat2("/tmp/home/own", "/tmp/pub/f", Exchange), Ok(())),
        (renameat2("/tmp/mine", "/tmp/theirs", NoReplace), Err(EEXIST)),
        (renameat2("/tmp/theirs", "/tmp/home/x", NoReplace), Err(EPERM)),
        (renameat2("/tmp/mine", "/tmp/dir/x", NoReplace), Err(EACCES)),
    ];
    two.check(me, rows);
}

#[test]
fn a_link_is_for_everybody_and_needs_a_directory_that_can_be_written() {
    let mut two = Two::new();
    let rows = [
        (symlink("x", "/tmp/dir/x"), Err(EACCES)),
        (symlink("x", "/tmp/theirs"), Err(EEXIST)),
        (symlink("x", "/tmp/x"), Ok(())),
    ];
    two.check(two.me, rows);
    two.lab.unit(two.me, &symlink("no", "/tmp/x")).unwrap();
    let link = two.lab.lstat(two.me, "/tmp/x").unwrap();
    assert_eq!((link.mode, link.uid), (Mode::new(0o777), Uid::USER), "whatever the umask");
    two.check(two.me, [(chmod("/tmp/x", 0o700), Err(ENOENT))]);
}
