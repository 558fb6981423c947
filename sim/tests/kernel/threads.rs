//! Threads: their ids, and how they end.

use locklab_sim::kernel::{Effect, MachineConfig, ProcId, State, TaskId};
use locklab_sys::{Call, Errno, ExitStatus, Fd, Pid, ProcState, ProcStatus, Ret, Signal};

use crate::lab::{Lab, family, image};

use Errno::*;

/// A process of two threads, and the second one's id.
fn pair() -> (Lab, TaskId, TaskId, Pid) {
    let mut lab = Lab::new();
    let main = lab.launch("a");
    let (thread, tid) = lab.thread(main);
    (lab, main, thread, tid)
}

/// A parent, its child's main thread, another one, and the ids of both.
fn child_pair() -> (Lab, TaskId, [TaskId; 2], [Pid; 2]) {
    let (mut lab, parent, main, pid) = family();
    let (thread, tid) = lab.thread(main);
    (lab, parent, [main, thread], [pid, tid])
}

#[test]
fn a_thread_takes_the_next_pid_of_the_walk() {
    let (mut lab, main, thread, tid) = pair();
    assert_eq!(tid, Pid(1001));
    assert_eq!(lab.call(main, &Call::Gettid), Ok(Ret::Pid(Pid(1000))));
    assert_eq!(lab.call(thread, &Call::Gettid), Ok(Ret::Pid(tid)));
    assert_eq!(lab.call(thread, &Call::Getpid), Ok(Ret::Pid(Pid(1000))));
    assert_eq!(lab.kernel.process_of(thread), lab.kernel.process_of(main));
    assert_eq!(lab.kernel.task_name(thread), "a#2");
    let other = lab.launch("b");
    assert_eq!(lab.pid(other), Pid(1002));
    lab.thread_exit(thread, 0);
    let (third, tid) = lab.thread(main);
    assert_eq!((tid, lab.kernel.task_name(third).as_str()), (Pid(1003), "a#3"));
}

#[test]
fn threads_run_out_with_the_pids() {
    let mut lab = Lab::with(MachineConfig { first_pid: 300, pid_max: 302, ..Default::default() });
    let main = lab.launch("a");
    let (thread, _) = lab.thread(main);
    let more = Call::SpawnThread { image: image("more") };
    assert_eq!(lab.call(main, &more), Err(EAGAIN));
    lab.thread_exit(thread, 0);
    assert!(lab.call(main, &more).is_ok(), "the id of a thread that has ended is free");
}

#[test]
fn a_threads_id_means_its_process_to_kill_alone() {
    let (mut lab, parent, [main, _], [pid, tid]) = child_pair();
    assert_eq!(lab.signal(parent, tid, Signal::Probe), Ok(()));
    assert_eq!(lab.fd(parent, &Call::PidfdOpen { pid: tid }), Err(ENOENT));
    assert_eq!(lab.call(parent, &Call::Wait { pid: tid }), Err(ECHILD));
    assert_eq!(lab.call(parent, &Call::TryWait { child: Some(tid) }), Err(ECHILD));
    lab.signal(parent, tid, Signal::Stop).unwrap();
    for id in [pid, tid] {
        assert_eq!(lab.proc_stat(parent, id).unwrap().state, ProcState::Stopped);
    }
    lab.signal(parent, tid, Signal::Kill).unwrap();
    assert_eq!(lab.state(main), State::Zombie(ExitStatus::Killed));
    assert_eq!(lab.proc_stat(parent, pid).unwrap().state, ProcState::Zombie);
    assert_eq!(lab.proc_stat(parent, tid), Err(ENOENT));
    assert_eq!(lab.signal(parent, tid, Signal::Probe), Err(ESRCH));
}

#[test]
fn a_threads_id_fails_before_descriptors_run_out() {
    let (mut lab, main, _, tid) = pair();
    while lab.fd(main, &Call::Socket).is_ok() {}
    assert_eq!(lab.fd(main, &Call::PidfdOpen { pid: tid }), Err(ENOENT));
    assert_eq!(lab.fd(main, &Call::PidfdOpen { pid: Pid(1000) }), Err(EMFILE));
}

#[test]
fn proc_stat_tells_when_the_thread_started() {
    let (mut lab, _, main, pid) = family();
    lab.kernel.advance_to(std::time::Duration::from_secs(2));
    let (thread, tid) = lab.thread(main);
    let [of_main, of_thread] = [pid, tid].map(|id| lab.proc_stat(thread, id).unwrap());
    assert_eq!(of_thread.ppid, of_main.ppid);
    assert_eq!(of_thread.start_ticks, of_main.start_ticks + 200);
}

#[test]
fn proc_status_tells_whose_thread_it_is() {
    let (mut lab, parent, [_, thread], [pid, tid]) = child_pair();
    let [of_main, of_thread] = [pid, tid].map(|id| lab.proc_status(parent, id).unwrap());
    assert_eq!((of_main.tgid, of_thread.tgid), (pid, pid));
    assert_eq!(*of_thread.namespace_pids, [tid]);
    assert_eq!(of_thread, ProcStatus { namespace_pids: [tid].into(), ..of_main });
    lab.thread_exit(thread, 0);
    assert_eq!(lab.proc_status(parent, tid), Err(ENOENT));
}

#[test]
fn proc_status_tells_of_a_main_thread_that_has_ended() {
    let (mut lab, parent, [main, thread], [pid, tid]) = child_pair();
    lab.thread_exit(main, 0);
    let state_and_process = |lab: &mut Lab, id| {
        let status = lab.proc_status(parent, id).unwrap();
        (status.state, status.tgid)
    };
    assert_eq!(state_and_process(&mut lab, pid), (ProcState::Zombie, pid));
    assert_eq!(state_and_process(&mut lab, tid), (ProcState::Running, pid));
    lab.signal(parent, pid, Signal::Stop).unwrap();
    assert_eq!(state_and_process(&mut lab, pid), (ProcState::Zombie, pid), "not stopped");
    assert_eq!(state_and_process(&mut lab, tid), (ProcState::Stopped, pid));
    lab.signal(parent, pid, Signal::Cont).unwrap();
    lab.exec(thread);
    assert_eq!(state_and_process(&mut lab, pid), (ProcState::Running, pid));
    assert_eq!(lab.proc_status(parent, tid), Err(ENOENT));
}

#[test]
fn a_thread_ends_alone() {
    let (mut lab, parent, [main, thread], [pid, tid]) = child_pair();
    let proc = lab.kernel.process_of(main);
    lab.kernel.clear_effects();
    lab.thread_exit(thread, 5);
    assert_eq!(lab.kernel.effects(), [Effect::ThreadEnded { proc, task: thread }]);
    assert_eq!(lab.proc_stat(parent, tid), Err(ENOENT));
    assert_eq!(lab.proc_stat(parent, pid).unwrap().state, ProcState::Running);
    lab.thread_exit(main, 3);
    assert_eq!(lab.call(parent, &Call::Wait { pid }), Ok(Ret::Exited(ExitStatus::Code(3))));
}

#[test]
#[should_panic(expected = "cannot run")]
fn a_thread_that_has_ended_makes_no_calls() {
    let (mut lab, _, thread, _) = pair();
    lab.thread_exit(thread, 0);
    let _ = lab.kernel.call(thread, &Call::Gettid);
}

#[test]
fn without_its_main_thread_a_process_is_a_zombie_that_nobody_reaps() {
    let (mut lab, parent, [main, thread], [pid, tid]) = child_pair();
    let pidfd = lab.fd(parent, &Call::PidfdOpen { pid }).unwrap();
    lab.thread_exit(main, 3);
    assert_eq!(lab.proc_stat(parent, pid).unwrap().state, ProcState::Zombie);
    assert_eq!(lab.proc_stat(parent, tid).unwrap().state, ProcState::Running);
    assert_eq!(lab.signal(parent, pid, Signal::Probe), Ok(()));
    assert_eq!(lab.call(parent, &Call::TryWait { child: Some(pid) }), Ok(Ret::Child(None)));
    assert_eq!(lab.call(parent, &Call::TryWait { child: None }), Ok(Ret::Child(None)));
    let none = Call::Poll { fds: [pidfd].into(), timeout: Some(Default::default()) };
    assert_eq!(lab.call(parent, &none), Ok(Ret::Ready([].into())));
    assert_eq!(lab.fd(parent, &Call::PidfdOpen { pid }), Ok(Fd(4)));
    lab.signal(parent, pid, Signal::Stop).unwrap();
    assert_eq!(lab.proc_stat(parent, pid).unwrap().state, ProcState::Zombie, "not stopped");
    assert_eq!(lab.proc_stat(parent, tid).unwrap().state, ProcState::Stopped);
    lab.signal(parent, pid, Signal::Cont).unwrap();

    lab.begin(parent, &Call::Wait { pid });
    let mut killed = lab.clone();
    lab.thread_exit(thread, 5);
    assert_eq!(lab.finish(parent), Ok(Ret::Exited(ExitStatus::Code(5))), "the last one's code");
    killed.kernel.kill(killed.kernel.process_of(main));
    assert_eq!(killed.finish(parent), Ok(Ret::Exited(ExitStatus::Killed)));
}

#[test]
fn exit_ends_all_threads() {
    let (mut lab, parent, [main, thread], [pid, tid]) = child_pair();
    lab.begin(main, &Call::Join { tid });
    lab.exit(thread, 6);
    assert_eq!(lab.state(main), State::Zombie(ExitStatus::Code(6)));
    assert!(!lab.kernel.is_blocked(main));
    assert_eq!(lab.signal(parent, tid, Signal::Probe), Err(ESRCH));
    assert_eq!(lab.call(parent, &Call::Wait { pid }), Ok(Ret::Exited(ExitStatus::Code(6))));
}

#[test]
fn an_abort_ends_all_threads() {
    let (mut lab, main, thread, _) = pair();
    let proc = lab.kernel.process_of(main);
    lab.begin(main, &Call::FutexWait { cell: "x".into(), expected: 0, timeout: None });
    assert!(!lab.kernel.has_ended(main) && !lab.kernel.has_ended(thread));
    lab.kernel.abort(proc);
    for task in [main, thread] {
        assert_eq!(lab.state(task), State::Dead(ExitStatus::Aborted));
        assert!(lab.kernel.has_ended(task) && !lab.kernel.is_blocked(task));
    }
}

#[test]
fn join_waits_for_a_threads_end() {
    let (mut lab, main, thread, tid) = pair();
    assert_eq!(lab.unit(thread, &Call::Join { tid }), Err(EDEADLK));
    lab.begin(main, &Call::Join { tid });
    assert!(!lab.kernel.ready(main));
    lab.thread_exit(thread, 0);
    assert_eq!(lab.finish(main), Ok(Ret::Unit));
    assert_eq!(lab.unit(main, &Call::Join { tid }), Ok(()), "it has ended before");
}

#[test]
fn the_main_thread_can_be_joined() {
    let (mut lab, main, thread, _) = pair();
    let pid = lab.pid(main);
    lab.begin(thread, &Call::Join { tid: pid });
    lab.thread_exit(main, 0);
    assert_eq!(lab.finish(thread), Ok(Ret::Unit));
    assert_eq!(lab.unit(thread, &Call::Join { tid: pid }), Ok(()));
}

#[test]
fn nobody_joins_another_processs_thread() {
    let (mut lab, parent, _, [_, tid]) = child_pair();
    assert_eq!(lab.unit(parent, &Call::Join { tid }), Ok(()));
}

#[test]
fn a_stop_stops_all_threads() {
    let (mut lab, main, thread, tid) = pair();
    lab.begin(main, &Call::Join { tid });
    lab.kernel.stop(ProcId(0));
    assert!(lab.kernel.process(lab.kernel.process_of(thread)).is_stopped());
    lab.kernel.cont(ProcId(0));
    lab.thread_exit(thread, 0);
    assert_eq!(lab.finish(main), Ok(Ret::Unit));
}

#[test]
fn one_process_of_one_thread_is_as_it_was() {
    let (mut lab, main, ..) = pair();
    let mut alone = Lab::new();
    let single = alone.launch("a");
    for (lab, task) in [(&mut lab, main), (&mut alone, single)] {
        lab.thread_exit(task, 0);
    }
    assert_eq!(lab.state(main), State::Running);
    assert_eq!(alone.state(single), State::Dead(ExitStatus::Code(0)));
}

#[test]
fn nobody_joins_another_processs_main_thread() {
    let (mut lab, _, thread, _) = pair();
    let other = lab.launch("b");
    let tid = lab.pid(other);
    assert_eq!(lab.unit(thread, &Call::Join { tid }), Ok(()));
}
