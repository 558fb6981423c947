//! Pids, signals, and how processes begin and end.

use std::time::Duration;

use locklab_sim::kernel::{Effect, MachineConfig, Outcome, ProcId, State, TaskId};
use locklab_sys::{
    Call, Errno, ExitStatus, Fd, OpenFlags, Pid, ProcStat, ProcState, ProcStatus, Ret, Signal, Uid,
};

use crate::lab::{Lab, MACHINE, spawn};

fn lab() -> (Lab, TaskId) {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    (lab, task)
}

#[test]
fn pids_walk_upward_wrap_to_300_and_skip_those_in_use() {
    let config = MachineConfig { first_pid: 301, pid_max: 304, ..Default::default() };
    let mut lab = Lab::with(config);
    let tasks = ["a", "b", "c", "d"].map(|name| lab.launch(name));
    assert_eq!(tasks.map(|task| lab.pid(task).0), [301, 302, 303, 300]);
    assert_eq!(lab.spawn(tasks[0], &[]), Err(Errno::EAGAIN));
    lab.exit(tasks[2], 0);
    let (_, child) = lab.spawn(tasks[0], &[]).unwrap();
    assert_eq!(lab.pid(child), Pid(303));
    lab.exit(child, 0);
    assert_eq!(lab.spawn(tasks[0], &[]), Err(Errno::EAGAIN), "a zombie's pid is in use");
}

#[test]
fn a_child_has_a_name_a_parent_and_what_it_inherits() {
    let (mut lab, a) = lab();
    lab.put(a, "/tmp/f", "abc");
    for _ in 0..3 {
        lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    }
    let cell = |value| Call::CellWrite { cell: "depth".into(), value };
    lab.unit(a, &cell(7)).unwrap();
    lab.spawn(a, &[]).unwrap();
    let (proc, child) = lab.spawn(a, &[Fd(5), Fd(3), Fd(5)]).unwrap();
    let process = lab.kernel.process(proc);
    assert_eq!(process.name, "a/child.2");
    assert_eq!((process.parent, process.pid), (Some(ProcId(0)), Pid(1002)));
    assert_eq!(lab.fstat(child, Fd(4)), Err(Errno::EBADF));
    assert_eq!(lab.read(child, Fd(5), 9).unwrap(), "abc");
    lab.close(child, Fd(3)).unwrap();
    assert_eq!(lab.read(a, Fd(3), 9).unwrap(), "abc", "the parent has it open still");

    let read = Call::CellRead { cell: "depth".into() };
    assert_eq!(lab.call(child, &read), Ok(Ret::Cell(7)));
    lab.unit(child, &cell(0)).unwrap();
    assert_eq!(lab.call(child, &read), Ok(Ret::Cell(0)));
    assert_eq!(lab.call(a, &read), Ok(Ret::Cell(7)), "cells are copied, not shared");
}

#[test]
fn a_cell_never_written_reads_0() {
    let (mut lab, a) = lab();
    assert_eq!(lab.call(a, &Call::CellRead { cell: "depth".into() }), Ok(Ret::Cell(0)));
}

#[test]
fn a_bad_descriptor_cannot_be_inherited() {
    let (mut lab, a) = lab();
    let before = lab.clone();
    assert_eq!(lab.kernel.call(a, &spawn(&[Fd(3)])), Outcome::Done(Err(Errno::EBADF)));
    assert!(lab.kernel == before.kernel);
}

#[test]
fn proc_stat_tells_state_parent_and_start() {
    let (mut lab, a) = lab();
    lab.kernel.advance_to(Duration::from_millis(129));
    let (proc, child) = lab.spawn(a, &[]).unwrap();
    let (pid, ppid) = (lab.pid(child), lab.pid(a));
    let stat = |state| Ok(ProcStat { state, ppid, start_ticks: 100_012 });
    assert_eq!(lab.proc_stat(a, pid), stat(ProcState::Running));
    lab.kernel.stop(proc);
    assert_eq!(lab.proc_stat(a, pid), stat(ProcState::Stopped));
    lab.kernel.cont(proc);
    assert_eq!(lab.proc_stat(a, pid), stat(ProcState::Running));
    lab.exit(child, 0);
    assert_eq!(lab.proc_stat(a, pid), stat(ProcState::Zombie));
    lab.call(a, &Call::Wait { pid }).unwrap();
    assert_eq!(lab.proc_stat(a, pid), Err(Errno::ENOENT));
    let init = ProcStat { state: ProcState::Running, ppid: Pid(0), start_ticks: 0 };
    assert_eq!(lab.proc_stat(a, Pid(1)), Ok(init));
    assert_eq!(lab.proc_stat(a, Pid(0)), Err(Errno::ENOENT));
}

#[test]
fn proc_status_tells_state_process_parent_user_and_pids() {
    let (mut lab, a) = lab();
    let (proc, child) = lab.spawn(a, &[]).unwrap();
    let (pid, ppid) = (lab.pid(child), lab.pid(a));
    let status = |state| {
        Ok(ProcStatus { state, tgid: pid, ppid, uid: Uid::USER, namespace_pids: [pid].into() })
    };
    assert_eq!(lab.proc_status(child, pid), status(ProcState::Running));
    lab.kernel.stop(proc);
    assert_eq!(lab.proc_status(a, pid), status(ProcState::Stopped));
    lab.kernel.cont(proc);
    lab.exit(child, 0);
    assert_eq!(lab.proc_status(a, pid), status(ProcState::Zombie));
    lab.call(a, &Call::Wait { pid }).unwrap();
    assert_eq!(lab.proc_status(a, pid), Err(Errno::ENOENT));
    assert_eq!(lab.proc_status(a, Pid(0)), Err(Errno::ENOENT));
}

#[test]
fn proc_status_of_init_is_roots() {
    let (mut lab, a) = lab();
    let init = ProcStatus {
        state: ProcState::Running,
        tgid: Pid(1),
        ppid: Pid(0),
        uid: Uid::ROOT,
        namespace_pids: [Pid(1)].into(),
    };
    assert_eq!(lab.proc_status(a, Pid(1)), Ok(init));
    let pid = lab.pid(a);
    assert_eq!(lab.proc_status(a, pid).unwrap().ppid, Pid(1), "whom it has launched");
}

#[test]
fn kill_fails_as_in_linux() {
    let (mut lab, a) = lab();
    let b = lab.launch("b");
    let pid = lab.pid(b);
    assert_eq!(lab.signal(a, pid, Signal::Probe), Ok(()));
    assert_eq!(lab.signal(a, Pid(9_999), Signal::Probe), Err(Errno::ESRCH));
    assert_eq!(lab.signal(a, Pid(0), Signal::Probe), Err(Errno::EINVAL));
    assert_eq!(lab.signal(a, Pid(1), Signal::Probe), Err(Errno::EPERM));
    assert_eq!(lab.signal(a, Pid(1), Signal::Kill), Err(Errno::EPERM));
    lab.exit(b, 0);
    assert_eq!(lab.signal(a, pid, Signal::Probe), Err(Errno::ESRCH));
}

#[test]
fn signals_take_effect_at_once() {
    let (mut lab, a) = lab();
    let (proc, child) = lab.spawn(a, &[]).unwrap();
    let pid = lab.pid(child);
    lab.signal(a, pid, Signal::Stop).unwrap();
    assert!(lab.kernel.process(proc).is_stopped());
    lab.signal(a, pid, Signal::Cont).unwrap();
    assert!(!lab.kernel.process(proc).is_stopped());
    lab.signal(child, pid, Signal::Stop).unwrap();
    assert!(lab.kernel.process(proc).is_stopped(), "it stopped itself");
    lab.signal(a, pid, Signal::Kill).unwrap();
    assert_eq!(lab.kernel.process(proc).state, State::Zombie(ExitStatus::Killed));
    for signal in [Signal::Probe, Signal::Stop, Signal::Cont, Signal::Kill] {
        assert_eq!(lab.signal(a, pid, signal), Ok(()), "{signal:?} to a zombie");
        assert_eq!(lab.kernel.process(proc).state, State::Zombie(ExitStatus::Killed));
    }
}

#[test]
fn a_process_that_kills_itself_does_not_return() {
    let (mut lab, a) = lab();
    let call = Call::Kill { pid: lab.pid(a), signal: Signal::Kill };
    assert_eq!(lab.kernel.call(a, &call), Outcome::Ended);
    assert_eq!(lab.kernel.process(ProcId(0)).state, State::Dead(ExitStatus::Killed));
}

#[test]
#[should_panic(expected = "cannot run")]
fn a_stopped_process_makes_no_calls() {
    let (mut lab, a) = lab();
    lab.kernel.stop(ProcId(0));
    lab.pid(a);
    let _ = lab.kernel.call(a, &Call::Getpid);
}

#[test]
fn init_adopts_and_reaps() {
    let (mut lab, a) = lab();
    let (living, survivor) = lab.spawn(a, &[]).unwrap();
    let (ended, child) = lab.spawn(a, &[]).unwrap();
    lab.exit(child, 3);
    assert_eq!(lab.kernel.process(ended).state, State::Zombie(ExitStatus::Code(3)));
    lab.kernel.abort(ProcId(0));
    assert_eq!(lab.kernel.process(ProcId(0)).state, State::Dead(ExitStatus::Aborted));
    assert_eq!(lab.kernel.process(ended).state, State::Dead(ExitStatus::Code(3)));
    assert_eq!(lab.kernel.process(living).parent, None);
    let pid = lab.pid(survivor);
    assert_eq!(lab.proc_stat(survivor, pid).unwrap().ppid, Pid(1));
    lab.kernel.kill(living);
    assert_eq!(lab.kernel.process(living).state, State::Dead(ExitStatus::Killed));
}

#[test]
fn a_stranger_gets_a_dead_pid_and_start_time_may_agree() {
    let (mut lab, a) = lab();
    let b = lab.launch("b");
    let pid = lab.pid(b);
    let before = lab.proc_stat(a, pid).unwrap();
    assert!(!lab.kernel.pid_is_free(ProcId(1)));
    lab.kernel.kill(ProcId(1));
    assert!(lab.kernel.pid_is_free(ProcId(1)));
    let stranger = lab.kernel.reuse_pid(ProcId(1), "stranger".into());
    assert_eq!(lab.proc_stat(a, pid).unwrap(), before, "nothing tells the two apart");
    assert!(!lab.kernel.pid_is_free(ProcId(1)));
    assert_eq!(lab.kernel.process(stranger).parent, None);
    assert_eq!(lab.kernel.task_count(), 2, "it has no task");
    lab.kernel.kill(stranger);
    assert!(lab.kernel.pid_is_free(ProcId(1)) && lab.kernel.pid_is_free(stranger));
}

#[test]
fn a_strangers_thread_gets_a_dead_pid_and_passes_for_alive() {
    let (mut lab, a) = lab();
    let b = lab.launch("b");
    let pid = lab.pid(b);
    lab.kernel.kill(ProcId(1));
    lab.kernel.advance_to(Duration::from_secs(1));
    let own = lab.pid(a);
    let earlier = lab.proc_stat(a, own).unwrap();
    let stranger = lab.kernel.reuse_pid_by_thread(ProcId(1), "stranger".into());
    assert!(!lab.kernel.pid_is_free(ProcId(1)));
    let own = lab.kernel.process(stranger).pid;
    assert_ne!(own, pid);
    assert_eq!(lab.call(a, &Call::Kill { pid, signal: Signal::Probe }), Ok(Ret::Unit));
    assert_eq!(lab.call(a, &Call::PidfdOpen { pid }), Err(Errno::ENOENT));
    assert!(lab.proc_stat(a, pid).unwrap().start_ticks > earlier.start_ticks);
    let Ok(Ret::ProcStatus(status)) = lab.call(a, &Call::ProcStatus { pid }) else {
        panic!("somebody has the id")
    };
    assert_eq!(status.tgid, own, "what tells a thread's id from a pid");
    lab.kernel.kill(stranger);
    assert!(lab.kernel.pid_is_free(ProcId(1)) && lab.kernel.pid_is_free(stranger));
}

#[test]
#[should_panic(expected = "only the pid of a dead process")]
fn a_zombie_keeps_its_pid() {
    let (mut lab, a) = lab();
    let (proc, child) = lab.spawn(a, &[]).unwrap();
    lab.exit(child, 0);
    lab.kernel.reuse_pid(proc, "stranger".into());
}

#[test]
fn lives_are_told() {
    let (mut lab, a) = lab();
    let (proc, child) = lab.spawn(a, &[]).unwrap();
    for _ in 0..2 {
        lab.kernel.stop(proc);
    }
    for _ in 0..2 {
        lab.kernel.cont(proc);
    }
    lab.exit(child, 3);
    lab.kernel.kill(proc);
    lab.kernel.stop(proc);
    assert_eq!(
        lab.kernel.effects(),
        [
            Effect::Started { proc: ProcId(0) },
            Effect::Started { proc },
            Effect::Stopped { proc },
            Effect::Continued { proc },
            Effect::Ended { proc, status: ExitStatus::Code(3) },
        ]
    );
}

#[test]
fn launched_processes_are_children_of_init() {
    let (mut lab, a) = lab();
    let pid = lab.pid(a);
    assert_eq!(lab.call(a, &Call::Getpid), Ok(Ret::Pid(Pid(1000))));
    assert_eq!(lab.proc_stat(a, pid).unwrap().ppid, Pid(1));
    let (proc, task) = lab.kernel.launch(MACHINE, "b".into());
    assert_eq!(lab.kernel.process_of(task), proc);
    assert_eq!(lab.pid(task), Pid(1001));
}
