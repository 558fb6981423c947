//! What a loss of power leaves where something was special: a file was truncated,
//! or not; it had no name; its owner had changed; a sync had failed.

use std::time::Duration;

use locklab_sim::kernel::{Durability, IoCall, Survivor};
use locklab_sys::{Call, Errno, Mode, OpenFlags, SmolStr, Uid};

use crate::durable::{BOTH, found, lab, left, machine, sync, wait};
use crate::lab::{Lab, MACHINE, mkdir, unlink};

#[test]
fn what_is_truncated_is_not_what_it_was() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/lock", "old");
        sync(&mut lab, a, "/lock");
        let fd = lab.open(a, "/lock", OpenFlags::WRONLY).unwrap();
        lab.write(a, fd, "new").unwrap();
        assert_eq!(left(&lab, durability, Survivor::Names, &["/lock"]), [found("old")]);
        lab.open(a, "/lock", OpenFlags::WRONLY | OpenFlags::TRUNC).unwrap();
        assert_eq!(left(&lab, durability, Survivor::Names, &["/lock"]), [found("")]);
    }
}

#[test]
fn a_file_that_was_only_open_is_gone_and_its_number_free() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        let ino = lab.put(a, "/lock", "pid=1000");
        let fd = lab.open(a, "/lock", OpenFlags::RDONLY).unwrap();
        lab.unit(a, &unlink("/lock")).unwrap();
        lab.fsync(a, fd).unwrap();
        assert!(lab.kernel.inodes(MACHINE).any(|it| it == ino), "it is open");
        for survivor in Survivor::ALL {
            let mut lab = lab.clone();
            lab.kernel.reboot(MACHINE, &machine(durability), Some(survivor));
            assert!(!lab.kernel.inodes(MACHINE).any(|it| it == ino));
            let task = lab.launch_as("next", Uid::ROOT);
            assert_eq!(lab.put(task, "/lock", "pid=1000"), ino);
        }
    }
}

#[test]
fn what_a_lost_directory_names_is_kept_as_long_as_that_may_be_named_yet() {
    let (mut lab, a) = lab(Durability::None);
    lab.unit(a, &mkdir("/dir")).unwrap();
    lab.put(a, "/dir/file", "content");
    sync(&mut lab, a, "/dir");
    lab.unit(a, &unlink("/dir/file")).unwrap();
    sync(&mut lab, a, "/run");
    sync(&mut lab, a, "/");
    assert_eq!(left(&lab, Durability::None, Survivor::Synced, &["/dir/file"]), [found("")]);
}

#[test]
fn owners_modes_and_times_are_committed_like_names() {
    let durability = Durability::Journal;
    let (mut lab, a) = lab(durability);
    lab.put(a, "/lock", "");
    sync(&mut lab, a, "/lock");
    let path = SmolStr::new_static("/lock");
    for call in [
        Call::Chmod { path: path.clone(), mode: Mode::new(0o600) },
        Call::Chown { path: path.clone(), uid: Uid::USER },
        Call::Utimensat { path, mtime: Some(Duration::from_secs(7)), follow: true },
    ] {
        lab.unit(a, &call).unwrap();
        let kept = |lab: &Lab| {
            let mut after = lab.clone();
            after.kernel.reboot(MACHINE, &machine(durability), Some(Survivor::Synced));
            let b = after.launch_as("b", Uid::ROOT);
            let stat = after.stat(b, "/lock").unwrap();
            (stat.mode, stat.uid, stat.mtime)
        };
        let before = kept(&lab);
        wait(&mut lab, 5);
        assert_ne!(kept(&lab), before, "{call}");
    }
}

#[test]
fn after_a_sync_that_failed_the_next_one_succeeds_and_writes_nothing() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/file", "old");
        sync(&mut lab, a, "/file");
        sync(&mut lab, a, "/");
        let fd = lab.open(a, "/file", OpenFlags::RDWR).unwrap();
        lab.write(a, fd, "new").unwrap();
        let proc = lab.kernel.process_of(a);
        lab.kernel.fail_next(proc, IoCall::Fsync);
        assert_eq!(lab.fsync(a, fd), Err(Errno::EIO));
        assert_eq!(lab.fsync(a, fd), Ok(()));
        wait(&mut lab, 60);
        // It can still be read, and yet it is nowhere.
        assert_eq!(lab.get(a, "/file").as_deref(), Ok("new"));
        assert_eq!(left(&lab, durability, Survivor::Names, &["/file"]), [found("old")]);
        assert_eq!(left(&lab, durability, Survivor::Everything, &["/file"]), [found("old")]);
        let mut booted = lab.clone();
        booted.kernel.reboot(MACHINE, &machine(durability), None);
        let b = booted.launch_as("b", Uid::ROOT);
        assert_eq!(booted.get(b, "/file").as_deref(), Ok("old"));
        // Only what is written once more has another chance.
        lab.write(a, fd, "!").unwrap();
        lab.fsync(a, fd).unwrap();
        assert_eq!(left(&lab, durability, Survivor::Names, &["/file"]), [found("new!")]);
    }
}

#[test]
fn a_refused_truncation_changes_nothing() {
    let durability = Durability::Journal;
    let (mut lab, a) = lab(durability);
    lab.put(a, "/file", "content");
    let flags = OpenFlags::RDONLY | OpenFlags::TRUNC | OpenFlags::DIRECTORY;
    assert_eq!(lab.open(a, "/file", flags), Err(Errno::ENOTDIR));
    let user = lab.launch("user");
    let flags = OpenFlags::WRONLY | OpenFlags::TRUNC;
    assert_eq!(lab.open(user, "/file", flags), Err(Errno::EACCES));
    assert_eq!(left(&lab, durability, Survivor::Names, &["/file"]), [found("")]);
}
