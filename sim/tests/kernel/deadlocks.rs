//! EDEADLK: where `F_SETLKW` sees that it would wait for itself, and where not.

use locklab_sim::kernel::TaskId;
use locklab_sys::{Call, Errno, Fd, LockCommand, OpenFlags, Ret};

use crate::lab::{Lab, rd, un, wr};

use LockCommand::{OfdSet, OfdSetWait, Set, SetWait};

const FD: Fd = Fd(3);

/// So many processes, of which each holds the byte of its number.
fn holders(count: i64, command: impl Fn(i64) -> LockCommand) -> (Lab, Vec<TaskId>) {
    let mut lab = Lab::new();
    let init = lab.launch("init");
    lab.put(init, "/run/lock", "");
    let tasks: Vec<TaskId> = (0..count).map(|index| lab.launch(&index.to_string())).collect();
    for (index, task) in (0..).zip(&tasks) {
        lab.open(*task, "/run/lock", OpenFlags::RDWR).unwrap();
        lab.lock(*task, FD, command(index), wr(index, 1)).unwrap();
    }
    (lab, tasks)
}

fn wait(command: LockCommand, byte: i64) -> Call {
    Call::Fcntl { fd: FD, command, lock: wr(byte, 1) }
}

#[test]
fn a_circle_is_seen_by_who_closes_it() {
    let (mut lab, tasks) = holders(3, |_| Set);
    lab.begin(tasks[0], &wait(SetWait, 1));
    lab.begin(tasks[1], &wait(SetWait, 2));
    assert_eq!(lab.call(tasks[2], &wait(SetWait, 0)), Err(Errno::EDEADLK));
    assert_eq!(lab.call(tasks[2], &wait(Set, 0)), Err(Errno::EAGAIN), "only a wait is one");
    lab.lock(tasks[2], FD, Set, un(0, 0)).unwrap();
    assert_eq!(lab.kernel.finish(tasks[1]), Ok(Ret::Unit));
}

#[test]
fn a_circle_of_more_than_twelve_is_not_seen() {
    for (count, is_seen) in [(12, true), (13, false)] {
        let (mut lab, tasks) = holders(count, |_| Set);
        for (task, byte) in tasks.iter().zip(1..count) {
            lab.begin(*task, &wait(SetWait, byte));
        }
        let last = tasks[tasks.len() - 1];
        if is_seen {
            assert_eq!(lab.call(last, &wait(SetWait, 0)), Err(Errno::EDEADLK));
        } else {
            lab.begin(last, &wait(SetWait, 0));
        }
    }
}

#[test]
fn two_readers_who_both_want_to_write_see_it() {
    let (mut lab, tasks) = holders(2, |_| Set);
    for task in &tasks {
        lab.lock(*task, FD, Set, rd(5, 1)).unwrap();
    }
    lab.begin(tasks[0], &wait(SetWait, 5));
    assert_eq!(lab.call(tasks[1], &wait(SetWait, 5)), Err(Errno::EDEADLK));
}

#[test]
fn a_description_that_asks_is_never_told() {
    let (mut lab, tasks) = holders(2, |index| if index == 0 { Set } else { OfdSet });
    lab.begin(tasks[0], &wait(SetWait, 1));
    lab.begin(tasks[1], &wait(OfdSetWait, 0));
}

#[test]
fn a_process_is_told_though_a_description_closes_the_circle() {
    let (mut lab, tasks) = holders(2, |index| if index == 0 { Set } else { OfdSet });
    lab.begin(tasks[1], &wait(OfdSetWait, 0));
    assert_eq!(lab.call(tasks[0], &wait(SetWait, 1)), Err(Errno::EDEADLK));
}

#[test]
fn who_waits_for_a_description_is_not_seen() {
    let (mut lab, tasks) = holders(2, |index| if index == 0 { OfdSet } else { Set });
    lab.begin(tasks[1], &wait(SetWait, 0));
    lab.begin(tasks[0], &wait(SetWait, 1));
    assert!(!lab.kernel.ready(tasks[0]) && !lab.kernel.ready(tasks[1]));
}

#[test]
fn a_process_and_its_own_description_wait_for_ever() {
    let (mut lab, tasks) = holders(1, |_| OfdSet);
    lab.begin(tasks[0], &wait(SetWait, 0));
}

/// A queue hides who it waits for: here the description of the first stands in
/// it before that of the second.
#[test]
fn who_waits_behind_a_description_is_not_seen() {
    let (mut lab, tasks) = holders(3, |index| if index == 2 { Set } else { OfdSet });
    let [first, second, third] = tasks[..] else { panic!("three") };
    lab.begin(first, &wait(OfdSetWait, 2));
    lab.begin(second, &wait(OfdSetWait, 2));
    lab.begin(third, &wait(SetWait, 1));
    let (mut lab, tasks) = holders(3, |index| if index == 2 { Set } else { OfdSet });
    lab.begin(tasks[1], &wait(OfdSetWait, 2));
    assert_eq!(lab.call(tasks[2], &wait(SetWait, 1)), Err(Errno::EDEADLK));
}

#[test]
fn who_is_first_in_the_queue_is_seen_when_the_one_before_it_goes() {
    let (mut lab, tasks) = holders(3, |index| if index == 2 { Set } else { OfdSet });
    lab.begin(tasks[0], &wait(OfdSetWait, 2));
    lab.begin(tasks[1], &wait(OfdSetWait, 2));
    lab.kernel.kill(lab.kernel.process_of(tasks[0]));
    assert_eq!(lab.call(tasks[2], &wait(SetWait, 1)), Err(Errno::EDEADLK));
}

#[test]
fn only_the_first_in_the_way_is_looked_at() {
    let (mut lab, tasks) = holders(3, |_| Set);
    for task in &tasks[1..] {
        lab.lock(*task, FD, Set, rd(5, 1)).unwrap();
    }
    lab.begin(tasks[0], &wait(SetWait, 5));
    lab.begin(tasks[2], &wait(SetWait, 0));
    lab.lock(tasks[1], FD, Set, un(0, 0)).unwrap();
    assert_eq!(lab.kernel.finish(tasks[0]), Err(Errno::EDEADLK), "once that is gone");
    assert!(!lab.kernel.ready(tasks[2]));
}

#[test]
fn a_stopped_waiter_is_not_seen_and_finds_out_when_it_goes_on() {
    let (mut lab, tasks) = holders(2, |_| Set);
    lab.begin(tasks[0], &wait(SetWait, 1));
    let stopped = lab.kernel.process_of(tasks[0]);
    lab.kernel.stop(stopped);
    lab.begin(tasks[1], &wait(SetWait, 0));
    assert!(!lab.kernel.ready(tasks[0]));
    lab.kernel.cont(stopped);
    assert!(!lab.kernel.is_blocked(tasks[0]), "the call is made once more");
    assert_eq!(lab.call(tasks[0], &wait(SetWait, 1)), Err(Errno::EDEADLK));
    assert!(!lab.kernel.ready(tasks[1]));
    lab.kernel.kill(stopped);
    assert_eq!(lab.kernel.finish(tasks[1]), Ok(Ret::Unit));
}
