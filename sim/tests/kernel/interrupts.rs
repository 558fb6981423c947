//! Which waits a stop ends: signal(7), "Interruption of system calls and
//! library functions by stop signals".

use std::time::Duration;

use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::{Call, Direction, Errno, Fd, FlockOp, OpenFlags, Ret, Signal};

use crate::wire::{FULL, Wire, bind, connect, listen, recv, send, text, timeout};

use Errno::*;

const SERVER: ProcId = ProcId(0);
const CLIENT: ProcId = ProcId(1);

/// The calls on sockets that wait, each with its task and the socket whose
/// time-out bounds it.
fn waits() -> (Wire, Vec<(TaskId, Fd, Direction, Call)>) {
    let mut wire = Wire::new(0);
    let (near, far) = wire.pair();
    wire.send(wire.client, near, &"x".repeat(FULL)).unwrap();
    wire.connected();
    let fresh = wire.socket();
    let (server, client, listener) = (wire.server, wire.client, wire.listener);
    let full = connect(fresh, "/tmp/s");
    let lonely = wire.lab.fd(server, &Call::Socket).unwrap();
    wire.lab.unit(server, &bind(lonely, "/tmp/lonely")).unwrap();
    wire.lab.unit(server, &listen(lonely, 1)).unwrap();
    assert_ne!((listener, far), (lonely, near));
    let calls = vec![
        (client, near, Direction::Receive, recv(near, 9)),
        (client, near, Direction::Receive, Call::Read { fd: near, len: 9 }),
        (client, near, Direction::Send, send(near, b"a")),
        (client, near, Direction::Send, Call::Write { fd: near, data: (*b"a").into() }),
        (client, fresh, Direction::Send, full),
        (server, lonely, Direction::Receive, Call::Accept { fd: lonely }),
    ];
    (wire, calls)
}

fn stop_and_continue(wire: &mut Wire, task: TaskId) {
    let proc = wire.lab.kernel.process_of(task);
    wire.lab.kernel.stop(proc);
    wire.lab.kernel.cont(proc);
}

#[test]
fn a_stop_ends_waits_on_sockets_that_have_a_time_out() {
    let (wire, calls) = waits();
    for (task, fd, of, call) in calls {
        let mut wire = Wire { lab: wire.lab.clone(), ..wire };
        wire.lab.unit(task, &timeout(fd, of, 9)).unwrap();
        wire.lab.begin(task, &call);
        stop_and_continue(&mut wire, task);
        assert_eq!(wire.lab.kernel.next_timer(), None, "{call}");
        assert_eq!(wire.finish(task), Err(EINTR), "{call}");
    }
}

#[test]
fn without_a_time_out_or_with_the_other_one_they_go_on() {
    let (wire, calls) = waits();
    for (task, fd, of, call) in calls {
        let mut wire = Wire { lab: wire.lab.clone(), ..wire };
        let other = match of {
            Direction::Receive => Direction::Send,
            Direction::Send => Direction::Receive,
        };
        wire.lab.unit(task, &timeout(fd, other, 9)).unwrap();
        wire.lab.begin(task, &call);
        stop_and_continue(&mut wire, task);
        assert!(!wire.lab.kernel.ready(task), "{call}");
    }
}

#[test]
fn what_comes_after_the_stop_stays_queued() {
    let mut wire = Wire::new(1);
    let (near, far) = wire.pair();
    wire.lab.unit(wire.server, &timeout(far, Direction::Receive, 9)).unwrap();
    wire.lab.begin(wire.server, &recv(far, 9));
    let pid = wire.lab.pid(wire.server);
    wire.lab.signal(wire.client, pid, Signal::Stop).unwrap();
    wire.send(wire.client, near, "abc").unwrap();
    wire.lab.signal(wire.client, pid, Signal::Cont).unwrap();
    assert_eq!(wire.finish(wire.server), Err(EINTR));
    assert_eq!(wire.recv(wire.server, far, 9).unwrap(), "abc");
}

#[test]
fn who_was_woken_and_has_not_run_yet_is_told_of_the_stop_by_a_receive() {
    let mut wire = Wire::new(1);
    let (near, far) = wire.pair();
    wire.lab.unit(wire.server, &timeout(far, Direction::Receive, 9)).unwrap();
    wire.lab.begin(wire.server, &recv(far, 9));
    wire.send(wire.client, near, "abc").unwrap();
    stop_and_continue(&mut wire, TaskId(0));
    assert_eq!(wire.finish(wire.server), Err(EINTR));
    assert_eq!(wire.lab.call(wire.server, &recv(far, 9)), text("abc"), "it is still there");
    wire.lab.begin(wire.server, &recv(far, 9));
    wire.pass(9);
    stop_and_continue(&mut wire, TaskId(0));
    assert_eq!(wire.finish(wire.server), Err(EINTR), "though its time was up");
}

#[test]
fn who_was_woken_and_has_not_run_yet_is_not_told_of_it_by_an_accept() {
    let mut wire = Wire::new(1);
    let listener = wire.listener;
    wire.lab.unit(wire.server, &timeout(listener, Direction::Receive, 9)).unwrap();
    wire.lab.begin(wire.server, &Call::Accept { fd: listener });
    wire.connected();
    stop_and_continue(&mut wire, TaskId(0));
    assert!(matches!(wire.finish(wire.server), Ok(Ret::Fd(_))));
}

#[test]
fn only_a_stop_interrupts() {
    let mut wire = Wire::new(1);
    let (_, far) = wire.pair();
    wire.lab.unit(wire.server, &timeout(far, Direction::Receive, 9)).unwrap();
    wire.lab.begin(wire.server, &recv(far, 9));
    wire.lab.kernel.cont(SERVER);
    wire.lab.kernel.stop(CLIENT);
    assert!(!wire.lab.kernel.ready(wire.server));
}

#[test]
fn a_continued_connect_looks_its_path_up_again() {
    let mut wire = Wire::new(0);
    wire.connected();
    let fd = wire.socket();
    wire.lab.begin(wire.client, &connect(fd, "/tmp/s"));
    wire.lab.unit(wire.server, &crate::lab::rename("/tmp/s", "/tmp/old")).unwrap();
    let other = wire.lab.fd(wire.server, &Call::Socket).unwrap();
    wire.lab.unit(wire.server, &bind(other, "/tmp/s")).unwrap();
    wire.lab.unit(wire.server, &listen(other, 1)).unwrap();
    assert!(!wire.lab.kernel.ready(wire.client));
    stop_and_continue(&mut wire, TaskId(1));
    assert_eq!(wire.finish(wire.client), Ok(Ret::Unit));
}

#[test]
fn other_waits_are_unharmed() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let locks = [server, client].map(|task| wire.lab.open(task, "/tmp", OpenFlags::RDONLY));
    let [Ok(held), Ok(wanted)] = locks else { panic!("/tmp is there") };
    wire.lab.flock(server, held, FlockOp::Exclusive).unwrap();
    let (_, child) = wire.lab.spawn(client, &[]).unwrap();
    let second = Duration::from_secs(1);
    for call in [
        Call::Nanosleep { duration: second },
        Call::Flock { fd: wanted, op: FlockOp::Exclusive },
        Call::Wait { pid: wire.lab.pid(child) },
        Call::Poll { fds: [].into(), timeout: Some(second) },
    ] {
        let mut wire = Wire { lab: wire.lab.clone(), ..wire };
        wire.lab.begin(client, &call);
        let before = wire.lab.kernel.clone();
        stop_and_continue(&mut wire, client);
        assert!(wire.lab.kernel == before, "{call}");
    }
}
