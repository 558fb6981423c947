//! What tells of a death: parents, death signals, pidfds.

use locklab_sim::kernel::{Outcome, ProcId, State};
use locklab_sys::{Call, Errno, ExitStatus, Fd, FileKind, FlockOp, OpenFlags, Pid, Ret, Signal};

use crate::lab::family;

use Errno::*;

const PARENT: ProcId = ProcId(0);
const CHILD: ProcId = ProcId(1);

fn signal(pidfd: Fd, signal: Signal) -> Call {
    Call::PidfdSendSignal { pidfd, signal }
}

#[test]
fn getppid_is_1_for_orphans_and_children_of_init() {
    let (mut lab, parent, child, _) = family();
    assert_eq!(lab.call(child, &Call::Getppid), Ok(Ret::Pid(lab.pid(parent))));
    assert_eq!(lab.call(parent, &Call::Getppid), Ok(Ret::Pid(Pid(1))));
    lab.exit(parent, 0);
    assert_eq!(lab.call(child, &Call::Getppid), Ok(Ret::Pid(Pid(1))));
}

#[test]
fn each_process_has_a_number_that_is_its_own() {
    let (mut lab, parent, _, _) = family();
    lab.spawn(parent, &[]).unwrap();
    let mut numbers: Vec<u64> = [1, 1000, 1001, 1002]
        .map(|pid| {
            let fd = lab.fd(parent, &Call::PidfdOpen { pid: Pid(pid) }).unwrap();
            lab.fstat(parent, fd).unwrap().ino
        })
        .into();
    numbers.dedup();
    assert_eq!(numbers.len(), 4);
    assert!(numbers.is_sorted(), "as they began");
}

#[test]
fn a_child_gets_the_signal_it_asked_for_when_its_parent_ends() {
    let (lab, parent, child, _) = family();
    for (asked, state) in [
        (Signal::Kill, State::Dead(ExitStatus::Killed)),
        (Signal::Stop, State::Stopped),
        (Signal::Cont, State::Running),
        (Signal::Probe, State::Running),
    ] {
        let mut lab = lab.clone();
        lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
        lab.unit(child, &Call::ParentDeathSignal { signal: asked }).unwrap();
        let mut killed = lab.clone();
        killed.kernel.kill(PARENT);
        lab.exit(parent, 0);
        for lab in [lab, killed] {
            assert_eq!(lab.kernel.process(CHILD).state, state, "{asked}");
        }
    }
}

#[test]
fn a_stopped_child_gets_its_signal() {
    let (mut lab, _, child, _) = family();
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Cont }).unwrap();
    lab.kernel.stop(CHILD);
    lab.kernel.kill(PARENT);
    assert_eq!(lab.kernel.process(CHILD).state, State::Running);
}

#[test]
fn a_death_signal_is_not_inherited_but_goes_down_a_line() {
    let (mut lab, _, child, _) = family();
    let kill = Call::ParentDeathSignal { signal: Signal::Kill };
    lab.unit(child, &kill).unwrap();
    let (heedless, _) = lab.spawn(child, &[]).unwrap();
    let (heedful, task) = lab.spawn(child, &[]).unwrap();
    lab.unit(task, &kill).unwrap();
    lab.kernel.kill(PARENT);
    assert_eq!(lab.kernel.process(heedless).state, State::Running);
    assert_eq!(lab.kernel.process(heedful).state, State::Dead(ExitStatus::Killed));
}

#[test]
fn who_kills_its_parent_may_end_by_it() {
    let (mut lab, parent, child, _) = family();
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
    let call = Call::Kill { pid: lab.pid(parent), signal: Signal::Kill };
    assert_eq!(lab.kernel.call(child, &call), Outcome::Ended);
}

#[test]
fn init_never_ends() {
    let (mut lab, parent, child, _) = family();
    let before = lab.clone();
    lab.unit(parent, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
    assert!(lab.kernel == before.kernel);
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Cont }).unwrap();
    assert!(lab.kernel != before.kernel);
}

#[test]
fn pidfd_open_fails_as_in_linux() {
    let (mut lab, parent, _, pid) = family();
    for (pid, errno) in [(Pid(0), EINVAL), (Pid(9_999), ESRCH)] {
        assert_eq!(lab.call(parent, &Call::PidfdOpen { pid }), Err(errno));
    }
    let init = lab.fd(parent, &Call::PidfdOpen { pid: Pid(1) }).unwrap();
    assert_eq!(lab.call(parent, &signal(init, Signal::Probe)), Err(EPERM));
    lab.kernel.kill(CHILD);
    let zombie = lab.fd(parent, &Call::PidfdOpen { pid }).unwrap();
    assert_eq!(lab.call(parent, &signal(zombie, Signal::Kill)), Ok(Ret::Unit));
}

#[test]
fn a_pidfd_stands_for_one_process_whoever_has_its_pid() {
    let (mut lab, parent, _, pid) = family();
    let old = lab.fd(parent, &Call::PidfdOpen { pid }).unwrap();
    let ino = lab.fstat(parent, old).unwrap().ino;
    lab.unit(parent, &signal(old, Signal::Stop)).unwrap();
    assert!(lab.kernel.process(CHILD).is_stopped());
    lab.unit(parent, &signal(old, Signal::Kill)).unwrap();
    lab.unit(parent, &signal(old, Signal::Probe)).unwrap();
    lab.call(parent, &Call::Wait { pid }).unwrap();
    let stranger = lab.kernel.reuse_pid(CHILD, "stranger".into());
    for sent in [Signal::Probe, Signal::Kill] {
        assert_eq!(lab.call(parent, &signal(old, sent)), Err(ESRCH));
    }
    assert!(lab.kernel.process(stranger).is_alive());

    let new = lab.fd(parent, &Call::PidfdOpen { pid }).unwrap();
    let [old_stat, new_stat] = [old, new].map(|fd| lab.fstat(parent, fd).unwrap());
    assert_eq!((old_stat.kind, old_stat.ino), (FileKind::Process, ino));
    assert_ne!(new_stat.ino, ino, "the number tells them apart");
    lab.unit(parent, &signal(new, Signal::Kill)).unwrap();
    assert!(!lab.kernel.process(stranger).is_alive());
}

#[test]
fn who_kills_itself_through_a_pidfd_does_not_return() {
    let (mut lab, _, child, pid) = family();
    let own = lab.fd(child, &Call::PidfdOpen { pid }).unwrap();
    assert_eq!(lab.kernel.call(child, &signal(own, Signal::Kill)), Outcome::Ended);
}

#[test]
fn only_pidfds_are_pidfds() {
    let (mut lab, parent, ..) = family();
    let file = lab.open(parent, "/tmp", OpenFlags::RDONLY).unwrap();
    let socket = lab.fd(parent, &Call::Socket).unwrap();
    for fd in [file, socket, Fd(9)] {
        assert_eq!(lab.call(parent, &signal(fd, Signal::Probe)), Err(EBADF));
    }
}

#[test]
fn a_pidfd_is_no_file_but_can_be_locked() {
    let (mut lab, parent, child, pid) = family();
    let fd = lab.fd(parent, &Call::PidfdOpen { pid }).unwrap();
    for len in [0, 1] {
        assert_eq!(lab.read(parent, fd, len), Err(EINVAL));
    }
    for data in ["", "a"] {
        assert_eq!(lab.write(parent, fd, data), Err(EINVAL));
    }
    assert_eq!(lab.call(parent, &Call::Readdir { fd }), Err(ENOTDIR));
    assert_eq!(lab.call(parent, &Call::Accept { fd }), Err(ENOTSOCK));
    let own = lab.fd(child, &Call::PidfdOpen { pid }).unwrap();
    lab.flock(parent, fd, FlockOp::TryExclusive).unwrap();
    assert_eq!(lab.flock(child, own, FlockOp::TryExclusive), Err(EAGAIN));
}
