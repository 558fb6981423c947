//! Memory that threads share, and waiting for it to change.

use std::time::Duration;

use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::{Call, Errno, Reply, Ret};

use crate::lab::Lab;

use Errno::*;

fn threads<const N: usize>() -> (Lab, [TaskId; N]) {
    let mut lab = Lab::new();
    let main = lab.launch("a");
    let mut tasks = [main; N];
    for task in &mut tasks[1..] {
        *task = lab.thread(main).0;
    }
    (lab, tasks)
}

fn set(value: i64) -> Call {
    Call::CellWrite { cell: "x".into(), value }
}

fn swap(expected: i64, new: i64) -> Call {
    Call::CellSwap { cell: "x".into(), expected, new }
}

fn wait(expected: i64, seconds: Option<u64>) -> Call {
    let timeout = seconds.map(Duration::from_secs);
    Call::FutexWait { cell: "x".into(), expected, timeout }
}

fn wake(lab: &mut Lab, task: TaskId, count: u32) -> Reply {
    lab.call(task, &Call::FutexWake { cell: "x".into(), count })
}

#[test]
fn cells_are_shared_by_threads() {
    let (mut lab, [a, b]) = threads();
    lab.unit(a, &set(7)).unwrap();
    assert_eq!(lab.call(b, &Call::CellRead { cell: "x".into() }), Ok(Ret::Cell(7)));
}

#[test]
fn a_swap_tells_what_was_there() {
    let (mut lab, [a, b]) = threads();
    assert_eq!(lab.call(a, &swap(0, 1)), Ok(Ret::Cell(0)));
    assert_eq!(lab.call(b, &swap(0, 2)), Ok(Ret::Cell(1)), "too late");
    assert_eq!(lab.call(b, &swap(1, 2)), Ok(Ret::Cell(1)));
    assert_eq!(lab.call(a, &Call::CellRead { cell: "x".into() }), Ok(Ret::Cell(2)));
}

#[test]
fn a_wait_looks_before_it_sleeps() {
    let (mut lab, [a]) = threads();
    assert_eq!(lab.unit(a, &wait(1, None)), Err(EAGAIN));
    assert_eq!(lab.unit(a, &wait(1, Some(0))), Err(EAGAIN));
    assert_eq!(lab.unit(a, &wait(0, Some(0))), Err(ETIMEDOUT));
}

#[test]
fn only_a_wake_or_the_deadline_ends_a_wait() {
    let (mut lab, [a, b]) = threads();
    lab.begin(a, &wait(0, Some(5)));
    lab.unit(b, &set(1)).unwrap();
    assert!(!lab.kernel.ready(a), "a change wakes nobody");
    let mut late = lab.clone();
    assert_eq!(wake(&mut lab, b, 1), Ok(Ret::Len(1)));
    lab.kernel.advance_to(Duration::from_secs(9));
    assert_eq!(lab.finish(a), Ok(Ret::Unit), "it was woken in time");
    assert_eq!(late.kernel.next_timer(), Some(Duration::from_secs(5)));
    late.kernel.advance_to(Duration::from_secs(5));
    assert_eq!(late.finish(a), Err(ETIMEDOUT));
    assert_eq!(wake(&mut late, b, 1), Ok(Ret::Len(0)), "it waits no more");
}

#[test]
fn they_are_woken_in_the_order_in_which_they_came() {
    let (mut lab, [a, b, c, d]) = threads();
    for waiter in [c, a, b] {
        lab.begin(waiter, &wait(0, None));
    }
    assert_eq!(wake(&mut lab, d, 0), Ok(Ret::Len(1)), "one is woken before it counts");
    assert_eq!([a, b, c].map(|task| lab.kernel.ready(task)), [false, false, true]);
    assert_eq!(lab.call(d, &Call::FutexWake { cell: "y".into(), count: 9 }), Ok(Ret::Len(0)));
    assert_eq!(wake(&mut lab, d, 9), Ok(Ret::Len(2)));
    for waiter in [a, b, c] {
        assert_eq!(lab.finish(waiter), Ok(Ret::Unit));
    }
}

#[test]
fn who_has_given_up_is_not_woken_again() {
    let (mut lab, [main, waiter]) = threads();
    lab.begin(waiter, &wait(0, Some(1)));
    lab.kernel.advance_to(Duration::from_secs(1));
    assert_eq!(lab.finish(waiter), Err(ETIMEDOUT));
    lab.begin(waiter, &wait(0, None));
    assert_eq!(wake(&mut lab, main, 2), Ok(Ret::Len(1)), "it waits once");
}

#[test]
fn who_waits_alone_is_never_woken() {
    let (mut lab, [a]) = threads();
    assert_eq!(wake(&mut lab, a, 1), Ok(Ret::Len(0)));
    lab.begin(a, &wait(0, None));
    assert!(!lab.kernel.ready(a));
    assert_eq!(lab.kernel.next_timer(), None);
}

#[test]
fn after_a_stop_a_wait_looks_again() {
    let (mut lab, [a, b]) = threads();
    lab.begin(a, &wait(0, Some(9)));
    lab.kernel.stop(ProcId(0));
    lab.kernel.cont(ProcId(0));
    assert!(!lab.kernel.ready(a), "nothing has changed");
    lab.unit(b, &set(1)).unwrap();
    let mut woken = lab.clone();
    lab.kernel.stop(ProcId(0));
    lab.kernel.cont(ProcId(0));
    assert_eq!(lab.finish(a), Err(EAGAIN));
    assert_eq!(wake(&mut lab, b, 1), Ok(Ret::Len(0)));
    assert_eq!(wake(&mut woken, b, 1), Ok(Ret::Len(1)));
    woken.kernel.stop(ProcId(0));
    woken.kernel.cont(ProcId(0));
    assert_eq!(woken.finish(a), Ok(Ret::Unit), "it was woken before the stop");
}

#[test]
fn a_fork_copies_cells_and_wakes_nobody() {
    let (mut lab, [a, b]) = threads();
    lab.begin(a, &wait(0, None));
    let child = lab.fork(b);
    assert_eq!(wake(&mut lab, child, 1), Ok(Ret::Len(0)), "its memory is its own");
    lab.unit(b, &set(1)).unwrap();
    assert_eq!(lab.call(child, &Call::CellRead { cell: "x".into() }), Ok(Ret::Cell(0)));
}
