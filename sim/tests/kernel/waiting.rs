//! Waiting for children and for time.

use std::time::Duration;

use locklab_sim::kernel::{Outcome, ProcId, State};
use locklab_sys::{Call, Errno, ExitStatus, Pid, Ret};

use crate::lab::family;

const SECOND: Duration = Duration::from_secs(1);

const CHILD: ProcId = ProcId(1);

fn wait(pid: Pid) -> Call {
    Call::Wait { pid }
}

#[test]
fn wait_takes_the_status_and_reaps() {
    let (mut lab, parent, child, pid) = family();
    lab.begin(parent, &wait(pid));
    assert!(!lab.kernel.ready(parent));
    assert_eq!(lab.kernel.next_timer(), None);
    lab.exit(child, 3);
    assert!(lab.kernel.ready(parent));
    assert_eq!(lab.kernel.process(CHILD).state, State::Zombie(ExitStatus::Code(3)));
    assert_eq!(lab.kernel.finish(parent), Ok(Ret::Exited(ExitStatus::Code(3))));
    assert_eq!(lab.kernel.process(CHILD).state, State::Dead(ExitStatus::Code(3)));
    assert_eq!(lab.call(parent, &wait(pid)), Err(Errno::ECHILD));
}

#[test]
fn wait_for_a_zombie_returns_at_once() {
    let (mut lab, parent, _, pid) = family();
    lab.kernel.kill(CHILD);
    assert_eq!(lab.call(parent, &wait(pid)), Ok(Ret::Exited(ExitStatus::Killed)));
}

#[test]
fn only_the_parent_can_wait() {
    let (mut lab, parent, child, pid) = family();
    let other = lab.launch("b");
    let parent_pid = lab.pid(parent);
    for (task, pid) in [(other, pid), (child, parent_pid), (child, pid), (parent, Pid(1))] {
        assert_eq!(lab.call(task, &wait(pid)), Err(Errno::ECHILD), "{pid}");
    }
}

#[test]
fn a_stop_is_no_end() {
    let (mut lab, parent, _, pid) = family();
    lab.begin(parent, &wait(pid));
    lab.kernel.stop(CHILD);
    assert!(!lab.kernel.ready(parent));
}

#[test]
fn a_sleeper_wakes_at_its_deadline_stopped_or_not() {
    let (mut lab, a, ..) = family();
    assert_eq!(lab.call(a, &Call::Nanosleep { duration: Duration::ZERO }), Ok(Ret::Unit));
    lab.begin(a, &Call::Nanosleep { duration: 2 * SECOND });
    lab.kernel.stop(ProcId(0));
    lab.kernel.advance_to(SECOND);
    assert!(!lab.kernel.ready(a));
    assert_eq!(lab.kernel.next_timer(), Some(2 * SECOND), "timers of the stopped go on");
    lab.kernel.advance_to(3 * SECOND);
    assert!(lab.kernel.ready(a));
    assert_eq!(lab.kernel.next_timer(), None, "it is over");
    lab.kernel.cont(ProcId(0));
    assert_eq!(lab.kernel.finish(a), Ok(Ret::Unit));
}

#[test]
fn the_earliest_timer_of_the_living_is_next() {
    let (mut lab, parent, child, _) = family();
    lab.begin(parent, &Call::Nanosleep { duration: 2 * SECOND });
    lab.begin(child, &Call::Nanosleep { duration: SECOND });
    assert_eq!(lab.kernel.next_timer(), Some(SECOND));
    lab.kernel.kill(CHILD);
    assert_eq!(lab.kernel.next_timer(), Some(2 * SECOND));
}

#[test]
fn a_sleep_without_end_does_not_overflow() {
    let (mut lab, parent, ..) = family();
    lab.kernel.advance_to(SECOND);
    let call = Call::Nanosleep { duration: Duration::MAX };
    assert_eq!(lab.kernel.call(parent, &call), Outcome::Blocked);
}
