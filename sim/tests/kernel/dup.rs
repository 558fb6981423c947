//! A second descriptor for one description.

use locklab_sim::kernel::TaskId;
use locklab_sys::{Call, Errno, Fd, FlockOp, LockCommand, OpenFlags};

use crate::lab::{Lab, wr};

fn two() -> (Lab, [TaskId; 2], Fd, Fd) {
    let mut lab = Lab::new();
    let tasks = ["a", "b"].map(|name| lab.launch(name));
    lab.put(tasks[0], "/run/lock", "abc");
    for task in tasks {
        lab.open(task, "/run/lock", OpenFlags::RDWR).unwrap();
    }
    let copy = lab.fd(tasks[0], &Call::Dup { fd: Fd(3) }).unwrap();
    (lab, tasks, Fd(3), copy)
}

#[test]
fn it_gets_the_lowest_number_and_shares_the_offset() {
    let (mut lab, [a, b], fd, copy) = two();
    assert_eq!(copy, Fd(4));
    let open: Vec<Fd> = lab.kernel.process(lab.kernel.process_of(a)).descriptors().collect();
    assert_eq!(open, [fd, copy]);
    assert_eq!(lab.read(a, fd, 1).unwrap(), "a");
    assert_eq!(lab.read(a, copy, 1).unwrap(), "b");
    lab.close(a, fd).unwrap();
    assert_eq!(lab.fd(a, &Call::Dup { fd: copy }), Ok(fd));
    assert_eq!(lab.read(a, fd, 1).unwrap(), "c");
    assert_eq!(lab.fd(b, &Call::Dup { fd: Fd(9) }), Err(Errno::EBADF));
    while lab.fd(b, &Call::Dup { fd }).is_ok() {}
    assert_eq!(lab.fd(b, &Call::Dup { fd }), Err(Errno::EMFILE));
    assert_eq!(lab.fd(b, &Call::Dup { fd: Fd(2_000) }), Err(Errno::EBADF));
}

#[test]
fn flock_is_one_and_stays_until_the_last_close() {
    let (mut lab, [a, b], fd, copy) = two();
    lab.flock(a, fd, FlockOp::Exclusive).unwrap();
    lab.flock(a, copy, FlockOp::TryExclusive).expect("it is the same description");
    lab.close(a, fd).unwrap();
    assert_eq!(lab.flock(b, fd, FlockOp::TryShared), Err(Errno::EAGAIN));
    lab.flock(a, copy, FlockOp::Unlock).unwrap();
    lab.flock(b, fd, FlockOp::TryShared).unwrap();
}

#[test]
fn record_locks_of_the_process_go_at_once_and_of_the_description_last() {
    let (mut lab, [a, b], fd, copy) = two();
    lab.lock(a, fd, LockCommand::Set, wr(0, 1)).unwrap();
    lab.lock(a, fd, LockCommand::OfdSet, wr(1, 1)).unwrap();
    lab.lock(a, copy, LockCommand::OfdSet, wr(1, 1)).unwrap();
    lab.close(a, copy).unwrap();
    lab.lock(b, fd, LockCommand::Set, wr(0, 1)).unwrap();
    assert_eq!(lab.lock(b, fd, LockCommand::Set, wr(1, 1)), Err(Errno::EAGAIN));
    lab.close(a, fd).unwrap();
    lab.lock(b, fd, LockCommand::Set, wr(1, 1)).unwrap();
}
