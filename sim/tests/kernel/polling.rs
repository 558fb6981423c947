//! `poll`, for reading.

use std::time::Duration;

use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::{Call, Errno, Fd, OpenFlags, Ret, Shutdown};

use crate::lab::open;
use crate::wire::{Wire, bind, shutdown};

const SECOND: Duration = Duration::from_secs(1);

fn poll(fds: &[Fd], timeout: Option<Duration>) -> Call {
    Call::Poll { fds: fds.into(), timeout }
}

/// Which of `fds` can be read now.
fn ready(wire: &mut Wire, task: TaskId, fds: &[Fd]) -> Vec<Fd> {
    match wire.lab.call(task, &poll(fds, Some(Duration::ZERO))) {
        Ok(Ret::Ready(ready)) => ready.to_vec(),
        other => panic!("poll gave {other:?}"),
    }
}

fn is_ready(wire: &mut Wire, task: TaskId, fd: Fd) -> bool {
    ready(wire, task, &[fd]) == [fd]
}

#[test]
fn a_socket_is_ready_when_receiving_would_not_wait() {
    let mut wire = Wire::new(2);
    let (server, client, listener) = (wire.server, wire.client, wire.listener);
    let fresh = wire.socket();
    assert!(is_ready(&mut wire, client, fresh), "it would fail: Linux says POLLHUP");
    assert!(!is_ready(&mut wire, server, listener));
    let near = wire.connected();
    assert!(is_ready(&mut wire, server, listener));
    let far = wire.accept();
    assert!(!is_ready(&mut wire, server, listener));
    assert!(!is_ready(&mut wire, server, far));
    wire.send(client, near, "a").unwrap();
    assert!(is_ready(&mut wire, server, far));
    wire.recv(server, far, 1).unwrap();
    assert!(!is_ready(&mut wire, server, far));
    wire.lab.unit(client, &shutdown(near, Shutdown::Write)).unwrap();
    assert!(is_ready(&mut wire, server, far), "the end of the stream");
    assert!(!is_ready(&mut wire, client, near));
    wire.lab.close(server, far).unwrap();
    assert!(is_ready(&mut wire, client, near));
    wire.lab.unit(server, &shutdown(listener, Shutdown::Read)).unwrap();
    assert!(is_ready(&mut wire, server, listener));
}

#[test]
fn files_are_always_ready_and_live_processes_never() {
    let mut wire = Wire::new(1);
    let client = wire.client;
    let pid = wire.lab.pid(wire.server);
    let write = OpenFlags::WRONLY | OpenFlags::CREAT;
    let file = wire.lab.fd(client, &open("/tmp/f", write)).unwrap();
    let directory = wire.lab.fd(client, &open("/tmp", OpenFlags::RDONLY)).unwrap();
    let process = wire.lab.fd(client, &Call::PidfdOpen { pid }).unwrap();
    let init = wire.lab.fd(client, &Call::PidfdOpen { pid: locklab_sys::Pid(1) }).unwrap();
    let all = [process, directory, init, file, directory];
    assert_eq!(ready(&mut wire, client, &all), [directory, file], "in order, each once");
    wire.lab.kernel.stop(ProcId(0));
    assert_eq!(ready(&mut wire, client, &[process, init]), []);
    wire.lab.kernel.kill(ProcId(0));
    assert_eq!(ready(&mut wire, client, &all), [process, directory, file]);
    wire.lab.kernel.reuse_pid(ProcId(0), "stranger".into());
    assert_eq!(ready(&mut wire, client, &[process]), [process], "it is of the dead one");
}

#[test]
fn poll_waits_for_an_end() {
    let mut wire = Wire::new(1);
    let (_, child) = wire.lab.spawn(wire.client, &[]).unwrap();
    let pid = wire.lab.pid(child);
    let fd = wire.lab.fd(wire.client, &Call::PidfdOpen { pid }).unwrap();
    wire.lab.begin(wire.client, &poll(&[fd], None));
    assert_eq!(wire.lab.kernel.next_timer(), None);
    assert!(!wire.lab.kernel.ready(wire.client));
    wire.lab.exit(child, 0);
    let proc = wire.lab.kernel.process_of(child);
    assert!(!wire.lab.kernel.pid_is_free(proc), "a zombie has ended");
    assert_eq!(wire.finish(wire.client), Ok(Ret::Ready([fd].into())));
}

#[test]
fn poll_ends_at_its_deadline() {
    let mut wire = Wire::new(1);
    let (server, listener) = (wire.server, wire.listener);
    wire.lab.begin(server, &poll(&[listener], Some(2 * SECOND)));
    assert_eq!(wire.lab.kernel.next_timer(), Some(2 * SECOND));
    wire.pass(2);
    assert_eq!(wire.finish(server), Ok(Ret::Ready([].into())));
    wire.lab.begin(server, &poll(&[], Some(SECOND)));
    wire.pass(1);
    assert_eq!(wire.finish(server), Ok(Ret::Ready([].into())));
    wire.lab.begin(server, &poll(&[listener], Some(SECOND)));
    wire.pass(1);
    wire.connected();
    assert_eq!(wire.finish(server), Ok(Ret::Ready([listener].into())), "seen even then");
}

#[test]
fn poll_of_nothing_waits_for_ever() {
    let mut wire = Wire::new(1);
    wire.lab.begin(wire.server, &poll(&[], None));
    assert_eq!(wire.lab.kernel.next_timer(), None);
    wire.pass(1000);
    assert!(!wire.lab.kernel.ready(wire.server));
}

#[test]
fn a_bad_descriptor_cannot_be_polled() {
    let mut wire = Wire::new(1);
    let call = poll(&[wire.listener, Fd(9)], None);
    assert_eq!(wire.lab.call(wire.server, &call), Err(Errno::EBADF));
}

#[test]
fn a_stop_does_not_end_a_poll() {
    let mut wire = Wire::new(1);
    let (server, listener) = (wire.server, wire.listener);
    wire.lab.begin(server, &poll(&[listener], Some(2 * SECOND)));
    wire.pass(1);
    wire.lab.kernel.stop(ProcId(0));
    wire.lab.kernel.cont(ProcId(0));
    assert!(!wire.lab.kernel.ready(server));
    assert_eq!(wire.lab.kernel.next_timer(), Some(2 * SECOND));
}

#[test]
fn a_bound_socket_that_does_not_listen_is_ready() {
    let mut wire = Wire::new(1);
    let fd = wire.socket();
    wire.lab.unit(wire.client, &bind(fd, "/tmp/c")).unwrap();
    let client = wire.client;
    assert!(is_ready(&mut wire, client, fd));
}
