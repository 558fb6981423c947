//! `setitimer`, and the old way to bound a wait for a lock.

use std::time::Duration;

use locklab_sim::kernel::{Effect, ProcId, Rest, State, TaskId};
use locklab_sys::{
    Call, Disposition, Errno, ExitStatus, Fd, FlockOp, LockCommand, OpenFlags, Ret, Signal,
};

use crate::lab::{Lab, MACHINE, wr};

const SECOND: Duration = Duration::from_secs(1);

const HANDLED: Disposition = Disposition::Handle { restart: false };

fn set(after: Duration) -> Call {
    Call::Setitimer { after }
}

fn left(lab: &mut Lab, task: TaskId, after: Duration) -> Duration {
    match lab.call(task, &set(after)) {
        Ok(Ret::Time(left)) => left,
        other => panic!("setitimer gave {other:?}"),
    }
}

fn pass(lab: &mut Lab, time: Duration) {
    let now = lab.kernel.now();
    lab.kernel.advance_to(now + time);
}

#[test]
fn an_alarm_ends_who_has_not_chosen_otherwise() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    lab.call(a, &set(2 * SECOND)).unwrap();
    assert_eq!(lab.kernel.next_timer(), Some(2 * SECOND));
    pass(&mut lab, SECOND);
    assert!(lab.kernel.process(ProcId(0)).is_alive());
    lab.kernel.clear_effects();
    pass(&mut lab, 5 * SECOND);
    assert_eq!(lab.kernel.process(ProcId(0)).state, State::Dead(ExitStatus::Alarmed));
    let ended = Effect::Ended { proc: ProcId(0), status: ExitStatus::Alarmed };
    assert_eq!(lab.kernel.effects(), [ended]);
    assert_eq!(lab.kernel.next_timer(), None);
}

#[test]
fn the_timer_tells_what_was_left_and_rings_once() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    lab.sigaction(a, Signal::Alrm, HANDLED);
    assert_eq!(left(&mut lab, a, 3 * SECOND), Duration::ZERO);
    pass(&mut lab, SECOND + Duration::from_nanos(1_500));
    let rest = Duration::from_micros(1_999_998);
    assert_eq!(left(&mut lab, a, Duration::MAX), rest, "in microseconds");
    pass(&mut lab, SECOND);
    assert!(left(&mut lab, a, Duration::from_nanos(999)) > SECOND);
    assert_eq!(left(&mut lab, a, SECOND), Duration::ZERO, "that was too little for a timer");
    pass(&mut lab, SECOND);
    assert_eq!(lab.cell(a, "SIGALRM"), 1);
    lab.unit(a, &Call::CellWrite { cell: "SIGALRM".into(), value: 0 }).unwrap();
    pass(&mut lab, 9 * SECOND);
    assert_eq!(lab.cell(a, "SIGALRM"), 0);
    left(&mut lab, a, SECOND);
    left(&mut lab, a, Duration::ZERO);
    assert_eq!(lab.kernel.next_timer(), None);
}

#[test]
fn a_child_inherits_dispositions_but_no_timer() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    lab.sigaction(a, Signal::Alrm, HANDLED);
    left(&mut lab, a, 3 * SECOND);
    let (_, child) = lab.spawn(a, &[]).unwrap();
    assert_eq!(left(&mut lab, child, SECOND), Duration::ZERO);
    pass(&mut lab, SECOND);
    assert_eq!((lab.cell(child, "SIGALRM"), lab.cell(a, "SIGALRM")), (1, 0));
    assert_eq!(left(&mut lab, a, Duration::ZERO), 2 * SECOND);
}

#[test]
fn timers_ring_in_order_and_of_the_stopped_too() {
    let mut lab = Lab::new();
    let tasks = ["a", "b", "c"].map(|name| lab.launch(name));
    for (task, seconds) in tasks.into_iter().zip([3, 1, 2]) {
        left(&mut lab, task, seconds * SECOND);
    }
    lab.kernel.stop(ProcId(1));
    lab.kernel.clear_effects();
    pass(&mut lab, 9 * SECOND);
    let ended = |proc| Effect::Ended { proc: ProcId(proc), status: ExitStatus::Alarmed };
    assert_eq!(lab.kernel.effects(), [ended(2), ended(0)]);
    lab.kernel.cont(ProcId(1));
    assert_eq!(lab.kernel.process(ProcId(1)).state, State::Dead(ExitStatus::Alarmed));
}

#[test]
fn an_alarm_bounds_a_wait_for_a_lock() {
    let calls = [
        Call::Flock { fd: Fd(3), op: FlockOp::Exclusive },
        Call::Fcntl { fd: Fd(3), command: LockCommand::SetWait, lock: wr(0, 0) },
        Call::Fcntl { fd: Fd(3), command: LockCommand::OfdSetWait, lock: wr(0, 0) },
    ];
    for call in calls {
        let mut lab = Lab::new();
        let [a, b] = ["a", "b"].map(|name| lab.launch(name));
        lab.put(a, "/run/lock", "");
        for task in [a, b] {
            lab.open(task, "/run/lock", OpenFlags::RDWR).unwrap();
        }
        lab.call(a, &call).unwrap();
        lab.sigaction(b, Signal::Alrm, HANDLED);
        left(&mut lab, b, 5 * SECOND);
        lab.begin(b, &call);
        pass(&mut lab, 4 * SECOND);
        assert!(!lab.kernel.ready(b));
        pass(&mut lab, SECOND);
        assert_eq!(lab.kernel.finish(b), Err(Errno::EINTR), "{call}");
        assert_eq!(lab.cell(b, "SIGALRM"), 1);
        lab.begin(b, &call);
        lab.kernel.kill(ProcId(0));
        assert_eq!(lab.kernel.finish(b), Ok(Ret::Unit), "{call}");
    }
}

#[test]
fn an_alarm_that_comes_before_the_wait_bounds_nothing() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    lab.sigaction(a, Signal::Alrm, HANDLED);
    left(&mut lab, a, SECOND);
    pass(&mut lab, SECOND);
    lab.begin(a, &Call::Poll { fds: [].into(), timeout: None });
    assert_eq!(lab.kernel.next_timer(), None);
    assert!(!lab.kernel.ready(a), "the race that this way of waiting has");
}

#[test]
fn exec_keeps_the_timer_and_forgets_handlers() {
    let mut lab = Lab::new();
    let [a, b] = ["a", "b"].map(|name| lab.launch(name));
    lab.sigaction(a, Signal::Alrm, HANDLED);
    lab.sigaction(b, Signal::Alrm, Disposition::Ignore);
    for task in [a, b] {
        left(&mut lab, task, SECOND);
        lab.exec(task);
    }
    pass(&mut lab, SECOND);
    assert_eq!(lab.kernel.process(ProcId(0)).state, State::Dead(ExitStatus::Alarmed));
    assert!(lab.kernel.process(ProcId(1)).is_alive());
}

#[test]
fn a_timer_waits_while_its_machine_sleeps() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    left(&mut lab, a, 2 * SECOND);
    pass(&mut lab, SECOND);
    lab.kernel.suspend(MACHINE, Rest::Asleep, 5 * SECOND);
    pass(&mut lab, 5 * SECOND);
    lab.kernel.wake(MACHINE);
    assert_eq!(lab.kernel.next_timer(), Some(7 * SECOND));
    assert_eq!(left(&mut lab, a, Duration::ZERO), SECOND);
}
