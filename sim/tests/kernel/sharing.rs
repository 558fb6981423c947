//! Descriptors that threads share: what one closes while another waits.

use std::time::Duration;

use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::{Call, Direction, Errno, Fd, FlockOp, OpenFlags, Reply, Ret, Shutdown};

use crate::lab::{Lab, write};

use Errno::*;

const SOCKET: &str = "/tmp/socket";

fn pair() -> (Lab, TaskId, TaskId) {
    let mut lab = Lab::new();
    let main = lab.launch("a");
    let (thread, _) = lab.thread(main);
    (lab, main, thread)
}

fn listener(lab: &mut Lab, task: TaskId) -> Fd {
    let fd = lab.fd(task, &Call::Socket).unwrap();
    lab.unit(task, &Call::Bind { fd, path: SOCKET.into() }).unwrap();
    lab.unit(task, &Call::Listen { fd, backlog: 1 }).unwrap();
    fd
}

fn connect(lab: &mut Lab, task: TaskId) -> Result<Fd, Errno> {
    let fd = lab.fd(task, &Call::Socket).unwrap();
    lab.unit(task, &Call::Connect { fd, path: SOCKET.into() }).map(|()| fd)
}

/// Both ends of a connection, within one process.
fn connection(lab: &mut Lab, task: TaskId) -> [Fd; 2] {
    let listener = listener(lab, task);
    let one = connect(lab, task).unwrap();
    let other = lab.fd(task, &Call::Accept { fd: listener }).unwrap();
    lab.close(task, listener).unwrap();
    [one, other]
}

fn recv(fd: Fd) -> Call {
    Call::Recv { fd, len: 9 }
}

fn lock(fd: Fd) -> Call {
    Call::Flock { fd, op: FlockOp::Exclusive }
}

fn stop_and_continue(lab: &mut Lab) {
    lab.kernel.stop(ProcId(0));
    lab.kernel.cont(ProcId(0));
}

fn bytes(text: &str) -> Reply {
    Ok(Ret::Bytes(text.as_bytes().into()))
}

#[test]
fn what_one_thread_opens_the_other_has() {
    let (mut lab, main, thread) = pair();
    let fd = lab.open(thread, "/tmp", OpenFlags::RDONLY).unwrap();
    assert!(lab.fstat(main, fd).is_ok());
    lab.close(main, fd).unwrap();
    assert_eq!(lab.fstat(thread, fd), Err(EBADF));
    lab.open(main, "/tmp", OpenFlags::RDONLY).unwrap();
    lab.thread_exit(thread, 0);
    assert!(lab.fstat(main, fd).is_ok(), "a thread's end closes nothing");
}

#[test]
fn accept_sets_its_number_aside_before_it_waits() {
    let (mut lab, main, thread) = pair();
    let fd = listener(&mut lab, main);
    lab.begin(thread, &Call::Accept { fd });
    assert_eq!(lab.open(main, "/", OpenFlags::RDONLY), Ok(Fd(5)), "4 is set aside");
    assert_eq!(lab.fstat(main, Fd(4)), Err(EBADF));
    assert_eq!(lab.close(main, Fd(4)), Err(EBADF));
    let child = lab.fork(main);
    assert_eq!(lab.open(child, "/", OpenFlags::RDONLY), Ok(Fd(4)), "not in a child");
    connect(&mut lab, child).unwrap();
    assert_eq!(lab.finish(thread), Ok(Ret::Fd(Fd(4))));
    lab.close(main, Fd(4)).unwrap();
    assert_eq!(lab.open(main, "/", OpenFlags::RDONLY), Ok(Fd(4)), "it is as free as any other");
}

#[test]
fn an_accept_that_gives_up_gives_its_number_back() {
    let (mut lab, main, thread) = pair();
    let fd = listener(&mut lab, main);
    let timeout = Some(Duration::from_secs(1));
    lab.unit(main, &Call::SetTimeout { fd, of: Direction::Receive, timeout }).unwrap();
    lab.begin(thread, &Call::Accept { fd });
    let mut stopped = lab.clone();
    lab.kernel.advance_to(Duration::from_secs(1));
    assert_eq!(lab.finish(thread), Err(EAGAIN));
    stop_and_continue(&mut stopped);
    assert_eq!(stopped.finish(thread), Err(EINTR));
    for mut lab in [lab, stopped] {
        assert_eq!(lab.open(main, "/", OpenFlags::RDONLY), Ok(Fd(4)));
    }
}

#[test]
fn after_a_stop_accept_sets_the_lowest_number_aside() {
    let (mut lab, main, thread) = pair();
    let low = lab.open(main, "/", OpenFlags::RDONLY).unwrap();
    let fd = listener(&mut lab, main);
    lab.begin(thread, &Call::Accept { fd });
    stop_and_continue(&mut lab);
    assert!(lab.kernel.is_blocked(thread), "it waits on");
    lab.close(main, low).unwrap();
    stop_and_continue(&mut lab);
    assert!(!lab.kernel.is_blocked(thread), "the call is made once more");
    lab.begin(thread, &Call::Accept { fd });
    assert_eq!(lab.open(main, "/", OpenFlags::RDONLY), Ok(Fd(5)));
    connect(&mut lab, main).unwrap();
    assert_eq!(lab.finish(thread), Ok(Ret::Fd(low)));
}

#[test]
fn a_listener_lives_until_accept_returns() {
    let (mut lab, main, thread) = pair();
    let fd = listener(&mut lab, main);
    lab.begin(thread, &Call::Accept { fd });
    lab.close(main, fd).unwrap();
    assert!(!lab.kernel.ready(thread));
    connect(&mut lab, main).unwrap();
    assert!(lab.finish(thread).is_ok());
    assert_eq!(connect(&mut lab, main), Err(ECONNREFUSED), "now it is gone");
}

#[test]
fn a_connection_lives_until_recv_returns() {
    let (mut lab, main, thread) = pair();
    let [one, other] = connection(&mut lab, main);
    lab.begin(thread, &recv(one));
    lab.close(main, one).unwrap();
    let (second, _) = lab.thread(main);
    lab.begin(second, &recv(other));
    assert!(!lab.kernel.ready(second), "no end yet");
    assert_eq!(lab.write(main, other, "x"), Ok(1));
    assert_eq!(lab.finish(thread), bytes("x"));
    assert_eq!(lab.finish(second), bytes(""));
}

#[test]
fn a_lock_on_a_closed_descriptor_is_let_go_at_once() {
    let (mut lab, main, thread) = pair();
    let create = OpenFlags::RDWR | OpenFlags::CREAT;
    let [mine, other, third] = [0; 3].map(|_| lab.open(main, "/tmp/lock", create).unwrap());
    lab.flock(main, mine, FlockOp::Exclusive).unwrap();
    lab.begin(thread, &lock(other));
    lab.close(main, other).unwrap();
    lab.close(main, mine).unwrap();
    assert_eq!(lab.finish(thread), Ok(Ret::Unit), "it is told that it has it");
    assert_eq!(lab.flock(main, third, FlockOp::TryExclusive), Ok(()));
}

#[test]
fn after_a_stop_a_wait_looks_its_descriptor_up_again() {
    let (mut lab, main, thread) = pair();
    let create = OpenFlags::RDWR | OpenFlags::CREAT;
    let [mine, other] = [0; 2].map(|_| lab.open(main, "/tmp/lock", create).unwrap());
    lab.flock(main, mine, FlockOp::Exclusive).unwrap();
    lab.begin(thread, &lock(other));
    lab.close(main, other).unwrap();
    let mut reused = lab.clone();
    stop_and_continue(&mut lab);
    assert_eq!(lab.finish(thread), Err(EBADF));

    assert_eq!(reused.open(main, "/tmp/lock2", create), Ok(other));
    stop_and_continue(&mut reused);
    assert!(!reused.kernel.is_blocked(thread), "the call is made once more");
    assert_eq!(reused.unit(thread, &lock(other)), Ok(()), "on what the number stands for now");
}

#[test]
fn a_stop_lets_go_of_what_was_closed() {
    let (mut lab, main, thread) = pair();
    let [one, other] = connection(&mut lab, main);
    let mut timed = lab.clone();
    lab.begin(thread, &recv(one));
    let timeout = Some(Duration::from_secs(9));
    timed.unit(main, &Call::SetTimeout { fd: one, of: Direction::Receive, timeout }).unwrap();
    timed.begin(thread, &recv(one));
    for (mut lab, errno) in [(lab, EBADF), (timed, EINTR)] {
        lab.close(main, one).unwrap();
        stop_and_continue(&mut lab);
        assert_eq!(lab.call(main, &recv(other)), bytes(""), "before the call returns");
        assert_eq!(lab.finish(thread), Err(errno));
    }
}

#[test]
fn a_call_that_begins_again_has_the_time_out_that_there_is_then() {
    let (mut lab, main, thread) = pair();
    let fd = listener(&mut lab, main);
    lab.begin(thread, &Call::Accept { fd });
    let timeout = Some(Duration::from_secs(2));
    lab.unit(main, &Call::SetTimeout { fd, of: Direction::Receive, timeout }).unwrap();
    assert_eq!(lab.kernel.next_timer(), None, "it has begun without one");
    stop_and_continue(&mut lab);
    assert_eq!(lab.kernel.next_timer(), timeout);
    lab.kernel.advance_to(Duration::from_secs(2));
    assert_eq!(lab.finish(thread), Err(EAGAIN));
}

#[test]
fn poll_looks_its_numbers_up_after_the_wait() {
    let (mut lab, main, thread) = pair();
    let [one, other] = connection(&mut lab, main);
    let poll = |timeout| Call::Poll { fds: [one].into(), timeout };
    let timeout = Some(Duration::from_secs(1));
    lab.begin(thread, &poll(timeout));
    lab.close(main, one).unwrap();
    assert!(!lab.kernel.ready(thread), "a close wakes nobody");
    let [mut late, mut reused, mut stopped] = [0; 3].map(|_| lab.clone());
    lab.write(main, other, "x").unwrap();
    assert_eq!(lab.finish(thread), Err(EBADF));
    assert_eq!(lab.call(main, &recv(other)), Err(ECONNRESET), "x was not read");
    late.kernel.advance_to(Duration::from_secs(1));
    assert_eq!(late.finish(thread), Err(EBADF));
    stop_and_continue(&mut stopped);
    assert_eq!(stopped.finish(thread), Err(EBADF));

    let opened = [0; 2].map(|_| reused.open(main, "/", OpenFlags::RDONLY).unwrap());
    assert_eq!(opened[1], one);
    assert!(!reused.kernel.ready(thread), "it waits for what the number stood for");
    reused.call(main, &write(other, b"x")).unwrap();
    assert_eq!(reused.finish(thread), Ok(Ret::Ready([one].into())));
}

#[test]
fn a_shutdown_wakes_a_poll_though_there_is_nothing_to_read() {
    let (mut lab, main, thread) = pair();
    let [one, other] = connection(&mut lab, main);
    lab.begin(thread, &Call::Poll { fds: [one].into(), timeout: None });
    let shutdown = Call::Shutdown { fd: other, how: Shutdown::Read };
    let mut unchanged = lab.clone();
    unchanged.unit(main, &shutdown).unwrap();
    assert!(!unchanged.kernel.ready(thread));

    lab.close(main, one).unwrap();
    let mut reused = lab.clone();
    lab.unit(main, &shutdown).unwrap();
    assert_eq!(lab.finish(thread), Err(EBADF));

    let opened = [0; 2].map(|_| reused.open(main, "/", OpenFlags::RDONLY).unwrap());
    assert_eq!(opened[1], one);
    reused.unit(main, &shutdown).unwrap();
    assert_eq!(reused.finish(thread), Ok(Ret::Ready([one].into())));
}

#[test]
fn a_thread_whose_process_ends_holds_nothing() {
    let (mut lab, main, thread) = pair();
    let outside = lab.launch("b");
    let fd = listener(&mut lab, main);
    lab.begin(thread, &Call::Accept { fd });
    lab.close(main, fd).unwrap();
    lab.exit(main, 0);
    assert_eq!(lab.kernel.open_sockets(), 0);
    assert_eq!(connect(&mut lab, outside), Err(ECONNREFUSED));
}
