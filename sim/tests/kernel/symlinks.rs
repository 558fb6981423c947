//! Symbolic links: what goes through them, and what is done to them, as a
//! Linux 6.18 answers it.

use locklab_sim::kernel::{Effect, Naming, ProcId, TaskId};
use locklab_sys::{Call, Errno, FileKind, OpenFlags};

use crate::lab::{Lab, link, lstat, mkdir, open, readlink, rename, rmdir, stat, symlink, unlink};

use Errno::*;

const READ: OpenFlags = OpenFlags::RDONLY;
const WRITE: OpenFlags = OpenFlags::WRONLY;

/// In `/tmp`: a file `f`, a directory `d` with a file `f`, and links to the
/// file, the directory, nothing and itself.
fn tree() -> (Lab, TaskId) {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    lab.unit(task, &mkdir("/tmp/d")).unwrap();
    lab.put(task, "/tmp/f", "abc");
    lab.put(task, "/tmp/d/f", "abcdef");
    let links = [
        ("f", "lf"),
        ("d", "ld"),
        ("no", "ln"),
        ("loop", "loop"),
        ("lf", "llf"),
        ("d/", "lds"),
        ("f/", "lfs"),
        ("no/", "lns"),
        ("loop/", "lloops"),
        ("d/.", "ldd"),
        ("/tmp/f", "labs"),
        ("d/n", "ldn"),
    ];
    for (target, name) in links {
        lab.unit(task, &symlink(target, &format!("/tmp/{name}"))).unwrap();
    }
    (lab, task)
}

/// Makes each call on a fresh tree, the paths being below `/tmp`.
fn check(rows: impl IntoIterator<Item = (Call, Result<(), Errno>)>) {
    let (lab, task) = tree();
    lab.check(task, rows);
}

#[test]
fn a_link_is_told_by_lstat_and_followed_by_stat() {
    let (mut lab, a) = tree();
    let link = lab.lstat(a, "/tmp/lf").unwrap();
    assert_eq!((link.kind, link.nlink, link.size), (FileKind::Symlink, 1, 1));
    assert_eq!(lab.stat(a, "/tmp/lf"), lab.stat(a, "/tmp/f"));
    assert_eq!(lab.stat(a, "/tmp/llf"), lab.stat(a, "/tmp/f"));
    assert_eq!(lab.stat(a, "/tmp/labs"), lab.stat(a, "/tmp/f"));
    assert_eq!(lab.lstat(a, "/tmp/ld/"), lab.stat(a, "/tmp/d"), "a slash follows");
    assert_eq!(lab.get(a, "/tmp/ld/f").unwrap(), "abcdef");
    assert_eq!(lab.get(a, "/tmp/ld/../f").unwrap(), "abc", "`..` is of where it leads");
    assert_eq!(lab.readlink(a, "/tmp/ln").unwrap(), "no");
}

#[test]
fn open_goes_through_links_as_in_linux() {
    let create = WRITE | OpenFlags::CREAT;
    let create_new = create | OpenFlags::EXCL;
    let no_follow = READ | OpenFlags::NOFOLLOW;
    let directory = OpenFlags::DIRECTORY;
    check([
        (open("/tmp/ln", READ), Err(ENOENT)),
        (open("/tmp/loop", READ), Err(ELOOP)),
        (open("/tmp/loop", create), Err(ELOOP)),
        (open("/tmp/loop/f", READ), Err(ELOOP)),
        (open("/tmp/ln/f", READ), Err(ENOENT)),
        (open("/tmp/lf/f", READ), Err(ENOTDIR)),
        (open("/tmp/lf/", READ), Err(ENOTDIR)),
        (open("/tmp/lfs", READ), Err(ENOTDIR)),
        (open("/tmp/lns", READ), Err(ENOENT)),
        (open("/tmp/lf", READ | directory), Err(ENOTDIR)),
        (open("/tmp/ld", WRITE), Err(EISDIR)),
        (open("/tmp/ld", create), Err(EISDIR)),
        (open("/tmp/lf/", create), Err(EISDIR)),
        (open("/tmp/loop/", create), Err(EISDIR)),
        (open("/tmp/lns", create), Err(EISDIR)),
        (open("/tmp/lloops", create), Err(EISDIR)),
        (open("/tmp/lloops", READ), Err(ELOOP)),
        (open("/tmp/ldd", create), Err(EISDIR)),
        (open("/tmp/lf", create_new), Err(EEXIST)),
        (open("/tmp/ln", create_new), Err(EEXIST)),
        (open("/tmp/loop", create_new), Err(EEXIST)),
        (open("/tmp/lf", no_follow), Err(ELOOP)),
        (open("/tmp/ld", no_follow | directory), Err(ENOTDIR)),
        (open("/tmp/ln", create | OpenFlags::NOFOLLOW), Err(ELOOP)),
        (open("/tmp/ld/", no_follow), Ok(())),
        (open("/tmp/ld/f", no_follow), Ok(())),
        (open("/tmp/f", no_follow), Ok(())),
        (open("/tmp/lds", READ | directory), Ok(())),
        (open("/tmp/llf", create), Ok(())),
        (open("/tmp/ln", create), Ok(())),
    ]);
}

#[test]
fn a_dangling_link_is_created_through() {
    let (mut lab, a) = tree();
    lab.kernel.clear_effects();
    let fd = lab.open(a, "/tmp/ldn", WRITE | OpenFlags::CREAT).unwrap();
    let ino = lab.fstat(a, fd).unwrap().ino;
    assert_eq!(lab.stat(a, "/tmp/d/n").unwrap().ino, ino);
    let (path, proc) = ("/tmp/d/n".into(), ProcId(0));
    let added = Effect::NameAdded { path, ino, maker: proc, by: proc, how: Naming::Created };
    assert_eq!(lab.kernel.effects(), [added], "the name that is new is told");
    let create_new = WRITE | OpenFlags::CREAT | OpenFlags::EXCL;
    assert_eq!(lab.open(a, "/tmp/ldn", create_new), Err(EEXIST));
}

#[test]
fn names_are_of_the_links_themselves() {
    check([
        (lstat("/tmp/lf/"), Err(ENOTDIR)),
        (lstat("/tmp/ln/"), Err(ENOENT)),
        (lstat("/tmp/loop/"), Err(ELOOP)),
        (lstat("/tmp/loop"), Ok(())),
        (stat("/tmp/loop"), Err(ELOOP)),
        (readlink("/tmp/f"), Err(EINVAL)),
        (readlink("/tmp/ld/"), Err(EINVAL)),
        (readlink("/tmp/lf/"), Err(ENOTDIR)),
        (readlink("/tmp/no"), Err(ENOENT)),
        (unlink("/tmp/ld"), Ok(())),
        (unlink("/tmp/ld/"), Err(ENOTDIR)),
        (unlink("/tmp/ln/"), Err(ENOTDIR)),
        (rmdir("/tmp/ld"), Err(ENOTDIR)),
        (rmdir("/tmp/ld/"), Err(ENOTDIR)),
        (mkdir("/tmp/ln"), Err(EEXIST)),
        (mkdir("/tmp/ln/"), Err(EEXIST)),
        (mkdir("/tmp/ld/x"), Ok(())),
        (symlink("x", "/tmp/ln"), Err(EEXIST)),
        (symlink("x", "/tmp/ln/"), Err(EEXIST)),
        (symlink("x", "/tmp/x/"), Err(ENOENT)),
        (symlink("x", ""), Err(ENOENT)),
        (symlink("", "/tmp/f"), Err(ENOENT)),
        (symlink(&"x".repeat(4096), "/tmp/f"), Err(ENAMETOOLONG)),
        (symlink(&"x".repeat(4095), "/tmp/x"), Ok(())),
        (link("/tmp/f", "/tmp/ln"), Err(EEXIST)),
        (link("/tmp/ln", "/tmp/x"), Ok(())),
        (link("/tmp/ld/", "/tmp/x"), Err(EPERM)),
        (link("/tmp/lf/", "/tmp/x"), Err(ENOTDIR)),
        (rename("/tmp/ld", "/tmp/x"), Ok(())),
        (rename("/tmp/ld/", "/tmp/x"), Err(ENOTDIR)),
        (rename("/tmp/f", "/tmp/ld"), Ok(())),
        (rename("/tmp/f", "/tmp/ld/"), Err(ENOTDIR)),
        (rename("/tmp/d", "/tmp/ld"), Err(ENOTDIR)),
        (rename("/tmp/ld", "/tmp/d"), Err(EISDIR)),
        (rename("/tmp/d", "/tmp/ld/x"), Err(EINVAL)),
    ]);
}

#[test]
fn a_second_name_of_a_link_is_a_link() {
    let (mut lab, a) = tree();
    lab.unit(a, &link("/tmp/ln", "/tmp/x")).unwrap();
    assert_eq!(lab.lstat(a, "/tmp/x").unwrap(), lab.lstat(a, "/tmp/ln").unwrap());
    assert_eq!(lab.lstat(a, "/tmp/x").unwrap().nlink, 2);
    lab.unit(a, &unlink("/tmp/lf")).unwrap();
    assert_eq!(lab.get(a, "/tmp/f").unwrap(), "abc", "what it led to remains");
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let (mut lab, a) = tree();
    lab.unit(a, &symlink(".", "/tmp/c")).unwrap();
    let through = |links, last| format!("/tmp/{}{last}", "c/".repeat(links));
    assert_eq!(lab.get(a, &through(40, "f")).unwrap(), "abc");
    assert_eq!(lab.get(a, &through(41, "f")), Err(ELOOP));
    assert!(lab.lstat(a, &through(40, "lf")).is_ok(), "the last is not followed");
    assert_eq!(lab.stat(a, &through(40, "lf")), Err(ELOOP));
    let create = WRITE | OpenFlags::CREAT;
    assert_eq!(lab.open(a, &through(40, "ln"), create), Err(ELOOP));
    assert!(lab.open(a, &through(39, "ln"), create).is_ok());
    lab.unit(a, &symlink("f", "/tmp/0")).unwrap();
    for nth in 1..41 {
        lab.unit(a, &symlink(&format!("{}", nth - 1), &format!("/tmp/{nth}"))).unwrap();
    }
    assert_eq!(lab.stat(a, "/tmp/39"), lab.stat(a, "/tmp/f"));
    assert_eq!(lab.stat(a, "/tmp/40"), Err(ELOOP));
}

#[test]
fn a_path_may_grow_beyond_what_may_be_asked_for() {
    let (mut lab, a) = tree();
    let detour = format!("{}d", "./".repeat(2000));
    lab.unit(a, &symlink(&detour, "/tmp/long")).unwrap();
    assert_eq!(lab.get(a, &format!("/tmp/{}long/f", "./".repeat(1000))).unwrap(), "abcdef");
    lab.unit(a, &symlink(&"n".repeat(256), "/tmp/wide")).unwrap();
    assert_eq!(lab.stat(a, "/tmp/wide"), Err(ENAMETOOLONG));
}

#[test]
fn what_happens_beyond_a_link_is_told_by_its_own_path() {
    let (mut lab, a) = tree();
    lab.kernel.clear_effects();
    lab.unit(a, &link("/tmp/f", "/tmp/ld/x")).unwrap();
    lab.unit(a, &rename("/tmp/ldd/../ld/x", "/tmp/lds/./y")).unwrap();
    lab.unit(a, &unlink("/tmp/ld/y")).unwrap();
    let told = lab.kernel.effects().iter().map(|effect| match effect {
        Effect::NameAdded { path, .. } => format!("+{path}"),
        Effect::NameRemoved { path, .. } => format!("-{path}"),
        other => panic!("{other:?}"),
    });
    assert_eq!(told.collect::<Vec<_>>(), ["+/tmp/d/x", "-/tmp/d/x", "+/tmp/d/y", "-/tmp/d/y"]);
}

#[test]
fn sockets_are_reached_through_links_and_bound_to_none() {
    let (mut lab, a) = tree();
    let listener = lab.fd(a, &Call::Socket).unwrap();
    let bind = |path: &str| Call::Bind { fd: listener, path: path.into() };
    assert_eq!(lab.unit(a, &bind("/tmp/ln")), Err(EADDRINUSE));
    assert_eq!(lab.unit(a, &bind("/tmp/no")), Ok(()), "where the link leads");
    lab.unit(a, &Call::Listen { fd: listener, backlog: 1 }).unwrap();
    let fd = lab.fd(a, &Call::Socket).unwrap();
    assert_eq!(lab.unit(a, &Call::Connect { fd, path: "/tmp/ln".into() }), Ok(()));
}
