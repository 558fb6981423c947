//! Descriptors, what is read and written, and how long inodes live.

use locklab_sim::kernel::{InodeNumbers, MachineConfig, TaskId};
use locklab_sys::{Call, Errno, Fd, FileKind, OpenFlags};

use crate::lab::{Lab, link, mkdir, rename, rmdir, unlink, write};

const MEBIBYTE: usize = 1 << 20;

fn lab() -> (Lab, TaskId) {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    (lab, task)
}

#[test]
fn a_descriptor_is_the_lowest_free_from_3() {
    let (mut lab, a) = lab();
    let open = |lab: &mut Lab| lab.open(a, "/tmp", OpenFlags::RDONLY).unwrap().0;
    assert_eq!([open(&mut lab), open(&mut lab), open(&mut lab)], [3, 4, 5]);
    lab.close(a, Fd(4)).unwrap();
    assert_eq!([open(&mut lab), open(&mut lab)], [4, 6]);
}

#[test]
fn a_process_has_at_most_1024_descriptors() {
    let (mut lab, a) = lab();
    for _ in 3..1024 {
        lab.open(a, "/tmp", OpenFlags::RDONLY).unwrap();
    }
    let create = OpenFlags::WRONLY | OpenFlags::CREAT;
    assert_eq!(lab.open(a, "/tmp/f", create), Err(Errno::EMFILE));
    assert_eq!(lab.stat(a, "/tmp/f"), Err(Errno::ENOENT), "nothing was created");
    assert_eq!(lab.open(a, "", create), Err(Errno::ENOENT), "the path is looked at first");
    lab.close(a, Fd(500)).unwrap();
    assert_eq!(lab.open(a, "/tmp/f", create), Ok(Fd(500)));
}

#[test]
fn a_closed_descriptor_is_bad() {
    let (mut lab, a) = lab();
    let fd = lab.open(a, "/tmp", OpenFlags::RDONLY).unwrap();
    lab.close(a, fd).unwrap();
    let calls =
        [Call::Read { fd, len: 1 }, write(fd, b"x"), Call::Close { fd }, Call::Fstat { fd }];
    for call in calls.iter().chain(&[Call::Readdir { fd }]) {
        assert_eq!(lab.call(a, call), Err(Errno::EBADF), "{call}");
    }
}

#[test]
fn reading_and_writing_need_the_right() {
    let (mut lab, a) = lab();
    lab.put(a, "/tmp/f", "abc");
    let reader = lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    let writer = lab.open(a, "/tmp/f", OpenFlags::WRONLY).unwrap();
    let dir = lab.open(a, "/tmp", OpenFlags::RDONLY).unwrap();
    assert_eq!(lab.write(a, reader, "x"), Err(Errno::EBADF));
    assert_eq!(lab.read(a, writer, 1), Err(Errno::EBADF));
    assert_eq!(lab.read(a, dir, 1), Err(Errno::EISDIR));
    assert_eq!(lab.call(a, &Call::Readdir { fd: reader }), Err(Errno::ENOTDIR));
}

#[test]
fn an_offset_belongs_to_the_description() {
    let (mut lab, a) = lab();
    lab.put(a, "/tmp/f", "abcdef");
    let one = lab.open(a, "/tmp/f", OpenFlags::RDWR).unwrap();
    let other = lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    assert_eq!(lab.read(a, one, 2).unwrap(), "ab");
    let (_, child) = lab.spawn(a, &[one]).unwrap();
    assert_eq!(lab.read(child, one, 2).unwrap(), "cd");
    assert_eq!(lab.write(a, one, "E"), Ok(1));
    assert_eq!(lab.read(child, one, 9).unwrap(), "f");
    assert_eq!(lab.read(child, one, 9).unwrap(), "");
    assert_eq!(lab.read(a, other, 9).unwrap(), "abcdEf");
}

#[test]
fn a_write_past_the_end_leaves_zeros() {
    let (mut lab, a) = lab();
    let fd = lab.open(a, "/tmp/f", OpenFlags::WRONLY | OpenFlags::CREAT).unwrap();
    lab.write(a, fd, "abcd").unwrap();
    lab.put(a, "/tmp/f", "x");
    lab.write(a, fd, "y").unwrap();
    assert_eq!(lab.get(a, "/tmp/f").unwrap(), "x\0\0\0y");
}

#[test]
fn a_file_ends_at_one_mebibyte() {
    let (mut lab, a) = lab();
    let fd = lab.open(a, "/tmp/f", OpenFlags::WRONLY | OpenFlags::CREAT).unwrap();
    assert_eq!(lab.write(a, fd, &"x".repeat(MEBIBYTE - 1)), Ok(MEBIBYTE as u32 - 1));
    assert_eq!(lab.write(a, fd, "yz"), Ok(1));
    assert_eq!(lab.write(a, fd, "z"), Err(Errno::EFBIG));
    assert_eq!(lab.stat(a, "/tmp/f").unwrap().size, MEBIBYTE as u32);
    let fd = lab.open(a, "/tmp/g", OpenFlags::WRONLY | OpenFlags::CREAT).unwrap();
    assert_eq!(lab.write(a, fd, &"x".repeat(MEBIBYTE + 1)), Ok(MEBIBYTE as u32));
    assert_eq!(lab.stat(a, "/tmp/g").unwrap().size, MEBIBYTE as u32);
}

#[test]
fn an_inode_lives_as_long_as_it_is_open() {
    let (mut lab, a) = lab();
    lab.put(a, "/tmp/f", "abc");
    let fd = lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    lab.unit(a, &unlink("/tmp/f")).unwrap();
    assert_eq!(lab.fstat(a, fd).unwrap().nlink, 0);
    assert_eq!(lab.read(a, fd, 9).unwrap(), "abc");
}

#[test]
fn a_removed_directory_lives_as_long_as_it_is_open() {
    let (mut lab, a) = lab();
    lab.unit(a, &mkdir("/tmp/d")).unwrap();
    let fd = lab.open(a, "/tmp/d", OpenFlags::RDONLY).unwrap();
    lab.unit(a, &rmdir("/tmp/d")).unwrap();
    assert_eq!(lab.fstat(a, fd).unwrap().nlink, 0);
    assert_eq!(lab.call(a, &Call::Readdir { fd }), Err(Errno::ENOENT));
}

#[test]
fn the_lowest_free_inode_number_is_given_again() {
    let removals: [&[Call]; 4] = [
        &[unlink("/tmp/f")],
        &[unlink("/tmp/f"), mkdir("/tmp/f"), rmdir("/tmp/f")],
        &[rename("/tmp/g", "/tmp/f"), rename("/tmp/f", "/tmp/g")],
        &[link("/tmp/f", "/tmp/h"), unlink("/tmp/f"), unlink("/tmp/h")],
    ];
    for removal in removals {
        let (mut lab, a) = lab();
        let first = lab.put(a, "/tmp/f", "");
        let second = lab.put(a, "/tmp/g", "");
        for call in removal {
            lab.unit(a, call).unwrap();
        }
        assert_eq!(lab.put(a, "/tmp/i", ""), first, "after {removal:?}");
        assert_eq!(lab.put(a, "/tmp/j", ""), second + 1, "after {removal:?}");
    }
}

#[test]
fn a_number_is_pinned_while_open() {
    let (mut lab, a) = lab();
    let pinned = lab.put(a, "/tmp/f", "");
    let fd = lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    let (_, child) = lab.spawn(a, &[fd]).unwrap();
    lab.unit(a, &unlink("/tmp/f")).unwrap();
    lab.close(a, fd).unwrap();
    assert_ne!(lab.put(a, "/tmp/g", ""), pinned, "the child has it open");
    lab.exit(child, 0);
    assert_eq!(lab.put(a, "/tmp/h", ""), pinned);
}

#[test]
fn fresh_numbers_are_never_given_again() {
    let mut lab =
        Lab::with(MachineConfig { inode_numbers: InodeNumbers::Fresh, ..Default::default() });
    let a = lab.launch("a");
    let first = lab.put(a, "/tmp/f", "");
    lab.unit(a, &unlink("/tmp/f")).unwrap();
    assert_eq!(lab.put(a, "/tmp/f", ""), first + 1);
}

#[test]
fn stat_counts_names() {
    let (mut lab, a) = lab();
    lab.put(a, "/tmp/f", "abc");
    lab.unit(a, &link("/tmp/f", "/tmp/g")).unwrap();
    lab.unit(a, &mkdir("/tmp/d")).unwrap();
    lab.unit(a, &mkdir("/tmp/d/s")).unwrap();
    let file = lab.stat(a, "/tmp/g").unwrap();
    assert_eq!((file.kind, file.nlink, file.size), (FileKind::File, 2, 3));
    assert_eq!(lab.stat(a, "/tmp/f").unwrap(), file);
    let dir = lab.stat(a, "/tmp/d").unwrap();
    assert_eq!((dir.kind, dir.nlink), (FileKind::Directory, 3));
}
