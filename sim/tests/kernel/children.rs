//! Zombies and orphans: who waits for whom, and who adopts them.

use locklab_sim::kernel::{ProcId, State, TaskId};
use locklab_sys::{Call, Errno, ExitStatus, Pid, ProcState, Ret, Signal};

use crate::lab::{Lab, family};

use Errno::*;

const KILL: Call = Call::ParentDeathSignal { signal: Signal::Kill };

/// Each child's code is its number.
fn zombies(lab: &mut Lab, parent: TaskId, codes: &[u8]) {
    let children: Vec<TaskId> = codes.iter().map(|_| lab.spawn(parent, &[]).unwrap().1).collect();
    for (child, code) in children.iter().zip(codes).rev() {
        lab.exit(*child, *code);
    }
}

fn any(lab: &mut Lab, task: TaskId) -> Result<Option<u8>, Errno> {
    lab.call(task, &Call::TryWait { child: None }).map(|ret| match ret {
        Ret::Child(Some((_, ExitStatus::Code(code)))) => Some(code),
        Ret::Child(None) => None,
        other => panic!("a wait for any child gave {other:?}"),
    })
}

#[test]
fn of_several_zombies_the_eldest_is_taken() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    assert_eq!(any(&mut lab, a), Err(ECHILD));
    assert_eq!(lab.call(a, &Call::WaitAny), Err(ECHILD));
    let (_, living) = lab.spawn(a, &[]).unwrap();
    zombies(&mut lab, a, &[1, 2, 3]);
    let taken = [0; 4].map(|_| any(&mut lab, a).unwrap());
    assert_eq!(taken, [Some(1), Some(2), Some(3), None]);
    lab.begin(a, &Call::WaitAny);
    assert!(!lab.kernel.ready(a));
    let pid = lab.pid(living);
    lab.exit(living, 9);
    assert_eq!(lab.finish(a), Ok(Ret::Child(Some((pid, ExitStatus::Code(9))))));
    assert_eq!(any(&mut lab, a), Err(ECHILD));
}

#[test]
fn an_adopted_child_is_the_subreapers_like_its_own() {
    let mut lab = Lab::new();
    lab.launch("other");
    let reaper = lab.launch("reaper");
    lab.unit(reaper, &Call::ChildSubreaper { on: true }).unwrap();
    let (_, child) = lab.spawn(reaper, &[]).unwrap();
    let (_, adopted) = lab.spawn(child, &[]).unwrap();
    lab.exit(child, 1);
    assert_eq!(any(&mut lab, reaper), Ok(Some(1)));
    zombies(&mut lab, reaper, &[2]);
    lab.exit(adopted, 3);
    assert_eq!(any(&mut lab, reaper), Ok(Some(3)), "it was there first");
    assert_eq!(any(&mut lab, reaper), Ok(Some(2)));
}

#[test]
fn one_child_can_be_asked_for_without_waiting() {
    let (mut lab, parent, child, pid) = family();
    let ask = |pid| Call::TryWait { child: Some(pid) };
    assert_eq!(lab.call(parent, &ask(pid)), Ok(Ret::Child(None)));
    lab.exit(child, 3);
    assert_eq!(lab.signal(parent, pid, Signal::Probe), Ok(()), "a zombie has its pid still");
    assert!(lab.fd(parent, &Call::PidfdOpen { pid }).is_ok());
    assert_eq!(lab.call(parent, &ask(pid)), Ok(Ret::Child(Some((pid, ExitStatus::Code(3))))));
    assert_eq!(lab.call(parent, &ask(pid)), Err(ECHILD));
    assert_eq!(lab.call(parent, &ask(Pid(1))), Err(ECHILD));
    assert_eq!(lab.signal(parent, pid, Signal::Probe), Err(ESRCH));
}

#[test]
fn a_thread_takes_its_own_children_first_then_the_next_ones() {
    let mut lab = Lab::new();
    let main = lab.launch("a");
    let threads = [0; 3].map(|_| lab.thread(main).0);
    for (task, code) in [(main, 9), (threads[0], 1), (threads[1], 2), (threads[2], 3)] {
        zombies(&mut lab, task, &[code]);
    }
    let taken = [0; 4].map(|_| any(&mut lab, threads[1]).unwrap().unwrap());
    assert_eq!(taken, [2, 3, 9, 1]);
}

#[test]
fn two_threads_wait_for_one_child() {
    let (mut lab, parent, child, pid) = family();
    let (thread, _) = lab.thread(parent);
    let (third, _) = lab.thread(parent);
    lab.begin(parent, &Call::Wait { pid });
    lab.begin(thread, &Call::Wait { pid });
    lab.begin(third, &Call::WaitAny);
    lab.exit(child, 3);
    assert_eq!(lab.finish(thread), Ok(Ret::Exited(ExitStatus::Code(3))));
    assert_eq!(lab.finish(parent), Err(ECHILD));
    assert_eq!(lab.finish(third), Err(ECHILD));
}

#[test]
fn the_children_of_a_thread_that_ends_go_to_the_oldest() {
    let mut lab = Lab::new();
    let main = lab.launch("a");
    let (thread, _) = lab.thread(main);
    let (_, child) = lab.spawn(thread, &[]).unwrap();
    zombies(&mut lab, main, &[8]);
    zombies(&mut lab, thread, &[1]);
    lab.thread_exit(thread, 0);
    assert_eq!(lab.call(child, &Call::Getppid), Ok(Ret::Pid(Pid(1000))), "one process, still");
    zombies(&mut lab, main, &[9]);
    assert_eq!([0; 3].map(|_| any(&mut lab, main).unwrap().unwrap()), [8, 1, 9]);
}

#[test]
fn it_is_the_parents_thread_whose_end_is_told() {
    let mut lab = Lab::new();
    let main = lab.launch("a");
    let (thread, _) = lab.thread(main);
    let [mains, threads] = [main, thread].map(|task| lab.spawn(task, &[]).unwrap().1);
    for child in [mains, threads] {
        lab.unit(child, &KILL).unwrap();
    }
    let mut by_exec = lab.clone();
    lab.thread_exit(thread, 0);
    by_exec.exec(main);
    for lab in [lab, by_exec] {
        assert_eq!(lab.state(threads), State::Zombie(ExitStatus::Killed));
        assert_eq!(lab.state(mains), State::Running);
    }
}

#[test]
fn what_a_thread_has_asked_for_is_forgotten_with_it() {
    let (mut lab, _, child, _) = family();
    let (thread, _) = lab.thread(child);
    lab.unit(thread, &KILL).unwrap();
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Probe }).unwrap();
    let mut ended = lab.clone();
    lab.kernel.kill(ProcId(0));
    assert_eq!(lab.state(child), State::Dead(ExitStatus::Killed), "the other thread has asked");
    ended.thread_exit(thread, 0);
    ended.kernel.kill(ProcId(0));
    assert_eq!(ended.state(child), State::Running);
}

#[test]
fn a_main_thread_that_has_ended_is_still_told() {
    let (mut lab, _, child, _) = family();
    let (thread, _) = lab.thread(child);
    lab.unit(child, &KILL).unwrap();
    lab.thread_exit(child, 0);
    lab.kernel.kill(ProcId(0));
    assert_eq!(lab.state(thread), State::Dead(ExitStatus::Killed));
}

#[test]
fn a_subreaper_adopts_and_must_wait() {
    let mut lab = Lab::new();
    let reaper = lab.launch("a");
    lab.unit(reaper, &Call::ChildSubreaper { on: true }).unwrap();
    zombies(&mut lab, reaper, &[1]);
    let (_, parent) = lab.spawn(reaper, &[]).unwrap();
    let (_, living) = lab.spawn(parent, &[]).unwrap();
    lab.unit(living, &Call::ParentDeathSignal { signal: Signal::Stop }).unwrap();
    zombies(&mut lab, parent, &[3, 4]);
    lab.exit(parent, 2);
    let (pid, ppid) = (lab.pid(living), lab.pid(reaper));
    let stat = lab.proc_stat(reaper, pid).unwrap();
    assert_eq!((stat.ppid, stat.state), (ppid, ProcState::Stopped));
    zombies(&mut lab, reaper, &[5]);
    assert_eq!([0; 5].map(|_| any(&mut lab, reaper).unwrap().unwrap()), [1, 2, 3, 4, 5]);
    lab.signal(reaper, pid, Signal::Cont).unwrap();
    lab.exit(reaper, 0);
    assert_eq!(lab.state(living), State::Stopped, "it is told each time");
    assert_eq!(lab.kernel.process(lab.kernel.process_of(living)).parent, None);
}

#[test]
fn only_the_nearest_subreaper_adopts_and_only_while_it_is_one() {
    let mut lab = Lab::new();
    let outer = lab.launch("a");
    let (_, inner) = lab.spawn(outer, &[]).unwrap();
    for task in [outer, inner] {
        lab.unit(task, &Call::ChildSubreaper { on: true }).unwrap();
    }
    let (_, parent) = lab.spawn(inner, &[]).unwrap();
    let (_, child) = lab.spawn(parent, &[]).unwrap();
    let mut off = lab.clone();
    off.unit(inner, &Call::ChildSubreaper { on: false }).unwrap();
    for (mut lab, adopter) in [(lab, inner), (off, outer)] {
        lab.exit(parent, 0);
        let pid = lab.pid(adopter);
        assert_eq!(lab.call(child, &Call::Getppid), Ok(Ret::Pid(pid)));
    }
}

#[test]
fn a_child_is_no_subreaper_because_its_parent_is() {
    let mut lab = Lab::new();
    let outer = lab.launch("a");
    lab.unit(outer, &Call::ChildSubreaper { on: true }).unwrap();
    let parent = lab.fork(outer);
    let child = lab.fork(parent);
    let grandchild = lab.fork(child);
    lab.exit(child, 0);
    let pid = lab.pid(outer);
    assert_eq!(lab.call(grandchild, &Call::Getppid), Ok(Ret::Pid(pid)));
}
