//! What a child inherits, and what exec leaves.

use locklab_sim::kernel::{Effect, ProcId, State, TaskId};
use locklab_sys::{Call, Errno, ExitStatus, Fd, FlockOp, OpenFlags, Pid, ProcState, Ret, Signal};

use crate::lab::{Lab, family, open};

use Errno::*;

const CREATE: OpenFlags = OpenFlags::CREAT;

fn lab() -> (Lab, TaskId) {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    (lab, task)
}

fn close_on_exec(lab: &mut Lab, task: TaskId, fd: Fd) -> Result<bool, Errno> {
    lab.call(task, &Call::GetCloseOnExec { fd }).map(|ret| match ret {
        Ret::CloseOnExec(on) => on,
        other => panic!("F_GETFD gave {other:?}"),
    })
}

fn rdwr(flags: OpenFlags) -> OpenFlags {
    OpenFlags::RDWR | CREATE | flags
}

#[test]
fn descriptors_are_open_over_exec_unless_told_otherwise() {
    let (mut lab, a) = lab();
    let plain = lab.open(a, "/tmp/f", rdwr(CREATE)).unwrap();
    let marked = lab.open(a, "/tmp/f", rdwr(OpenFlags::CLOEXEC)).unwrap();
    let socket = lab.fd(a, &Call::Socket).unwrap();
    let pidfd = lab.fd(a, &Call::PidfdOpen { pid: Pid(1000) }).unwrap();
    let flags = [plain, marked, socket, pidfd].map(|fd| close_on_exec(&mut lab, a, fd));
    assert_eq!(flags, [Ok(false), Ok(true), Ok(false), Ok(true)]);
    assert_eq!(close_on_exec(&mut lab, a, Fd(9)), Err(EBADF));
    assert_eq!(lab.unit(a, &Call::SetCloseOnExec { fd: Fd(9), on: true }), Err(EBADF));
    lab.unit(a, &Call::SetCloseOnExec { fd: socket, on: true }).unwrap();
    lab.unit(a, &Call::SetCloseOnExec { fd: pidfd, on: false }).unwrap();
    lab.exec(a);
    let open = [plain, marked, socket, pidfd].map(|fd| lab.fstat(a, fd).is_ok());
    assert_eq!(open, [true, false, false, true]);
    assert_eq!(lab.kernel.open_sockets(), 0);
}

#[test]
fn fork_inherits_every_descriptor_with_its_flag() {
    let (mut lab, a) = lab();
    lab.put(a, "/tmp/f", "abc");
    let plain = lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    let marked = lab.open(a, "/tmp/f", OpenFlags::RDONLY | OpenFlags::CLOEXEC).unwrap();
    let child = lab.fork(a);
    assert_eq!(close_on_exec(&mut lab, child, plain), Ok(false));
    assert_eq!(close_on_exec(&mut lab, child, marked), Ok(true));
    lab.unit(child, &Call::SetCloseOnExec { fd: marked, on: false }).unwrap();
    assert_eq!(close_on_exec(&mut lab, a, marked), Ok(true), "the flag is the descriptor's");
    assert_eq!(lab.read(child, plain, 2).unwrap(), "ab");
    assert_eq!(lab.read(a, plain, 2).unwrap(), "c", "the offset is the description's");
    assert_eq!(lab.kernel.process(lab.kernel.process_of(child)).name, "a/child.1");
}

#[test]
fn a_lock_leaks_into_a_child_that_nobody_thought_of() {
    for (flags, leaks) in [(CREATE, true), (OpenFlags::CLOEXEC, false)] {
        let (mut lab, a) = lab();
        let other = lab.launch("b");
        let fd = lab.open(a, "/tmp/lock", rdwr(flags)).unwrap();
        lab.flock(a, fd, FlockOp::Exclusive).unwrap();
        let child = lab.fork(a);
        lab.exec(child);
        lab.close(a, fd).unwrap();
        let mine = lab.open(other, "/tmp/lock", OpenFlags::RDWR).unwrap();
        let got = lab.flock(other, mine, FlockOp::TryExclusive);
        assert_eq!(got, if leaks { Err(EAGAIN) } else { Ok(()) });
        lab.exit(child, 0);
        assert_eq!(lab.flock(other, mine, FlockOp::TryExclusive), Ok(()));
    }
}

#[test]
fn exec_keeps_who_a_process_is() {
    let (mut lab, parent, child, pid) = family();
    let before = lab.proc_stat(parent, pid).unwrap();
    let pidfd = lab.fd(parent, &Call::PidfdOpen { pid }).unwrap();
    let fd = lab.open(child, "/tmp/lock", rdwr(CREATE)).unwrap();
    lab.flock(child, fd, FlockOp::Exclusive).unwrap();
    lab.unit(child, &Call::CellWrite { cell: "x".into(), value: 1 }).unwrap();
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
    lab.kernel.advance_to(std::time::Duration::from_secs(1));
    lab.exec(child);
    assert_eq!(lab.call(child, &Call::Getpid), Ok(Ret::Pid(pid)));
    assert_eq!(lab.proc_stat(parent, pid).unwrap(), before);
    assert_eq!(lab.call(child, &Call::CellRead { cell: "x".into() }), Ok(Ret::Cell(0)));
    let mine = lab.open(parent, "/tmp/lock", OpenFlags::RDWR).unwrap();
    assert_eq!(lab.flock(parent, mine, FlockOp::TryExclusive), Err(EAGAIN), "the lock stays");
    let now = Call::Poll { fds: [pidfd].into(), timeout: Some(Default::default()) };
    assert_eq!(lab.call(parent, &now), Ok(Ret::Ready([].into())));
    lab.exit(parent, 0);
    assert_eq!(lab.state(child), State::Dead(ExitStatus::Killed), "it is still told");
}

#[test]
fn a_thread_that_calls_exec_becomes_the_main_one() {
    let (mut lab, parent, main, pid) = family();
    lab.kernel.advance_to(std::time::Duration::from_secs(1));
    let (thread, tid) = lab.thread(main);
    let (third, _) = lab.thread(main);
    let start = lab.proc_stat(parent, pid).unwrap().start_ticks;
    lab.begin(main, &Call::Join { tid });
    let proc = lab.kernel.process_of(main);
    lab.kernel.clear_effects();
    lab.exec(thread);
    let ended = [main, third].map(|task| Effect::ThreadEnded { proc, task });
    assert_eq!(lab.kernel.effects(), ended);
    assert_eq!(lab.call(thread, &Call::Gettid), Ok(Ret::Pid(pid)));
    assert_eq!(lab.proc_stat(parent, tid), Err(ENOENT));
    assert_eq!(lab.proc_stat(parent, pid).unwrap().start_ticks, start);
    assert!(lab.kernel.is_main(thread) && !lab.kernel.is_main(main));
    assert_eq!(lab.kernel.task_name(thread), "a/child.1");
    let (fourth, _) = lab.thread(thread);
    assert_eq!(lab.kernel.task_name(fourth), "a/child.1#4", "no name comes back");
    lab.thread_exit(fourth, 0);
    lab.thread_exit(thread, 4);
    assert_eq!(lab.call(parent, &Call::Wait { pid }), Ok(Ret::Exited(ExitStatus::Code(4))));
}

#[test]
fn exec_brings_a_process_back_whose_main_thread_had_ended() {
    let (mut lab, parent, main, pid) = family();
    let (thread, _) = lab.thread(main);
    lab.thread_exit(main, 3);
    assert_eq!(lab.proc_stat(parent, pid).unwrap().state, ProcState::Zombie);
    lab.exec(thread);
    assert_eq!(lab.proc_stat(parent, pid).unwrap().state, ProcState::Running);
    assert_eq!(lab.call(thread, &Call::Gettid), Ok(Ret::Pid(pid)));
}

#[test]
fn what_the_main_thread_asked_for_is_forgotten_when_another_calls_exec() {
    let (mut lab, parent, main, _) = family();
    lab.unit(main, &Call::ParentDeathSignal { signal: Signal::Kill }).unwrap();
    let (thread, _) = lab.thread(main);
    lab.exec(thread);
    lab.kernel.kill(ProcId(0));
    assert_eq!(lab.state(thread), State::Running);
    assert!(lab.kernel.has_ended(parent));
}

#[test]
fn exec_ends_the_waits_of_other_threads() {
    let (mut lab, a) = lab();
    let (thread, _) = lab.thread(a);
    let [mine, other] = [0, 1].map(|_| lab.open(a, "/tmp/f", rdwr(OpenFlags::CLOEXEC)).unwrap());
    lab.flock(a, mine, FlockOp::Exclusive).unwrap();
    lab.begin(thread, &Call::Flock { fd: other, op: FlockOp::Exclusive });
    lab.exec(a);
    assert!(lab.kernel.has_ended(thread) && !lab.kernel.is_blocked(thread));
    let again = lab.fd(a, &open("/tmp/f", OpenFlags::RDONLY)).unwrap();
    assert_eq!(lab.flock(a, again, FlockOp::TryExclusive), Ok(()), "nobody has it any more");
}
