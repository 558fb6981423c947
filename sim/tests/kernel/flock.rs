//! `flock`, which belongs to the open file description.

use locklab_sim::kernel::{Outcome, ProcId, TaskId};
use locklab_sys::{Call, Errno, Fd, FlockOp, OpenFlags, Ret};

use crate::lab::Lab;

use FlockOp::{Exclusive, Shared, TryExclusive, TryShared, Unlock};

/// Three processes, each with the file open by a description of its own.
fn three() -> (Lab, [TaskId; 3], Fd) {
    let mut lab = Lab::new();
    let tasks = ["a", "b", "c"].map(|name| lab.launch(name));
    lab.put(tasks[0], "/run/lock", "");
    for task in tasks {
        assert_eq!(lab.open(task, "/run/lock", OpenFlags::RDONLY), Ok(FD));
    }
    (lab, tasks, FD)
}

const FD: Fd = Fd(3);

fn flock(op: FlockOp) -> Call {
    Call::Flock { fd: FD, op }
}

#[test]
fn locks_exclude_as_in_linux() {
    for (held, asked, expected) in [
        (Shared, TryShared, Ok(())),
        (Shared, TryExclusive, Err(Errno::EAGAIN)),
        (Exclusive, TryShared, Err(Errno::EAGAIN)),
        (Exclusive, TryExclusive, Err(Errno::EAGAIN)),
    ] {
        let (mut lab, [a, b, _], fd) = three();
        lab.flock(a, fd, held).unwrap();
        assert_eq!(lab.flock(b, fd, asked), expected, "{asked:?} beside {held:?}");
    }
}

#[test]
fn locks_of_two_files_do_not_meet() {
    let (mut lab, [a, b, _], fd) = three();
    lab.put(b, "/run/other", "");
    let other = lab.open(b, "/run/other", OpenFlags::RDONLY).unwrap();
    lab.flock(a, fd, Exclusive).unwrap();
    lab.flock(b, other, TryExclusive).unwrap();
}

#[test]
fn a_bad_descriptor_cannot_be_locked() {
    let (mut lab, [a, ..], _) = three();
    assert_eq!(lab.flock(a, Fd(9), TryShared), Err(Errno::EBADF));
}

#[test]
fn a_process_locks_itself_out_by_a_second_description() {
    let (mut lab, [a, ..], fd) = three();
    lab.flock(a, fd, Exclusive).unwrap();
    let second = lab.open(a, "/run/lock", OpenFlags::RDONLY).unwrap();
    assert_eq!(lab.flock(a, second, TryExclusive), Err(Errno::EAGAIN));
    lab.flock(a, fd, Exclusive).expect("the same description has it already");
}

#[test]
fn who_waits_gets_the_lock_when_it_finishes() {
    let (mut lab, [a, b, c], fd) = three();
    lab.flock(a, fd, Exclusive).unwrap();
    lab.begin(b, &flock(Exclusive));
    lab.begin(c, &flock(Shared));
    assert!(!lab.kernel.ready(b) && !lab.kernel.ready(c));
    lab.flock(a, fd, Unlock).unwrap();
    assert!(lab.kernel.ready(b) && lab.kernel.ready(c));
    assert_eq!(lab.kernel.finish(c), Ok(Ret::Unit));
    assert!(!lab.kernel.ready(b), "the other was faster");
    assert!(!lab.kernel.is_blocked(c));
    lab.flock(c, fd, Unlock).unwrap();
    assert_eq!(lab.kernel.finish(b), Ok(Ret::Unit));
    assert_eq!(lab.flock(a, fd, TryShared), Err(Errno::EAGAIN));
}

#[test]
#[should_panic(expected = "not ready")]
fn who_is_not_ready_cannot_finish() {
    let (mut lab, [a, b, _], fd) = three();
    lab.flock(a, fd, Exclusive).unwrap();
    lab.begin(b, &flock(Exclusive));
    lab.kernel.finish(b).unwrap();
}

#[test]
fn a_conversion_alone_succeeds_at_once() {
    let (mut lab, [a, b, _], fd) = three();
    lab.flock(a, fd, Shared).unwrap();
    lab.flock(a, fd, Exclusive).unwrap();
    assert_eq!(lab.flock(b, fd, TryShared), Err(Errno::EAGAIN));
    lab.flock(a, fd, Shared).unwrap();
    lab.flock(b, fd, TryShared).unwrap();
}

#[test]
fn a_failed_conversion_has_lost_the_old_lock() {
    let (mut lab, [a, b, c], fd) = three();
    lab.flock(a, fd, Shared).unwrap();
    lab.flock(b, fd, Shared).unwrap();
    assert_eq!(lab.flock(a, fd, TryExclusive), Err(Errno::EAGAIN));
    lab.flock(b, fd, Exclusive).expect("nobody else holds it any more");
    assert_eq!(lab.flock(c, fd, TryShared), Err(Errno::EAGAIN));
}

#[test]
fn a_waiting_conversion_has_lost_the_old_lock() {
    let (mut lab, [a, b, _], fd) = three();
    lab.flock(a, fd, Shared).unwrap();
    lab.flock(b, fd, Shared).unwrap();
    lab.begin(a, &flock(Exclusive));
    lab.flock(b, fd, Exclusive).expect("nobody else holds it any more");
    assert!(!lab.kernel.ready(a));
}

#[test]
fn a_child_shares_the_lock_and_the_last_close_drops_it() {
    let (mut lab, [a, b, _], fd) = three();
    lab.flock(a, fd, Exclusive).unwrap();
    let (_, child) = lab.spawn(a, &[fd]).unwrap();
    lab.flock(child, fd, TryExclusive).expect("it is the same description");
    lab.close(a, fd).unwrap();
    assert_eq!(lab.flock(b, fd, TryExclusive), Err(Errno::EAGAIN), "the child has it open");
    lab.exit(child, 0);
    lab.flock(b, fd, TryExclusive).unwrap();
}

#[test]
fn a_child_unlocks_for_its_parent() {
    let (mut lab, [a, b, _], fd) = three();
    lab.flock(a, fd, Exclusive).unwrap();
    let (_, child) = lab.spawn(a, &[fd]).unwrap();
    lab.flock(child, fd, Unlock).unwrap();
    lab.flock(b, fd, TryExclusive).unwrap();
}

#[test]
fn close_exit_and_kill_drop_the_lock_and_a_stop_does_not() {
    type End = fn(&mut Lab, TaskId);
    let ends: [End; 3] = [
        |lab, task| lab.close(task, FD).unwrap(),
        |lab, task| lab.exit(task, 0),
        |lab, task| lab.kernel.kill(lab.kernel.process_of(task)),
    ];
    for end in ends {
        let (mut lab, [a, b, _], fd) = three();
        lab.flock(a, fd, Exclusive).unwrap();
        lab.kernel.stop(ProcId(0));
        assert_eq!(lab.flock(b, fd, TryShared), Err(Errno::EAGAIN));
        lab.kernel.cont(ProcId(0));
        end(&mut lab, a);
        lab.flock(b, fd, TryShared).unwrap();
    }
}

#[test]
fn a_killed_waiter_leaves_nothing() {
    let (mut lab, [a, b, c], fd) = three();
    lab.flock(a, fd, Exclusive).unwrap();
    lab.begin(b, &flock(Exclusive));
    lab.kernel.kill(ProcId(1));
    assert!(!lab.kernel.is_blocked(b));
    lab.flock(a, fd, Unlock).unwrap();
    assert_eq!(lab.kernel.call(c, &flock(Exclusive)), Outcome::Done(Ok(Ret::Unit)));
}
