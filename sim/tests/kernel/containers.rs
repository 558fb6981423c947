//! Pid namespaces: what a pid means depends on who reads it. As a Linux 6.18 has it.

use std::time::Duration;

use locklab_sim::kernel::{MachineConfig, Outcome, ProcId, State, TaskId};
use locklab_sys::{
    Call, Errno, ExitStatus, Fd, PeerCred, Pid, ProcStat, ProcState, ProcStatus, Ret, Signal, Uid,
};

use crate::lab::Lab;

const INIT: Pid = Pid(1);

fn proc(lab: &Lab, task: TaskId) -> ProcId {
    lab.kernel.process_of(task)
}

/// The pid by which those outside know the process of a task.
fn outer(lab: &Lab, task: TaskId) -> Pid {
    lab.kernel.process(proc(lab, task)).outer_pid()
}

fn state(lab: &Lab, task: TaskId) -> State {
    lab.kernel.process(proc(lab, task)).state
}

fn getppid(lab: &mut Lab, task: TaskId) -> Pid {
    match lab.call(task, &Call::Getppid) {
        Ok(Ret::Pid(pid)) => pid,
        other => panic!("getppid gave {other:?}"),
    }
}

fn namespace(lab: &mut Lab, task: TaskId) -> u64 {
    match lab.call(task, &Call::PidNamespace) {
        Ok(Ret::Namespace(number)) => number,
        other => panic!("readlink gave {other:?}"),
    }
}

#[test]
fn each_container_counts_its_own_pids() {
    let mut lab = Lab::new();
    let web = lab.launch_in("web", "server");
    let jobs = lab.launch_in("jobs", "runner");
    let exec = lab.launch_in("web", "shell");
    let (_, child) = lab.spawn(exec, &[]).unwrap();
    let pids = [web, jobs, exec, child];
    assert_eq!(
        pids.map(|task| lab.call(task, &Call::Getpid)),
        [1, 1, 2, 3].map(|pid| { Ok(Ret::Pid(Pid(pid))) })
    );
    assert_eq!(pids.map(|task| outer(&lab, task).0), [1000, 1001, 1002, 1003]);
    assert_eq!(pids.map(|task| getppid(&mut lab, task).0), [0, 0, 0, 2]);
}

#[test]
fn a_container_has_a_namespace_and_a_host_name_of_its_own_but_no_boot_id() {
    let mut lab = Lab::new();
    let (a, web) = (lab.launch("a"), lab.launch_in("web", "server"));
    let (jobs, exec) = (lab.launch_in("jobs", "runner"), lab.launch_in("web", "shell"));
    assert_eq!(namespace(&mut lab, a), 4_026_531_836);
    let numbers = [web, jobs, exec].map(|task| namespace(&mut lab, task));
    assert!(numbers[0] != numbers[1] && numbers[0] == numbers[2] && numbers[0] > 4_026_531_836);
    let name = |name: &str| Ok(Ret::Hostname(name.into()));
    assert_eq!(lab.call(a, &Call::Hostname), name("box"));
    assert_eq!(lab.call(web, &Call::Hostname), name("web"));
    assert_eq!(lab.call(exec, &Call::Hostname), name("web"));
    assert_eq!(lab.call(web, &Call::BootId), lab.call(a, &Call::BootId));
}

/// The failure that containers are here for.
#[test]
fn the_dead_are_alive_and_the_living_dead_in_the_wrong_namespace() {
    let mut lab = Lab::new();
    let web = lab.launch_in("web", "server");
    let (_, worker) = lab.spawn(web, &[]).unwrap();
    let jobs = lab.launch_in("jobs", "runner");
    let written = lab.pid(worker);
    assert_eq!(written, Pid(2));
    assert_eq!(lab.signal(jobs, written, Signal::Probe), Err(Errno::ESRCH), "yet it lives");
    let own = lab.pid(web);
    lab.exit(web, 0);
    assert_eq!(lab.signal(jobs, own, Signal::Probe), Ok(()), "though it is dead");
    assert!(lab.proc_stat(jobs, own).is_ok());
}

#[test]
fn those_outside_know_all_by_another_pid() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    lab.kernel.advance_to(Duration::from_secs(1));
    let web = lab.launch_in("web", "server");
    let (_, child) = lab.spawn(web, &[]).unwrap();
    let stat = |ppid| Ok(ProcStat { state: ProcState::Running, ppid, start_ticks: 100_100 });
    let (init, pid) = (outer(&lab, web), outer(&lab, child));
    assert_eq!(lab.proc_stat(a, pid), stat(init));
    assert_eq!(lab.proc_stat(a, init), stat(INIT));
    assert_eq!(lab.proc_stat(web, Pid(2)), stat(INIT));
    assert_eq!(lab.proc_stat(web, INIT), stat(Pid(0)), "it has a parent, outside");
    assert_eq!(lab.proc_stat(web, pid), Err(Errno::ENOENT));
    let own = lab.pid(a);
    assert_eq!(lab.signal(web, own, Signal::Kill), Err(Errno::ESRCH));
    assert_eq!(lab.fd(web, &Call::PidfdOpen { pid: own }), Err(Errno::ESRCH));
    assert_eq!(lab.call(web, &Call::Wait { pid }), Err(Errno::ECHILD));
    let pidfd = lab.fd(a, &Call::PidfdOpen { pid }).unwrap();
    let inside = lab.fd(web, &Call::PidfdOpen { pid: Pid(2) }).unwrap();
    assert_eq!(lab.fstat(a, pidfd).unwrap().ino, lab.fstat(web, inside).unwrap().ino);
    lab.signal(a, pid, Signal::Kill).unwrap();
    assert_eq!(state(&lab, child), State::Zombie(ExitStatus::Killed));
    assert_eq!(lab.call(web, &Call::Wait { pid: Pid(2) }), Ok(Ret::Exited(ExitStatus::Killed)));
}

#[test]
fn proc_status_tells_pids_from_the_readers_namespace_down() {
    let mut lab = Lab::new();
    let (a, web) = (lab.launch("a"), lab.launch_in("web", "server"));
    let (_, child) = lab.spawn(web, &[]).unwrap();
    let (thread, tid) = lab.thread(child);
    let jobs = lab.launch_in("jobs", "runner");
    let (init, pid, own) = (outer(&lab, web), outer(&lab, child), Pid(2));
    let outer_tid = Pid(pid.0 + 1);
    let status = |tgid, ppid, pids: &[Pid]| {
        let (state, uid) = (ProcState::Running, Uid::USER);
        Ok(ProcStatus { state, tgid, ppid, uid, namespace_pids: pids.into() })
    };
    assert_eq!(lab.proc_status(a, init), status(init, INIT, &[init, INIT]));
    assert_eq!(lab.proc_status(a, pid), status(pid, init, &[pid, own]));
    assert_eq!(lab.proc_status(a, outer_tid), status(pid, init, &[outer_tid, tid]));
    for reader in [web, thread] {
        assert_eq!(lab.proc_status(reader, INIT), status(INIT, Pid(0), &[INIT]));
        assert_eq!(lab.proc_status(reader, own), status(own, INIT, &[own]));
        assert_eq!(lab.proc_status(reader, tid), status(own, INIT, &[tid]));
    }
    for (reader, unseen) in [(web, pid), (web, outer_tid), (jobs, own), (jobs, tid)] {
        assert_eq!(lab.proc_status(reader, unseen), Err(Errno::ENOENT));
    }
    lab.exit(child, 0);
    let of_zombie = lab.proc_status(a, pid).unwrap();
    assert_eq!((of_zombie.state, &*of_zombie.namespace_pids), (ProcState::Zombie, &[pid, own][..]));
}

#[test]
fn from_inside_nothing_harms_a_containers_init() {
    let mut lab = Lab::new();
    let (a, web) = (lab.launch("a"), lab.launch_in("web", "server"));
    let (_, child) = lab.spawn(web, &[]).unwrap();
    for task in [web, child] {
        for signal in [Signal::Probe, Signal::Stop, Signal::Kill, Signal::Cont] {
            assert_eq!(lab.signal(task, INIT, signal), Ok(()));
            let pidfd = lab.fd(task, &Call::PidfdOpen { pid: INIT }).unwrap();
            assert_eq!(lab.unit(task, &Call::PidfdSendSignal { pidfd, signal }), Ok(()));
            assert_eq!(state(&lab, web), State::Running, "{signal:?}");
        }
    }
    let pid = outer(&lab, web);
    lab.signal(a, pid, Signal::Stop).unwrap();
    assert_eq!(state(&lab, web), State::Stopped, "from outside it is a process like others");
    lab.signal(child, INIT, Signal::Cont).unwrap();
    assert_eq!(state(&lab, web), State::Running, "who is stopped can be continued from inside");
    let other = lab.launch_as("other", Uid(1001));
    assert_eq!(lab.signal(other, pid, Signal::Kill), Err(Errno::EPERM));
    lab.signal(a, pid, Signal::Kill).unwrap();
    assert_eq!(state(&lab, web), State::Dead(ExitStatus::Killed));
}

#[test]
fn an_alarm_does_not_end_the_init_of_a_container_unless_it_handles_it() {
    let mut lab = Lab::new();
    let (web, shell) = (lab.launch_in("web", "server"), lab.launch_in("web", "shell"));
    let after = Duration::from_secs(1);
    for task in [web, shell] {
        lab.call(task, &Call::Setitimer { after }).unwrap();
    }
    lab.kernel.advance_to(after);
    assert_eq!(state(&lab, web), State::Running);
    assert_eq!(state(&lab, shell), State::Dead(ExitStatus::Alarmed));
}

#[test]
fn a_container_ends_with_its_init() {
    let mut lab = Lab::new();
    let (web, jobs) = (lab.launch_in("web", "server"), lab.launch_in("jobs", "runner"));
    let exec = lab.launch_in("web", "shell");
    let (_, child) = lab.spawn(web, &[]).unwrap();
    let (_, grandchild) = lab.spawn(child, &[]).unwrap();
    let (_, zombie) = lab.spawn(web, &[]).unwrap();
    lab.exit(zombie, 7);
    lab.kernel.stop(proc(&lab, child));
    let sleep = Call::Nanosleep { duration: Duration::from_secs(9) };
    lab.begin(grandchild, &sleep);
    lab.exit(web, 3);
    assert_eq!(state(&lab, web), State::Dead(ExitStatus::Code(3)));
    for task in [exec, child, grandchild] {
        assert_eq!(state(&lab, task), State::Dead(ExitStatus::Killed));
    }
    assert_eq!(state(&lab, zombie), State::Dead(ExitStatus::Code(7)));
    assert_eq!(lab.kernel.next_timer(), None);
    assert_eq!(state(&lab, jobs), State::Running);
}

#[test]
fn a_container_started_again_has_the_pids_it_had_and_often_the_namespace() {
    let mut lab = Lab::new();
    let first = lab.launch_in("web", "server");
    let number = namespace(&mut lab, first);
    let (_, worker) = lab.spawn(first, &[]).unwrap();
    lab.exit(first, 0);
    assert!(!lab.kernel.pid_is_free(proc(&lab, worker)), "its pid comes with the next start");
    let second = lab.launch_in("web", "server");
    assert_eq!((lab.pid(second), outer(&lab, second)), (INIT, Pid(1002)));
    assert_eq!(namespace(&mut lab, second), number);
    let (_, again) = lab.spawn(second, &[]).unwrap();
    assert_eq!(lab.pid(again), lab.pid(worker));
    assert_eq!(state(&lab, worker), State::Dead(ExitStatus::Killed));
}

#[test]
fn orphans_of_a_container_wait_for_its_init_to_wait() {
    let mut lab = Lab::new();
    let web = lab.launch_in("web", "server");
    let (_, child) = lab.spawn(web, &[]).unwrap();
    let (_, orphan) = lab.spawn(child, &[]).unwrap();
    let (_, zombie) = lab.spawn(child, &[]).unwrap();
    lab.exit(zombie, 4);
    lab.exit(child, 0);
    assert_eq!(getppid(&mut lab, orphan), INIT);
    lab.exit(orphan, 5);
    for (task, code) in [(orphan, 5), (zombie, 4)] {
        assert_eq!(state(&lab, task), State::Zombie(ExitStatus::Code(code)));
        let pid = lab.pid(task);
        assert_eq!(lab.signal(web, pid, Signal::Probe), Ok(()));
        let waited = lab.call(web, &Call::Wait { pid });
        assert_eq!(waited, Ok(Ret::Exited(ExitStatus::Code(code))));
        assert_eq!(lab.signal(web, pid, Signal::Probe), Err(Errno::ESRCH));
    }
    let exec = lab.launch_in("web", "shell");
    lab.exit(exec, 0);
    assert_eq!(state(&lab, exec), State::Dead(ExitStatus::Code(0)), "its parent is outside");
}

#[test]
fn a_parents_end_is_told_inside_as_well() {
    let mut lab = Lab::new();
    let web = lab.launch_in("web", "server");
    let (_, child) = lab.spawn(web, &[]).unwrap();
    let (_, orphan) = lab.spawn(child, &[]).unwrap();
    lab.unit(orphan, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
    lab.exit(child, 0);
    assert_eq!(state(&lab, orphan), State::Zombie(ExitStatus::Killed));
}

#[test]
fn a_stranger_in_a_container_has_the_pid_inside() {
    let mut lab = Lab::new();
    let web = lab.launch_in("web", "server");
    let (child, task) = lab.spawn(web, &[]).unwrap();
    let (pid, before) = (lab.pid(task), outer(&lab, task));
    lab.exit(task, 0);
    lab.call(web, &Call::Wait { pid }).unwrap();
    assert!(lab.kernel.pid_is_free(child));
    let stranger = lab.kernel.reuse_pid(child, "stranger".into());
    let process = lab.kernel.process(stranger);
    assert_eq!((process.pid, process.container()), (pid, Some(proc(&lab, web))));
    assert_ne!(process.outer_pid(), before);
    assert_eq!(lab.signal(web, pid, Signal::Probe), Ok(()));
}

#[test]
fn peers_are_told_as_the_reader_knows_them() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    let (web, jobs) = (lab.launch_in("web", "server"), lab.launch_in("jobs", "runner"));
    let listener = lab.fd(web, &Call::Socket).unwrap();
    lab.unit(web, &Call::Bind { fd: listener, path: "/run/s".into() }).unwrap();
    lab.unit(web, &Call::Listen { fd: listener, backlog: 9 }).unwrap();
    let connected = |lab: &mut Lab, task| -> (Fd, Fd) {
        let fd = lab.fd(task, &Call::Socket).unwrap();
        lab.unit(task, &Call::Connect { fd, path: "/run/s".into() }).unwrap();
        (fd, lab.fd(web, &Call::Accept { fd: listener }).unwrap())
    };
    let told = |pid| Ok(Ret::PeerCred(PeerCred { pid, uid: Uid::USER }));
    let cred = |lab: &mut Lab, task, fd| lab.call(task, &Call::PeerCred { fd });
    let (from_outside, accepted) = connected(&mut lab, a);
    assert_eq!(cred(&mut lab, web, accepted), told(Pid(0)), "nobody the container knows");
    let server = outer(&lab, web);
    assert_eq!(cred(&mut lab, a, from_outside), told(server));
    let (_, accepted) = connected(&mut lab, jobs);
    assert_eq!(cred(&mut lab, web, accepted), told(Pid(0)), "though both are called 1");
    let (_, child) = lab.spawn(web, &[]).unwrap();
    let (to_init, accepted) = connected(&mut lab, child);
    assert_eq!(cred(&mut lab, web, accepted), told(Pid(2)));
    assert_eq!(cred(&mut lab, child, to_init), told(INIT));
    lab.kernel.kill(proc(&lab, web));
    assert_eq!(cred(&mut lab, a, from_outside), told(server), "as it was then");
}

#[test]
fn pids_run_out_outside_as_well() {
    let config = MachineConfig { first_pid: 300, pid_max: 302, ..Default::default() };
    let mut lab = Lab::with(config);
    let web = lab.launch_in("web", "server");
    let (_, child) = lab.spawn(web, &[]).unwrap();
    assert_eq!(lab.spawn(web, &[]), Err(Errno::EAGAIN));
    let pid = lab.pid(child);
    assert_eq!(lab.kernel.call(child, &Call::Exit { code: 0 }), Outcome::Ended);
    lab.call(web, &Call::Wait { pid }).unwrap();
    let (_, next) = lab.spawn(web, &[]).unwrap();
    assert_eq!((lab.pid(next), outer(&lab, next)), (Pid(4), Pid(301)), "both walks went on");
}
