//! Who has a file locked.

use locklab_sim::kernel::{MachineId, ProcId, TaskId};
use locklab_sys::{Fd, FlockOp, LockCommand, OpenFlags};

use crate::lab::{Lab, rd, wr};

const FD: Fd = Fd(3);

/// Two processes, each with the file open by a description of its own, and its number.
fn two() -> (Lab, [TaskId; 2], u64) {
    let mut lab = Lab::new();
    let tasks = ["a", "b"].map(|name| lab.launch(name));
    let ino = lab.put(tasks[0], "/run/lock", "");
    for task in tasks {
        assert_eq!(lab.open(task, "/run/lock", OpenFlags::RDWR), Ok(FD));
    }
    (lab, tasks, ino)
}

fn lockers(lab: &Lab, ino: u64) -> Vec<ProcId> {
    lab.kernel.lockers(MachineId(0), ino)
}

fn procs(lab: &Lab, tasks: &[TaskId]) -> Vec<ProcId> {
    tasks.iter().map(|task| lab.kernel.process_of(*task)).collect()
}

#[test]
fn who_has_it_open_only_has_it_not_locked() {
    let (lab, _, ino) = two();
    assert_eq!(lockers(&lab, ino), []);
}

#[test]
fn what_stands_at_a_path_may_be_locked_or_not() {
    let (mut lab, [a, _], _) = two();
    let at = |lab: &Lab, path: &str| lab.kernel.lockers_at(MachineId(0), &path.into());
    assert_eq!(at(&lab, "/run/lock"), []);
    lab.flock(a, FD, FlockOp::Exclusive).unwrap();
    assert_eq!(at(&lab, "/run/lock"), procs(&lab, &[a]));
    assert_eq!(at(&lab, "/run/other"), []);
}

#[test]
fn a_lock_of_a_description_is_that_of_all_who_share_it() {
    let flocked: fn(&mut Lab, TaskId) = |lab, a| lab.flock(a, FD, FlockOp::Exclusive).unwrap();
    let locked: fn(&mut Lab, TaskId) =
        |lab, a| lab.lock(a, FD, LockCommand::OfdSet, wr(0, 1)).unwrap();
    for take in [flocked, locked] {
        let (mut lab, [a, _], ino) = two();
        take(&mut lab, a);
        let child = lab.fork(a);
        assert_eq!(lockers(&lab, ino), procs(&lab, &[a, child]));
        lab.exit(a, 0);
        assert_eq!(lockers(&lab, ino), procs(&lab, &[child]));
        lab.close(child, FD).unwrap();
        assert_eq!(lockers(&lab, ino), []);
    }
}

#[test]
fn a_record_lock_is_its_processs_alone() {
    let (mut lab, [a, b], ino) = two();
    for task in [a, b] {
        lab.lock(task, FD, LockCommand::Set, rd(0, 0)).unwrap();
    }
    lab.fork(a);
    assert_eq!(lockers(&lab, ino), procs(&lab, &[a, b]));
    lab.close(a, FD).unwrap();
    assert_eq!(lockers(&lab, ino), procs(&lab, &[b]));
    assert_eq!(lockers(&lab, ino + 1), []);
}
