//! Disks without room, and disks that fail. What has room and what has not was
//! seen on an ext4 and on a tmpfs of Linux 6.18 that were filled up.

use std::time::Duration;

use locklab_sim::kernel::{Effect, InodeNumbers, IoCall, MachineConfig, Room, TaskId};
use locklab_sys::{Call, Errno, OpenFlags, Uid};

use crate::lab::{Lab, MACHINE, link, mkdir, rename, symlink, unlink};

const NEW: OpenFlags = OpenFlags::EXCL;

fn create(lab: &mut Lab, task: TaskId, path: &str) -> Result<locklab_sys::Fd, Errno> {
    lab.open(task, path, NEW | OpenFlags::CREAT | OpenFlags::WRONLY)
}

/// A machine with a disk of so many blocks and inodes besides those it boots with.
fn small(inode_numbers: InodeNumbers, blocks: u32, inodes: u32) -> (Lab, TaskId) {
    let taken = match inode_numbers {
        InodeNumbers::LowestFree => 3,
        InodeNumbers::Fresh => 0,
    };
    let room = Some(Room { blocks: taken + blocks, inodes: 3 + inodes });
    let mut lab = Lab::with(MachineConfig { inode_numbers, room, ..Default::default() });
    let task = lab.launch_as("a", Uid::ROOT);
    (lab, task)
}

const BOTH: [InodeNumbers; 2] = [InodeNumbers::LowestFree, InodeNumbers::Fresh];

#[test]
fn a_file_is_made_on_a_full_disk_and_cannot_be_signed() {
    for numbers in BOTH {
        let (mut lab, a) = small(numbers, 1, 10);
        lab.put(a, "/other", "it fills the block");
        let fd = create(&mut lab, a, "/lock").unwrap();
        assert_eq!(lab.write(a, fd, "pid=1000"), Err(Errno::ENOSPC));
        assert_eq!(lab.fstat(a, fd).unwrap().size, 0);
        lab.fsync(a, fd).unwrap();
        assert_eq!(lab.get(a, "/lock").as_deref(), Ok(""));
    }
}

#[test]
fn a_begun_block_can_be_filled_and_a_freed_one_used() {
    for numbers in BOTH {
        let (mut lab, a) = small(numbers, 1, 10);
        lab.put(a, "/one", "begun");
        let fd = lab.open(a, "/one", OpenFlags::WRONLY).unwrap();
        assert_eq!(lab.write(a, fd, "begun, and more"), Ok(15));
        lab.put(a, "/one", "written anew");
        let two = create(&mut lab, a, "/two").unwrap();
        assert_eq!(lab.write(a, two, "two"), Err(Errno::ENOSPC));
        assert_eq!(lab.write(a, two, ""), Ok(0));
        lab.unit(a, &unlink("/one")).unwrap();
        // It is open still.
        assert_eq!(lab.write(a, two, "two"), Err(Errno::ENOSPC));
        lab.close(a, fd).unwrap();
        assert_eq!(lab.write(a, two, "two"), Ok(3));
    }
}

#[test]
fn what_has_room_for_a_part_is_written_in_part() {
    let (mut lab, a) = small(InodeNumbers::Fresh, 2, 10);
    let fd = create(&mut lab, a, "/long").unwrap();
    assert_eq!(lab.write(a, fd, &"x".repeat(10_000)), Ok(8192));
    assert_eq!(lab.write(a, fd, "x"), Err(Errno::ENOSPC));
    assert_eq!(lab.fstat(a, fd).unwrap().size, 8192);
}

#[test]
fn only_a_directory_of_ext4_takes_a_block() {
    for (numbers, made) in [(BOTH[0], Err(Errno::ENOSPC)), (BOTH[1], Ok(()))] {
        let (mut lab, a) = small(numbers, 1, 10);
        lab.put(a, "/one", "1");
        assert_eq!(lab.unit(a, &mkdir("/dir")), made);
        assert_eq!(lab.unit(a, &mkdir("/one")), Err(Errno::EEXIST));
        assert_eq!(lab.unit(a, &link("/one", "/two")), Ok(()));
        assert_eq!(lab.unit(a, &rename("/one", "/three")), Ok(()));
    }
}

#[test]
fn a_symbolic_link_takes_a_block_when_its_target_is_long() {
    for (numbers, long) in [(BOTH[0], 60), (BOTH[1], 128)] {
        let (mut lab, a) = small(numbers, 1, 10);
        let target = "n".repeat(long);
        assert_eq!(lab.unit(a, &symlink(&target[1..], "/short")), Ok(()));
        assert_eq!(lab.unit(a, &symlink(&target, "/long")), Ok(()));
        assert_eq!(lab.unit(a, &symlink(&target, "/other")), Err(Errno::ENOSPC));
        assert_eq!(lab.unit(a, &symlink(&target[1..], "/other")), Ok(()));
        let fd = create(&mut lab, a, "/lock").unwrap();
        assert_eq!(lab.write(a, fd, "pid=1000"), Err(Errno::ENOSPC));
        lab.unit(a, &unlink("/long")).unwrap();
        assert_eq!(lab.write(a, fd, "pid=1000"), Ok(8));
    }
}

#[test]
fn without_an_inode_nothing_new_is_made() {
    for (numbers, linked) in [(BOTH[0], Ok(())), (BOTH[1], Err(Errno::ENOSPC))] {
        let (mut lab, a) = small(numbers, 10, 1);
        lab.put(a, "/one", "1");
        assert_eq!(create(&mut lab, a, "/two"), Err(Errno::ENOSPC));
        assert_eq!(create(&mut lab, a, "/one"), Err(Errno::EEXIST));
        assert_eq!(create(&mut lab, a, "/none/two"), Err(Errno::ENOENT));
        assert_eq!(create(&mut lab, a, "/two/"), Err(Errno::EISDIR));
        assert_eq!(lab.unit(a, &mkdir("/two")), Err(Errno::ENOSPC));
        assert_eq!(lab.unit(a, &mkdir("/one")), Err(Errno::EEXIST));
        let socket = lab.fd(a, &Call::Socket).unwrap();
        let bind = |path: &str| Call::Bind { fd: socket, path: path.into() };
        assert_eq!(lab.unit(a, &bind("/two")), Err(Errno::ENOSPC));
        assert_eq!(lab.unit(a, &bind("/one")), Err(Errno::EADDRINUSE));
        assert_eq!(lab.unit(a, &link("/one", "/one")), Err(Errno::EEXIST));
        assert_eq!(lab.unit(a, &link("/none", "/two")), Err(Errno::ENOENT));
        assert_eq!(lab.unit(a, &link("/one", "/two")), linked);
    }
}

#[test]
fn an_open_file_without_a_name_keeps_its_inode() {
    for numbers in BOTH {
        let (mut lab, a) = small(numbers, 10, 1);
        let fd = create(&mut lab, a, "/one").unwrap();
        lab.unit(a, &unlink("/one")).unwrap();
        assert_eq!(create(&mut lab, a, "/two"), Err(Errno::ENOSPC));
        lab.close(a, fd).unwrap();
        assert!(create(&mut lab, a, "/two").is_ok());
    }
}

#[test]
fn a_disk_that_somebody_fills_has_room_again_and_leaves_no_trace() {
    let mut lab = Lab::new();
    let a = lab.launch_as("a", Uid::ROOT);
    lab.put(a, "/old", "old");
    let before = lab.kernel.clone();
    lab.kernel.fill_disk(MACHINE);
    assert_ne!(lab.kernel, before);
    let fd = create(&mut lab, a, "/new").unwrap();
    assert_eq!(lab.write(a, fd, "new"), Err(Errno::ENOSPC));
    lab.put(a, "/old", "its block is its own");
    lab.kernel.drain_disk(MACHINE);
    assert_eq!(lab.write(a, fd, "new"), Ok(3));
    let mut fresh = before.clone();
    fresh.fill_disk(MACHINE);
    fresh.drain_disk(MACHINE);
    assert_eq!(fresh, before);
}

#[test]
fn the_next_such_call_of_a_process_fails_and_no_other() {
    let mut lab = Lab::new();
    let (a, b) = (lab.launch_as("a", Uid::ROOT), lab.launch_as("b", Uid::ROOT));
    lab.put(a, "/file", "content");
    let flags = OpenFlags::RDWR;
    let fd = lab.open(a, "/file", flags).unwrap();
    let other = lab.open(b, "/file", flags).unwrap();
    let before = lab.kernel.clone();
    let proc = lab.kernel.process_of(a);
    for call in IoCall::ALL {
        lab.kernel.fail_next(proc, call);
    }
    lab.kernel.clear_effects();
    assert_eq!(lab.read(b, other, 3).as_deref(), Ok("con"));
    assert_eq!(lab.write(b, other, "x"), Ok(1));
    assert_eq!(lab.fsync(b, other), Ok(()));
    assert_eq!(lab.read(a, fd, 3), Err(Errno::EIO));
    assert_eq!(lab.write(a, fd, "x"), Err(Errno::EIO));
    assert_eq!(lab.fsync(a, fd), Err(Errno::EIO));
    let failed = IoCall::ALL.map(|call| Effect::IoFailed { proc, call });
    assert_eq!(lab.kernel.effects(), failed);
    // The offset has not moved.
    assert_eq!(lab.read(a, fd, 3).as_deref(), Ok("con"));
    assert_eq!(lab.write(a, fd, "x"), Ok(1));
    assert_eq!(lab.fsync(a, fd), Ok(()));
    // Who dies takes what was in store for it along.
    let mut fresh = before.clone();
    fresh.fail_next(proc, IoCall::Write);
    fresh.kill(proc);
    let mut killed = before.clone();
    killed.kill(proc);
    assert_eq!(fresh, killed);
}

#[test]
fn errors_of_descriptors_come_before_those_of_disks() {
    let mut lab = Lab::new();
    let a = lab.launch_as("a", Uid::ROOT);
    lab.put(a, "/file", "content");
    let reader = lab.open(a, "/file", OpenFlags::RDONLY).unwrap();
    let socket = lab.fd(a, &Call::Socket).unwrap();
    let proc = lab.kernel.process_of(a);
    for call in IoCall::ALL {
        lab.kernel.fail_next(proc, call);
    }
    assert_eq!(lab.write(a, reader, "x"), Err(Errno::EBADF));
    assert_eq!(lab.fsync(a, locklab_sys::Fd(99)), Err(Errno::EBADF));
    assert_eq!(lab.fsync(a, socket), Err(Errno::EINVAL));
    assert_eq!(lab.fsync(a, reader), Err(Errno::EIO));
}

#[test]
fn a_write_without_room_stamps_the_file() {
    for numbers in BOTH {
        let (mut lab, a) = small(numbers, 1, 10);
        lab.put(a, "/other", "it fills the block");
        let fd = create(&mut lab, a, "/lock").unwrap();
        let before = lab.fstat(a, fd).unwrap();
        lab.kernel.advance_to(lab.kernel.now() + Duration::from_secs(1));
        assert_eq!(lab.write(a, fd, "pid=1000"), Err(Errno::ENOSPC));
        let after = lab.fstat(a, fd).unwrap();
        let later = |time: Duration| time + Duration::from_secs(1);
        assert_eq!((after.mtime, after.ctime), (later(before.mtime), later(before.ctime)));
    }
}

#[test]
fn a_write_that_fails_stamps_nothing() {
    let (mut lab, a) = small(InodeNumbers::Fresh, 4, 10);
    let fd = create(&mut lab, a, "/lock").unwrap();
    let before = lab.fstat(a, fd).unwrap();
    lab.kernel.advance_to(lab.kernel.now() + Duration::from_secs(1));
    lab.kernel.fail_next(lab.kernel.process_of(a), IoCall::Write);
    assert_eq!(lab.write(a, fd, "pid=1000"), Err(Errno::EIO));
    assert_eq!(lab.fstat(a, fd), Ok(before));
}
