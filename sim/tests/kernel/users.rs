//! Whose a process is, and whom it may send signals: as a Linux 6.18 answers.

use locklab_sim::kernel::{Outcome, State, TaskId};
use locklab_sys::{Call, Errno, ExitStatus, Pid, Reply, Ret, Signal, Uid};

use crate::lab::Lab;

const OTHER: Uid = Uid(1001);
const SIGNALS: [Signal; 4] = [Signal::Probe, Signal::Cont, Signal::Stop, Signal::Kill];

fn uid(lab: &mut Lab, task: TaskId) -> Reply {
    lab.call(task, &Call::Getuid)
}

fn setuid(lab: &mut Lab, task: TaskId, uid: Uid) -> Result<(), Errno> {
    lab.unit(task, &Call::Setuid { uid })
}

fn pidfd_signal(lab: &mut Lab, task: TaskId, pid: Pid, signal: Signal) -> Result<(), Errno> {
    let pidfd = lab.fd(task, &Call::PidfdOpen { pid })?;
    let sent = lab.unit(task, &Call::PidfdSendSignal { pidfd, signal });
    lab.close(task, pidfd).unwrap();
    sent
}

#[test]
fn a_process_is_its_launchers_and_its_childrens() {
    let mut lab = Lab::new();
    let ordinary = lab.launch("a");
    assert_eq!(uid(&mut lab, ordinary), Ok(Ret::Uid(Uid::USER)));
    let other = lab.launch_as("b", OTHER);
    let (_, child) = lab.spawn(other, &[]).unwrap();
    assert_eq!(uid(&mut lab, child), Ok(Ret::Uid(OTHER)));
    lab.exit(other, 0);
    assert_eq!(uid(&mut lab, child), Ok(Ret::Uid(OTHER)), "init's children keep their user");
}

#[test]
fn root_alone_becomes_another_and_not_again() {
    let mut lab = Lab::new();
    let root = lab.launch_as("root", Uid::ROOT);
    assert_eq!(setuid(&mut lab, root, Uid::ROOT), Ok(()));
    assert_eq!(setuid(&mut lab, root, OTHER), Ok(()));
    assert_eq!(uid(&mut lab, root), Ok(Ret::Uid(OTHER)));
    assert_eq!(setuid(&mut lab, root, OTHER), Ok(()));
    assert_eq!(setuid(&mut lab, root, Uid::ROOT), Err(Errno::EPERM));
    assert_eq!(setuid(&mut lab, root, Uid::USER), Err(Errno::EPERM));
}

#[test]
fn proc_status_tells_who_it_is_to_everybody() {
    let mut lab = Lab::new();
    let (a, root) = (lab.launch("a"), lab.launch_as("root", Uid::ROOT));
    let pid = lab.pid(root);
    assert_eq!(lab.proc_status(a, pid).unwrap().uid, Uid::ROOT);
    setuid(&mut lab, root, OTHER).unwrap();
    assert_eq!(lab.proc_status(a, pid).unwrap().uid, OTHER);
}

#[test]
fn eperm_of_a_signal_means_alive() {
    let mut lab = Lab::new();
    let root = lab.launch_as("root", Uid::ROOT);
    let (proc, theirs) = lab.spawn(root, &[]).unwrap();
    setuid(&mut lab, theirs, OTHER).unwrap();
    let a = lab.launch("a");
    for target in [root, theirs] {
        let pid = lab.pid(target);
        for signal in SIGNALS {
            assert_eq!(lab.signal(a, pid, signal), Err(Errno::EPERM), "{signal:?}");
            assert_eq!(pidfd_signal(&mut lab, a, pid, signal), Err(Errno::EPERM), "{signal:?}");
        }
        assert!(lab.proc_stat(a, pid).is_ok(), "everybody may read about everybody");
    }
    let pid = lab.pid(theirs);
    let pidfd = lab.fd(a, &Call::PidfdOpen { pid }).unwrap();
    lab.exit(theirs, 0);
    assert_eq!(lab.signal(a, pid, Signal::Probe), Err(Errno::EPERM), "a zombie is its user's");
    lab.call(root, &Call::Wait { pid }).unwrap();
    assert_eq!(lab.kernel.process(proc).state, State::Dead(ExitStatus::Code(0)));
    assert_eq!(lab.signal(a, pid, Signal::Kill), Err(Errno::ESRCH));
    let send = Call::PidfdSendSignal { pidfd, signal: Signal::Kill };
    assert_eq!(lab.unit(a, &send), Err(Errno::ESRCH), "a pidfd says so of whosever it was");
}

#[test]
fn root_signals_everybody() {
    let mut lab = Lab::new();
    let (a, root) = (lab.launch("a"), lab.launch_as("root", Uid::ROOT));
    let pid = lab.pid(a);
    for signal in SIGNALS {
        assert_eq!(lab.signal(root, pid, signal), Ok(()));
    }
    assert_eq!(lab.signal(root, pid, Signal::Probe), Err(Errno::ESRCH));
}

#[test]
fn init_is_roots_and_nothing_harms_it() {
    let mut lab = Lab::new();
    let (a, root) = (lab.launch("a"), lab.launch_as("root", Uid::ROOT));
    for signal in SIGNALS {
        assert_eq!(lab.signal(a, Pid(1), signal), Err(Errno::EPERM));
        assert_eq!(pidfd_signal(&mut lab, a, Pid(1), signal), Err(Errno::EPERM));
        assert_eq!(lab.signal(root, Pid(1), signal), Ok(()));
        assert_eq!(pidfd_signal(&mut lab, root, Pid(1), signal), Ok(()));
    }
    assert!(lab.proc_stat(a, Pid(1)).is_ok());
}

#[test]
fn sigcont_goes_to_all_of_a_session() {
    let mut lab = Lab::new();
    let root = lab.launch_as("root", Uid::ROOT);
    let (proc, _) = lab.spawn(root, &[]).unwrap();
    let (_, ordinary) = lab.spawn(root, &[]).unwrap();
    setuid(&mut lab, ordinary, OTHER).unwrap();
    lab.kernel.stop(proc);
    let stopped = lab.kernel.process(proc).pid;
    let from_elsewhere = lab.launch_as("elsewhere", OTHER);
    assert_eq!(lab.signal(from_elsewhere, stopped, Signal::Cont), Err(Errno::EPERM));
    assert_eq!(lab.signal(ordinary, stopped, Signal::Probe), Err(Errno::EPERM));
    assert_eq!(lab.signal(ordinary, stopped, Signal::Cont), Ok(()));
    assert!(!lab.kernel.process(proc).is_stopped());
}

/// A parent and its child, both root's, of which the child asked to be killed
/// when its parent ends.
fn bound_for_death() -> (Lab, TaskId, TaskId) {
    let mut lab = Lab::new();
    let parent = lab.launch_as("root", Uid::ROOT);
    let (_, child) = lab.spawn(parent, &[]).unwrap();
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
    (lab, parent, child)
}

fn survives(lab: &mut Lab, parent: TaskId, child: TaskId) -> bool {
    assert_eq!(lab.kernel.call(parent, &Call::Exit { code: 0 }), Outcome::Ended);
    lab.kernel.process(lab.kernel.process_of(child)).is_alive()
}

#[test]
fn who_becomes_another_is_not_told_of_its_parents_end() {
    let (mut lab, parent, child) = bound_for_death();
    assert!(!survives(&mut lab.clone(), parent, child));
    setuid(&mut lab, child, Uid::ROOT).unwrap();
    assert!(!survives(&mut lab.clone(), parent, child), "it has not become another");
    setuid(&mut lab, child, OTHER).unwrap();
    assert!(survives(&mut lab.clone(), parent, child));
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
    assert!(!survives(&mut lab, parent, child), "it asked again");
}

#[test]
fn a_parent_that_may_not_signal_its_child_does_not_take_it_along() {
    let (mut lab, parent, child) = bound_for_death();
    setuid(&mut lab, parent, OTHER).unwrap();
    assert!(survives(&mut lab, parent, child));
}
