//! Waiting to connect and to accept, as a Linux 6.18 has it.

use locklab_sys::{Call, Direction, Errno, Fd, Ret, Shutdown};

use crate::lab::{rename, unlink};
use crate::wire::{Wire, bind, connect, listen, recv, shutdown, timeout};

use Errno::*;

#[test]
fn accept_waits_for_a_connection() {
    let mut wire = Wire::new(1);
    let accept = Call::Accept { fd: wire.listener };
    wire.lab.begin(wire.server, &accept);
    assert_eq!(wire.lab.kernel.next_timer(), None);
    assert!(!wire.lab.kernel.ready(wire.server));
    wire.connected();
    assert_eq!(wire.finish(wire.server), Ok(Ret::Fd(Fd(4))));

    wire.lab.unit(wire.server, &timeout(wire.listener, Direction::Receive, 2)).unwrap();
    wire.lab.begin(wire.server, &accept);
    wire.pass(2);
    assert_eq!(wire.finish(wire.server), Err(EAGAIN));
    wire.lab.begin(wire.server, &accept);
    wire.pass(2);
    wire.connected();
    assert_eq!(wire.finish(wire.server), Ok(Ret::Fd(Fd(5))), "who comes at the deadline is let in");
    wire.lab.begin(wire.server, &recv(Fd(5), 1));
    assert_eq!(wire.lab.kernel.next_timer(), None, "a new socket has no time-outs");
}

#[test]
fn a_waiting_accept_ends_with_a_shutdown() {
    let mut wire = Wire::new(1);
    let (_, child) = wire.lab.spawn(wire.server, &[wire.listener]).unwrap();
    wire.lab.begin(wire.server, &Call::Accept { fd: wire.listener });
    wire.lab.unit(child, &shutdown(wire.listener, Shutdown::Read)).unwrap();
    assert_eq!(wire.finish(wire.server), Err(EINVAL));
}

#[test]
fn of_two_who_accept_one_is_served() {
    let mut wire = Wire::new(1);
    let (_, child) = wire.lab.spawn(wire.server, &[wire.listener]).unwrap();
    for task in [wire.server, child] {
        wire.lab.begin(task, &Call::Accept { fd: wire.listener });
    }
    wire.connected();
    assert!(wire.lab.kernel.ready(wire.server) && wire.lab.kernel.ready(child));
    assert_eq!(wire.finish(child), Ok(Ret::Fd(Fd(4))));
    assert!(!wire.lab.kernel.ready(wire.server));
}

#[test]
fn one_more_than_the_backlog_may_wait() {
    for backlog in [0, 1, 3] {
        let mut wire = Wire::new(backlog);
        for _ in 0..=backlog {
            wire.connected();
        }
        let fd = wire.socket();
        wire.lab.begin(wire.client, &connect(fd, "/tmp/s"));
        assert!(!wire.lab.kernel.ready(wire.client));
        wire.accept();
        assert_eq!(wire.finish(wire.client), Ok(Ret::Unit));
    }
}

#[test]
fn who_was_woken_and_finds_no_room_waits_again() {
    let mut wire = Wire::new(1);
    wire.connected();
    wire.connected();
    let first = wire.client;
    let second = wire.lab.fork(first);
    for task in [first, second] {
        let fd = wire.lab.fd(task, &Call::Socket).unwrap();
        wire.lab.begin(task, &connect(fd, "/tmp/s"));
    }
    wire.client = wire.lab.launch("newcomer");
    wire.accept();
    wire.accept();
    wire.connected();
    assert!(wire.lab.kernel.ready(first) && wire.lab.kernel.ready(second));
    assert_eq!(wire.finish(second), Ok(Ret::Unit));
    assert!(!wire.lab.kernel.ready(first));
    wire.accept();
    assert_eq!(wire.finish(first), Ok(Ret::Unit));
}

/// A wire whose client waits to connect.
fn crowded(seconds: Option<u64>) -> Wire {
    let mut wire = Wire::new(0);
    wire.connected();
    let fd = wire.socket();
    if let Some(seconds) = seconds {
        wire.lab.unit(wire.client, &timeout(fd, Direction::Send, seconds)).unwrap();
    }
    wire.lab.begin(wire.client, &connect(fd, "/tmp/s"));
    wire
}

/// Another listener, where the path leads from now on.
fn rebound(wire: &mut Wire) -> Fd {
    wire.lab.unit(wire.server, &rename("/tmp/s", "/tmp/old")).unwrap();
    let other = wire.lab.fd(wire.server, &Call::Socket).unwrap();
    wire.lab.unit(wire.server, &bind(other, "/tmp/s")).unwrap();
    wire.lab.unit(wire.server, &listen(other, 9)).unwrap();
    other
}

#[test]
fn a_waiting_connect_ends_as_in_linux() {
    let mut wire = crowded(Some(2));
    assert_eq!(wire.lab.kernel.next_timer().map(|at| at.as_secs()), Some(2));
    wire.pass(2);
    assert_eq!(wire.finish(wire.client), Err(EAGAIN));

    let mut wire = crowded(None);
    wire.lab.unit(wire.server, &listen(wire.listener, 5)).unwrap();
    assert_eq!(wire.finish(wire.client), Ok(Ret::Unit), "the backlog has grown");

    let mut wire = crowded(None);
    wire.lab.close(wire.server, wire.listener).unwrap();
    assert_eq!(wire.finish(wire.client), Err(ECONNREFUSED));

    let mut wire = crowded(None);
    wire.lab.unit(wire.server, &shutdown(wire.listener, Shutdown::Read)).unwrap();
    assert!(!wire.lab.kernel.ready(wire.client), "a shutdown wakes nobody");
    wire.accept();
    assert_eq!(wire.finish(wire.client), Err(ECONNREFUSED));

    let mut wire = crowded(None);
    wire.lab.unit(wire.server, &unlink("/tmp/s")).unwrap();
    assert!(!wire.lab.kernel.ready(wire.client));
    wire.accept();
    assert_eq!(wire.finish(wire.client), Err(ENOENT), "the path is looked up again");
}

#[test]
fn a_waiting_connect_is_woken_by_the_listener_it_found() {
    let mut wire = crowded(None);
    let other = rebound(&mut wire);
    assert!(!wire.lab.kernel.ready(wire.client), "the new one has room, but nobody tells");
    wire.accept();
    assert_eq!(wire.finish(wire.client), Ok(Ret::Unit));
    wire.lab.fd(wire.server, &Call::Accept { fd: other }).unwrap();

    let mut wire = crowded(None);
    rebound(&mut wire);
    wire.lab.close(wire.server, wire.listener).unwrap();
    assert_eq!(wire.finish(wire.client), Ok(Ret::Unit));

    // The number of the listener that is gone is another's now.
    let mut wire = crowded(None);
    wire.lab.close(wire.server, wire.listener).unwrap();
    wire.lab.unit(wire.server, &unlink("/tmp/s")).unwrap();
    wire.lab.fd(wire.server, &Call::Socket).unwrap();
    assert_eq!(wire.finish(wire.client), Err(ENOENT));
}

#[test]
fn a_connect_to_a_full_listener_waits_before_it_looks_at_its_socket() {
    let mut wire = Wire::new(0);
    let fd = wire.connected();
    wire.lab.begin(wire.client, &connect(fd, "/tmp/s"));
    wire.accept();
    assert_eq!(wire.finish(wire.client), Err(EISCONN));
}

#[test]
fn an_accept_wakes_one_whatever_that_one_makes_of_it() {
    let mut wire = Wire::new(0);
    let client = wire.client;
    let other = wire.lab.launch("other");
    let connected = wire.connected();
    let fresh = wire.lab.fd(other, &Call::Socket).unwrap();
    wire.lab.begin(client, &connect(connected, "/tmp/s"));
    wire.lab.begin(other, &connect(fresh, "/tmp/s"));
    wire.accept();
    assert!(wire.lab.kernel.ready(client) && wire.lab.kernel.ready(other), "either may be it");
    assert_eq!(wire.finish(client), Err(EISCONN));
    assert!(!wire.lab.kernel.ready(other), "though there is room");
    let third = wire.connected();
    assert_ne!(third, connected);
    wire.accept();
    assert_eq!(wire.finish(other), Ok(Ret::Unit));
}

#[test]
fn a_connect_that_a_stop_has_ended_begins_again_and_waits_to_be_woken() {
    let mut wire = Wire::new(0);
    let client = wire.client;
    let other = wire.lab.launch("other");
    let proc = wire.lab.kernel.process_of(other);
    let connected = wire.connected();
    let fresh = wire.lab.fd(other, &Call::Socket).unwrap();
    wire.lab.begin(client, &connect(connected, "/tmp/s"));
    wire.lab.begin(other, &connect(fresh, "/tmp/s"));
    wire.lab.kernel.stop(proc);
    let mut later = wire.lab.clone();

    wire.lab.kernel.cont(proc);
    wire.accept();
    assert_eq!(wire.finish(client), Err(EISCONN));
    assert!(!wire.lab.kernel.ready(other), "though there is room");

    later.call(wire.server, &Call::Accept { fd: wire.listener }).unwrap();
    assert_eq!(later.finish(client), Err(EISCONN), "nobody else is there to be woken");
    later.kernel.cont(proc);
    assert_eq!(later.finish(other), Ok(Ret::Unit), "it finds room");
}

#[test]
fn a_longer_backlog_wakes_all_who_wait() {
    let mut wire = Wire::new(0);
    let (client, server, listener) = (wire.client, wire.server, wire.listener);
    let connected = wire.connected();
    let other = wire.lab.launch("other");
    let fresh = wire.lab.fd(other, &Call::Socket).unwrap();
    wire.lab.begin(client, &connect(connected, "/tmp/s"));
    wire.lab.begin(other, &connect(fresh, "/tmp/s"));
    wire.lab.unit(server, &listen(listener, 1)).unwrap();
    assert_eq!(wire.finish(client), Err(EISCONN));
    assert_eq!(wire.finish(other), Ok(Ret::Unit));
}
