//! Record locks: `F_SETLK` and its kin belong to the process, `F_OFD_SETLK` to
//! the open file description.

use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::{Call, Errno, Fd, FlockOp, HeldLock, LockCommand, OpenFlags, Ret};

use crate::lab::{Lab, rd, un, wr};

use LockCommand::{Get, OfdGet, OfdSet, OfdSetWait, Set, SetWait};

const FD: Fd = Fd(3);

/// Three processes, each with the file open by a description of its own.
fn three() -> (Lab, [TaskId; 3]) {
    let mut lab = Lab::new();
    let tasks = ["a", "b", "c"].map(|name| lab.launch(name));
    lab.put(tasks[0], "/run/lock", "");
    for task in tasks {
        assert_eq!(lab.open(task, "/run/lock", OpenFlags::RDWR), Ok(FD));
    }
    (lab, tasks)
}

fn held(lab: &mut Lab, task: TaskId, command: LockCommand) -> Option<HeldLock> {
    match lab.call(task, &Call::Fcntl { fd: FD, command, lock: wr(0, 0) }) {
        Ok(Ret::Lock(held)) => held,
        other => panic!("{command} gave {other:?}"),
    }
}

#[test]
fn locks_exclude_as_in_linux() {
    for commands in [[Set, Set], [Set, OfdSet], [OfdSet, Set], [OfdSet, OfdSet]] {
        for (first, second, expected) in [
            (rd(0, 9), rd(8, 2), Ok(())),
            (rd(0, 9), wr(8, 2), Err(Errno::EAGAIN)),
            (wr(0, 9), rd(8, 2), Err(Errno::EAGAIN)),
            (wr(0, 9), wr(8, 2), Err(Errno::EAGAIN)),
            (wr(0, 9), wr(9, 2), Ok(())),
            (wr(9, 0), wr(1_000, 1), Err(Errno::EAGAIN)),
            (wr(9, -3), wr(5, 1), Ok(())),
            (wr(9, -3), wr(6, 1), Err(Errno::EAGAIN)),
            (wr(9, -3), wr(9, 1), Ok(())),
        ] {
            let (mut lab, [a, b, _]) = three();
            lab.lock(a, FD, commands[0], first).unwrap();
            let locked = lab.lock(b, FD, commands[1], second);
            assert_eq!(locked, expected, "{first}, then {second} by {commands:?}");
        }
    }
}

#[test]
fn a_process_never_stands_in_its_own_way_but_a_description_of_it_does() {
    let (mut lab, [a, ..]) = three();
    let second = lab.open(a, "/run/lock", OpenFlags::RDWR).unwrap();
    lab.lock(a, FD, Set, wr(0, 9)).unwrap();
    lab.lock(a, second, Set, wr(0, 9)).unwrap();
    assert_eq!(lab.lock(a, FD, OfdSet, wr(0, 1)), Err(Errno::EAGAIN), "by the same descriptor");
    lab.lock(a, FD, OfdSet, wr(9, 1)).unwrap();
    lab.lock(a, FD, OfdSet, wr(9, 1)).unwrap();
    assert_eq!(lab.lock(a, second, OfdSet, wr(9, 1)), Err(Errno::EAGAIN));
    assert_eq!(lab.lock(a, FD, Set, wr(9, 1)), Err(Errno::EAGAIN));
}

#[test]
fn any_close_of_the_file_drops_the_locks_of_the_process() {
    let (mut lab, [a, b, _]) = three();
    lab.lock(a, FD, Set, wr(0, 9)).unwrap();
    lab.lock(a, FD, OfdSet, wr(20, 1)).unwrap();
    lab.put(a, "/run/other", "x");
    assert_eq!(lab.lock(b, FD, Set, wr(0, 9)), Err(Errno::EAGAIN), "that was another file");
    assert_eq!(lab.get(a, "/run/lock"), Ok(String::new()), "it only looks inside");
    lab.lock(b, FD, Set, wr(0, 9)).unwrap();
    assert_eq!(lab.lock(b, FD, Set, wr(20, 1)), Err(Errno::EAGAIN), "the description has it");
    lab.close(a, FD).unwrap();
    lab.lock(b, FD, Set, wr(20, 1)).unwrap();
}

#[test]
fn a_child_inherits_no_lock_of_the_process_and_shares_those_of_the_description() {
    let (mut lab, [a, b, _]) = three();
    lab.lock(a, FD, Set, wr(0, 1)).unwrap();
    lab.lock(a, FD, OfdSet, wr(1, 1)).unwrap();
    let (_, child) = lab.spawn(a, &[FD]).unwrap();
    assert_eq!(lab.lock(child, FD, Set, wr(0, 1)), Err(Errno::EAGAIN));
    lab.lock(child, FD, OfdSet, wr(1, 1)).unwrap();
    lab.close(child, FD).unwrap();
    assert_eq!(lab.lock(b, FD, Set, wr(0, 1)), Err(Errno::EAGAIN), "the parent's remain");
    assert_eq!(lab.lock(b, FD, Set, wr(1, 1)), Err(Errno::EAGAIN));
    let (_, child) = lab.spawn(a, &[FD]).unwrap();
    lab.exit(a, 0);
    lab.lock(b, FD, Set, wr(0, 1)).unwrap();
    assert_eq!(lab.lock(b, FD, Set, wr(1, 1)), Err(Errno::EAGAIN), "the child has it open");
    lab.exit(child, 0);
    lab.lock(b, FD, Set, wr(1, 1)).unwrap();
}

#[test]
fn flock_and_record_locks_do_not_see_one_another() {
    let (mut lab, [a, b, c]) = three();
    lab.flock(a, FD, FlockOp::Exclusive).unwrap();
    lab.lock(b, FD, Set, wr(0, 3)).unwrap();
    lab.lock(c, FD, OfdSet, wr(3, 0)).unwrap();
    lab.flock(a, FD, FlockOp::Unlock).unwrap();
    assert_eq!(lab.lock(a, FD, Set, rd(0, 1)), Err(Errno::EAGAIN));
}

#[test]
fn errors_come_in_the_order_of_linux() {
    let (mut lab, [a, b, _]) = three();
    let read_only = lab.open(a, "/run/lock", OpenFlags::RDONLY).unwrap();
    let write_only = lab.open(a, "/run/lock", OpenFlags::WRONLY).unwrap();
    let last = i64::MAX;
    lab.lock(b, FD, Set, rd(0, 1)).unwrap();
    for set in [Set, SetWait, OfdSet, OfdSetWait] {
        for (fd, lock, expected) in [
            (Fd(9), wr(-1, 0), Err(Errno::EBADF)),
            (read_only, wr(-1, 0), Err(Errno::EINVAL)),
            (read_only, wr(last, 2), Err(Errno::EOVERFLOW)),
            (read_only, wr(0, 1), Err(Errno::EBADF)),
            (write_only, rd(5, 1), Err(Errno::EBADF)),
            (read_only, un(5, 1), Ok(())),
            (write_only, un(5, 1), Ok(())),
            (FD, wr(last, 1), Ok(())),
            (FD, wr(5, -5), Err(Errno::EAGAIN)),
            (FD, wr(5, -6), Err(Errno::EINVAL)),
            (FD, un(5, last), Err(Errno::EOVERFLOW)),
            (FD, un(1, last), Ok(())),
        ] {
            if expected != Err(Errno::EAGAIN) || matches!(set, Set | OfdSet) {
                assert_eq!(lab.lock(a, fd, set, lock), expected, "{set} {lock} of {fd}");
            }
        }
    }
    let mut get = |fd, command, lock| lab.call(a, &Call::Fcntl { fd, command, lock });
    assert_eq!(get(Fd(9), Get, un(0, 0)), Err(Errno::EBADF));
    assert_eq!(get(read_only, Get, un(0, 0)), Err(Errno::EINVAL));
    assert_eq!(get(read_only, Get, un(last, 2)), Err(Errno::EINVAL));
    assert_eq!(get(read_only, OfdGet, un(last, 2)), Err(Errno::EOVERFLOW));
    assert_eq!(get(read_only, OfdGet, un(0, 0)), Ok(Ret::Lock(None)));
    assert!(get(read_only, Get, wr(0, 0)).is_ok(), "asking needs no access");
}

#[test]
fn getlk_tells_the_first_in_the_way() {
    let (mut lab, [a, b, c]) = three();
    let by = |lock, pid| Some(HeldLock { lock, pid });
    assert_eq!(held(&mut lab, a, Get), None);
    lab.lock(b, FD, Set, rd(8, 2)).unwrap();
    lab.lock(c, FD, Set, rd(0, 4)).unwrap();
    let [pid_b, pid_c] = [b, c].map(|task| Some(lab.pid(task)));
    assert_eq!(held(&mut lab, a, Get), by(rd(8, 2), pid_b), "who locked the file first");
    lab.lock(b, FD, Set, rd(2, 2)).unwrap();
    assert_eq!(held(&mut lab, a, Get), by(rd(2, 2), pid_b), "its lowest range");
    assert_eq!(held(&mut lab, b, Get), by(rd(0, 4), pid_c), "not its own");
    lab.lock(b, FD, Set, un(0, 0)).unwrap();
    lab.lock(b, FD, Set, rd(2, 0)).unwrap();
    assert_eq!(held(&mut lab, a, Get), by(rd(0, 4), pid_c), "it is the last again");
    lab.lock(a, FD, OfdSet, rd(1, 1)).unwrap();
    lab.lock(c, FD, Set, un(0, 0)).unwrap();
    assert_eq!(held(&mut lab, a, OfdGet), by(rd(2, 0), pid_b));
    assert_eq!(held(&mut lab, c, Get), by(rd(2, 0), pid_b));
    lab.lock(b, FD, Set, un(0, 0)).unwrap();
    assert_eq!(held(&mut lab, c, Get), by(rd(1, 1), None));
    assert_eq!(held(&mut lab, a, Get), by(rd(1, 1), None), "a description is not its process");
    let own = Call::Fcntl { fd: FD, command: OfdGet, lock: un(0, 2) };
    assert_eq!(lab.call(a, &own), Ok(Ret::Lock(by(rd(1, 1), None))), "its own, if asked so");
    assert_eq!(lab.call(c, &own), Ok(Ret::Lock(None)));
}

#[test]
fn directories_sockets_and_pidfds_can_be_locked() {
    let (mut lab, [a, b, _]) = three();
    let pid = lab.pid(b);
    for call in [Call::Socket, Call::PidfdOpen { pid }] {
        let fd = lab.fd(a, &call).unwrap();
        lab.lock(a, fd, Set, wr(0, 0)).unwrap();
        assert_eq!(lab.lock(a, fd, OfdSet, wr(0, 0)), Err(Errno::EAGAIN), "{call}");
        lab.close(a, fd).unwrap();
    }
    let directory = lab.open(a, "/tmp", OpenFlags::RDONLY).unwrap();
    lab.lock(a, directory, Set, rd(0, 0)).unwrap();
    assert_eq!(lab.lock(a, directory, Set, wr(0, 0)), Err(Errno::EBADF));
    let [one, other] = [a, b].map(|task| lab.fd(task, &Call::PidfdOpen { pid }).unwrap());
    lab.lock(a, one, Set, wr(0, 0)).unwrap();
    assert_eq!(lab.lock(b, other, Set, wr(0, 0)), Err(Errno::EAGAIN), "it is one process");
}

#[test]
fn any_waiter_whose_range_is_free_may_be_next() {
    let (mut lab, [a, b, c]) = three();
    lab.lock(a, FD, Set, wr(0, 9)).unwrap();
    let wait = |lock| Call::Fcntl { fd: FD, command: SetWait, lock };
    lab.begin(b, &wait(wr(4, 1)));
    lab.begin(c, &wait(rd(0, 9)));
    lab.lock(a, FD, Set, un(0, 4)).unwrap();
    assert!(!lab.kernel.ready(b) && !lab.kernel.ready(c));
    lab.lock(a, FD, Set, un(0, 0)).unwrap();
    assert!(lab.kernel.ready(b) && lab.kernel.ready(c));
    assert_eq!(lab.kernel.finish(c), Ok(Ret::Unit));
    assert!(!lab.kernel.ready(b), "the other was faster");
    lab.lock(c, FD, Set, rd(4, 1)).unwrap();
    assert!(!lab.kernel.ready(b));
    lab.lock(c, FD, Set, un(4, 1)).unwrap();
    assert_eq!(lab.kernel.finish(b), Ok(Ret::Unit));
}

#[test]
fn a_writer_that_becomes_a_reader_lets_readers_in() {
    let (mut lab, [a, b, _]) = three();
    lab.lock(a, FD, OfdSet, wr(0, 9)).unwrap();
    lab.begin(b, &Call::Fcntl { fd: FD, command: OfdSetWait, lock: rd(3, 1) });
    lab.lock(a, FD, OfdSet, rd(2, 3)).unwrap();
    assert_eq!(lab.kernel.finish(b), Ok(Ret::Unit));
}

#[test]
fn a_waiting_conversion_keeps_the_old_lock() {
    let (mut lab, [a, b, c]) = three();
    lab.lock(a, FD, Set, rd(0, 1)).unwrap();
    lab.lock(b, FD, Set, rd(0, 1)).unwrap();
    lab.begin(a, &Call::Fcntl { fd: FD, command: SetWait, lock: wr(0, 1) });
    lab.lock(b, FD, Set, un(0, 1)).unwrap();
    assert_eq!(lab.lock(c, FD, Set, wr(0, 1)), Err(Errno::EAGAIN), "unlike with flock");
    assert_eq!(lab.kernel.finish(a), Ok(Ret::Unit));
}

#[test]
fn who_dies_waits_and_holds_no_more() {
    let (mut lab, [a, b, c]) = three();
    lab.lock(a, FD, Set, wr(0, 1)).unwrap();
    let wait = Call::Fcntl { fd: FD, command: SetWait, lock: wr(0, 1) };
    lab.begin(b, &wait);
    lab.begin(c, &wait);
    lab.kernel.kill(ProcId(1));
    assert!(!lab.kernel.is_blocked(b) && !lab.kernel.ready(c));
    lab.kernel.stop(ProcId(0));
    assert!(!lab.kernel.ready(c), "a stop drops nothing");
    lab.kernel.kill(ProcId(0));
    assert_eq!(lab.kernel.finish(c), Ok(Ret::Unit));
    lab.lock(c, FD, Set, un(0, 0)).unwrap();
    assert_eq!(lab.kernel.record_locks(), 0);
}

#[test]
fn who_gets_a_lock_at_a_closed_descriptor_keeps_nothing() {
    for (command, expected) in [(SetWait, Err(Errno::EBADF)), (OfdSetWait, Ok(Ret::Unit))] {
        let (mut lab, [a, b, c]) = three();
        let (thread, _) = lab.thread(b);
        let other = lab.open(b, "/run/lock", OpenFlags::RDWR).unwrap();
        lab.lock(a, FD, Set, wr(0, 1)).unwrap();
        lab.begin(b, &Call::Fcntl { fd: FD, command, lock: wr(0, 1) });
        lab.close(thread, FD).unwrap();
        lab.lock(thread, other, Set, wr(4, 1)).unwrap();
        lab.lock(a, FD, Set, un(0, 1)).unwrap();
        assert_eq!(lab.kernel.finish(b), expected);
        assert_eq!(lab.lock(c, FD, Set, wr(0, 1)), Ok(()), "{command}");
        let is_free = lab.lock(c, FD, Set, wr(4, 1)).is_ok();
        assert_eq!(is_free, expected.is_err(), "{command}: by whatever descriptor");
    }
}

#[test]
fn those_that_are_held_are_counted() {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    let fd = lab.open(task, "/tmp/f", OpenFlags::RDWR | OpenFlags::CREAT).unwrap();
    assert_eq!(lab.kernel.record_locks(), 0);
    for (lock, count) in [(wr(0, 1), 1), (wr(2, 1), 2), (wr(1, 1), 1), (un(1, 1), 2)] {
        lab.unit(task, &Call::Fcntl { fd, command: LockCommand::Set, lock }).unwrap();
        assert_eq!(lab.kernel.record_locks(), count);
    }
}
