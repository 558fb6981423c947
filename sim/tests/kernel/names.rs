//! What names stand for, and what is told of their changes.

use locklab_sim::kernel::{Effect, MachineConfig, Naming, ProcId, TaskId};
use locklab_sys::{Call, Errno, Fd, OpenFlags, Uid};

use crate::lab::{Lab, link, mkdir, rename, rmdir, unlink};

fn lab() -> (Lab, TaskId, TaskId) {
    let mut lab = Lab::new();
    let (a, b) = (lab.launch("a"), lab.launch("b"));
    lab.kernel.clear_effects();
    (lab, a, b)
}

const A: ProcId = ProcId(0);
const B: ProcId = ProcId(1);

fn added(path: &str, ino: u64, maker: ProcId, by: ProcId, how: Naming) -> Effect {
    Effect::NameAdded { path: path.into(), ino, maker, by, how }
}

fn removed(path: &str, ino: u64, maker: ProcId, by: ProcId) -> Effect {
    Effect::NameRemoved { path: path.into(), ino, maker, by }
}

#[test]
fn a_machine_boots_with_run_and_tmp() {
    let (mut lab, a, _) = lab();
    assert_eq!(lab.names(a, "/").unwrap(), ["run", "tmp"]);
}

#[test]
fn rename_replaces_what_is_there() {
    let (mut lab, a, _) = lab();
    let new = lab.put(a, "/tmp/new", "new");
    lab.put(a, "/tmp/old", "old");
    let fd = lab.open(a, "/tmp/old", OpenFlags::RDONLY).unwrap();
    lab.unit(a, &rename("/tmp/new", "/tmp/old")).unwrap();
    assert_eq!(lab.names(a, "/tmp").unwrap(), ["old"]);
    assert_eq!(lab.stat(a, "/tmp/old").unwrap().ino, new);
    assert_eq!(lab.read(a, fd, 9).unwrap(), "old", "the replaced file lives while it is open");
}

#[test]
fn rename_of_one_file_onto_itself_does_nothing() {
    let (mut lab, a, _) = lab();
    lab.put(a, "/tmp/f", "");
    lab.unit(a, &link("/tmp/f", "/tmp/g")).unwrap();
    let before = lab.clone();
    lab.kernel.clear_effects();
    lab.unit(a, &rename("/tmp/f", "/tmp/g")).unwrap();
    assert_eq!(lab.kernel.effects(), []);
    assert!(lab.kernel == before.kernel);
}

#[test]
fn a_moved_directory_keeps_what_is_in_it() {
    let (mut lab, a, _) = lab();
    lab.unit(a, &mkdir("/tmp/d")).unwrap();
    lab.put(a, "/tmp/d/f", "abc");
    lab.unit(a, &rename("/tmp/d", "/run/e")).unwrap();
    assert_eq!(lab.get(a, "/run/e/f").unwrap(), "abc");
    assert_eq!(lab.stat(a, "/run/e/..").unwrap().ino, lab.stat(a, "/run").unwrap().ino);
    assert_eq!(lab.stat(a, "/tmp/d"), Err(Errno::ENOENT));
}

#[test]
fn names_are_read_in_order() {
    let (mut lab, a, _) = lab();
    for name in ["b", "a", "c", "B"] {
        lab.put(a, &format!("/tmp/{name}"), "");
    }
    assert_eq!(lab.names(a, "/tmp").unwrap(), ["B", "a", "b", "c"]);
}

#[test]
fn changes_are_told_with_maker_and_doer() {
    let (mut lab, a, b) = lab();
    let ino = lab.put(a, "/tmp/f", "");
    lab.put(b, "/tmp/f", "opened, not created");
    lab.unit(b, &link("/tmp/f", "/tmp/g")).unwrap();
    lab.unit(b, &unlink("/tmp/f")).unwrap();
    let dir = ino + 1;
    lab.unit(b, &mkdir("/tmp/d")).unwrap();
    lab.unit(a, &rmdir("/tmp/d")).unwrap();
    assert_eq!(
        lab.kernel.effects(),
        [
            added("/tmp/f", ino, A, A, Naming::Created),
            added("/tmp/g", ino, A, B, Naming::Exclusive),
            removed("/tmp/f", ino, A, B),
            added("/tmp/d", dir, B, B, Naming::Exclusive),
            removed("/tmp/d", dir, B, A),
        ]
    );
}

#[test]
fn a_rename_is_told_as_removals_and_an_addition() {
    let (mut lab, a, b) = lab();
    let target = lab.put(a, "/tmp/f", "");
    let source = lab.put(b, "/tmp/g", "");
    lab.kernel.clear_effects();
    lab.unit(b, &rename("/tmp/g", "/tmp/f")).unwrap();
    assert_eq!(
        lab.kernel.effects(),
        [
            removed("/tmp/f", target, A, B),
            removed("/tmp/g", source, B, B),
            added("/tmp/f", source, B, B, Naming::Moved),
        ]
    );
}

#[test]
fn paths_are_told_absolute_and_without_detours() {
    let (mut lab, a, _) = lab();
    let root = lab.launch_as("root", Uid::ROOT);
    lab.kernel.clear_effects();
    lab.unit(a, &mkdir("tmp/d/")).unwrap();
    lab.unit(a, &mkdir("/tmp/./d//s")).unwrap();
    lab.put(a, "//run/../tmp/d/s/f", "");
    lab.unit(root, &mkdir("x")).unwrap();
    let told = lab.kernel.effects().iter().map(|effect| match effect {
        Effect::NameAdded { path, .. } => path.as_str(),
        other => panic!("{other:?}"),
    });
    assert_eq!(told.collect::<Vec<_>>(), ["/tmp/d", "/tmp/d/s", "/tmp/d/s/f", "/x"]);
}

#[test]
fn a_name_is_removed_just_while_it_means_what_is_open() {
    let mut lab = Lab::with(MachineConfig { funlinkat: true, ..Default::default() });
    let (a, b) = (lab.launch("a"), lab.launch("b"));
    let ino = lab.put(a, "/tmp/f", "dead");
    let judged = lab.open(b, "/tmp/f", OpenFlags::RDONLY).unwrap();
    lab.unit(a, &unlink("/tmp/f")).unwrap();
    assert_eq!(lab.unit(b, &funlinkat("/tmp/f", judged, false)), Err(Errno::ENOENT));
    assert_ne!(lab.put(a, "/tmp/f", "new"), ino, "the descriptor pins the number");
    assert_eq!(lab.unit(b, &funlinkat("/tmp/f", judged, false)), Err(Errno::EDEADLK));
    assert_eq!(lab.get(b, "/tmp/f").unwrap(), "new", "it was not removed");
    let new = lab.open(b, "/tmp/f", OpenFlags::RDONLY).unwrap();
    let new_ino = lab.fstat(b, new).unwrap().ino;
    lab.kernel.clear_effects();
    assert_eq!(lab.unit(b, &funlinkat("/tmp/f", new, false)), Ok(()));
    assert_eq!(lab.kernel.effects(), [removed("/tmp/f", new_ino, A, B)]);
}

/// As FreeBSD's manual and source have it, but for a directory,
/// for which its `unlink` says EPERM where that of Linux says EISDIR.
#[test]
fn funlinkat_fails_as_in_freebsd() {
    let mut lab = Lab::with(MachineConfig { funlinkat: true, ..Default::default() });
    let a = lab.launch_as("a", Uid::ROOT);
    for dir in ["/tmp/d", "/tmp/d/s", "/tmp/e"] {
        lab.unit(a, &mkdir(dir)).unwrap();
    }
    lab.put(a, "/tmp/f", "");
    lab.unit(a, &link("/tmp/f", "/tmp/g")).unwrap();
    let [file, d, e] =
        ["/tmp/g", "/tmp/d", "/tmp/e"].map(|path| lab.open(a, path, OpenFlags::RDONLY).unwrap());
    let socket = lab.fd(a, &Call::Socket).unwrap();
    let rows = [
        ("/tmp/no", Fd(99), false, Err(Errno::EBADF)),
        ("/tmp/no", socket, false, Err(Errno::EINVAL)),
        ("/tmp/no", file, false, Err(Errno::ENOENT)),
        ("/tmp/f/", file, false, Err(Errno::ENOTDIR)),
        ("/tmp/d", file, false, Err(Errno::EISDIR)),
        ("/tmp/f", d, false, Err(Errno::EDEADLK)),
        ("/tmp/f", file, true, Err(Errno::ENOTDIR)),
        ("/tmp/e", file, true, Err(Errno::EDEADLK)),
        ("/tmp/d", e, true, Err(Errno::EDEADLK)),
        ("/tmp/d", d, true, Err(Errno::ENOTEMPTY)),
        ("/tmp", d, true, Err(Errno::EBUSY)),
        ("/tmp/e", e, true, Ok(())),
        ("/tmp/f", file, false, Ok(())),
    ];
    for (path, fd, removedir, expected) in rows {
        let call = funlinkat(path, fd, removedir);
        assert_eq!(lab.clone().unit(a, &call), expected, "{call}");
    }
}

#[test]
fn linux_has_no_funlinkat() {
    let (mut lab, a, _) = lab();
    lab.put(a, "/tmp/f", "");
    let fd = lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    for fd in [fd, Fd(99)] {
        assert_eq!(lab.unit(a, &funlinkat("/tmp/f", fd, false)), Err(Errno::ENOSYS));
    }
}

fn funlinkat(path: &str, fd: Fd, removedir: bool) -> Call {
    Call::Funlinkat { path: path.into(), fd, removedir }
}
