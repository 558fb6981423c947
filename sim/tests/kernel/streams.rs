//! Bytes through a connection, as a Linux 6.18 has it.

use locklab_sim::kernel::ProcId;
use locklab_sys::{Call, Direction, Errno, Fd, Ret, Shutdown};

use crate::wire::{FULL, Wire, connect, recv, send, shutdown, text, timeout};

use Errno::*;

#[test]
fn bytes_come_in_order_whatever_messages_they_were_sent_in() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let near = wire.connected();
    assert_eq!(wire.send(client, near, "abc"), Ok(3), "before it is accepted");
    let far = wire.accept();
    assert_eq!(wire.lab.write(client, near, "def"), Ok(3));
    assert_eq!(wire.recv(server, far, 2).unwrap(), "ab");
    assert_eq!(wire.lab.read(server, far, 3).unwrap(), "cde");
    assert_eq!(wire.recv(server, far, 9).unwrap(), "f");
    wire.lab.begin(server, &recv(far, 9));
    wire.send(client, near, "late").unwrap();
    assert_eq!(wire.finish(server), text("late"));
    assert_eq!(wire.send(server, far, "back"), Ok(4));
    assert_eq!(wire.recv(client, near, 9).unwrap(), "back");
}

#[test]
fn nothing_goes_through_what_is_not_connected() {
    let mut wire = Wire::new(1);
    let fresh = wire.socket();
    for (task, fd) in [(wire.client, fresh), (wire.server, wire.listener)] {
        for len in [0, 1] {
            assert_eq!(wire.recv(task, fd, len), Err(EINVAL));
        }
        assert_eq!(wire.lab.read(task, fd, 1), Err(EINVAL));
        assert_eq!(wire.lab.read(task, fd, 0).unwrap(), "", "read looks at the length first");
        for data in ["", "a"] {
            assert_eq!(wire.send(task, fd, data), Err(ENOTCONN));
            assert_eq!(wire.lab.write(task, fd, data), Err(ENOTCONN));
        }
    }
}

#[test]
fn to_receive_nothing_waits_for_something() {
    let mut wire = Wire::new(1);
    let (near, far) = wire.pair();
    assert_eq!(wire.lab.read(wire.server, far, 0).unwrap(), "");
    wire.lab.begin(wire.server, &recv(far, 0));
    assert!(!wire.lab.kernel.ready(wire.server));
    assert_eq!(wire.send(wire.client, near, ""), Ok(0));
    assert!(!wire.lab.kernel.ready(wire.server), "no bytes are no message");
    wire.send(wire.client, near, "abc").unwrap();
    assert_eq!(wire.finish(wire.server), text(""));
    assert_eq!(wire.recv(wire.server, far, 9).unwrap(), "abc");
}

#[test]
fn recv_ends_at_its_time_out() {
    let mut wire = Wire::new(1);
    let (near, far) = wire.pair();
    wire.lab.unit(wire.server, &timeout(far, Direction::Receive, 2)).unwrap();
    wire.lab.begin(wire.server, &recv(far, 9));
    assert_eq!(wire.lab.kernel.next_timer().map(|at| at.as_secs()), Some(2));
    wire.pass(2);
    assert_eq!(wire.finish(wire.server), Err(EAGAIN));
    wire.lab.begin(wire.server, &Call::Read { fd: far, len: 9 });
    wire.pass(2);
    wire.send(wire.client, near, "abc").unwrap();
    assert_eq!(wire.finish(wire.server), text("abc"), "what is there is taken even then");
    wire.lab.unit(wire.server, &timeout(far, Direction::Receive, 0)).unwrap();
    wire.lab.begin(wire.server, &recv(far, 9));
    assert_eq!(wire.lab.kernel.next_timer(), None, "zero is no time-out");
}

#[test]
fn a_closed_end_is_the_end_of_the_stream() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let (near, far) = wire.pair();
    wire.send(client, near, "bye").unwrap();
    wire.lab.close(client, near).unwrap();
    for data in ["", "a"] {
        assert_eq!(wire.send(server, far, data), Err(EPIPE));
    }
    assert_eq!(wire.recv(server, far, 9).unwrap(), "bye");
    for _ in 0..2 {
        assert_eq!(wire.recv(server, far, 9).unwrap(), "");
    }
}

#[test]
fn a_kill_wakes_who_receives() {
    let mut wire = Wire::new(1);
    let (_, far) = wire.pair();
    wire.lab.begin(wire.server, &recv(far, 9));
    wire.lab.kernel.stop(ProcId(1));
    assert!(!wire.lab.kernel.ready(wire.server), "a stopped process holds its descriptors");
    wire.lab.kernel.kill(ProcId(1));
    assert_eq!(wire.finish(wire.server), text(""));
}

#[test]
fn what_was_left_unread_is_a_reset() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let (near, far) = wire.pair();
    wire.send(client, near, "unread").unwrap();
    wire.send(server, far, "answer").unwrap();
    wire.lab.close(server, far).unwrap();
    assert_eq!(wire.send(client, near, "a"), Err(EPIPE), "which does not tell the reset");
    assert_eq!(wire.recv(client, near, 2).unwrap(), "an");
    assert_eq!(wire.recv(client, near, 9).unwrap(), "swer");
    assert_eq!(wire.recv(client, near, 9), Err(ECONNRESET));
    assert_eq!(wire.recv(client, near, 9).unwrap(), "", "it is told once");
    assert_eq!(wire.send(client, near, "a"), Err(EPIPE));
}

#[test]
fn a_closed_listener_resets_who_was_not_accepted() {
    let mut wire = Wire::new(1);
    let (near, other) = (wire.connected(), wire.connected());
    wire.lab.begin(wire.client, &recv(near, 9));
    wire.lab.close(wire.server, wire.listener).unwrap();
    assert_eq!(wire.finish(wire.client), Err(ECONNRESET));
    assert_eq!(wire.send(wire.client, other, "a"), Err(EPIPE));
    assert_eq!(wire.recv(wire.client, other, 9), Err(ECONNRESET));
    assert_eq!(wire.recv(wire.client, other, 9).unwrap(), "");
}

#[test]
fn who_has_gone_before_it_was_accepted_is_accepted() {
    let mut wire = Wire::new(1);
    let near = wire.connected();
    wire.send(wire.client, near, "bye").unwrap();
    wire.lab.close(wire.client, near).unwrap();
    let far = wire.accept();
    assert_eq!(wire.recv(wire.server, far, 9).unwrap(), "bye");
    assert_eq!(wire.recv(wire.server, far, 9).unwrap(), "");
    assert_eq!(wire.send(wire.server, far, "a"), Err(EPIPE));
}

#[test]
fn a_shutdown_ends_a_direction_at_both_ends() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let (near, far) = wire.pair();
    wire.send(client, near, "abc").unwrap();
    wire.send(server, far, "def").unwrap();
    wire.lab.unit(client, &shutdown(near, Shutdown::Read)).unwrap();
    assert_eq!(wire.recv(client, near, 9).unwrap(), "def", "what has come is there still");
    assert_eq!(wire.recv(client, near, 9).unwrap(), "");
    for data in ["", "a"] {
        assert_eq!(wire.send(server, far, data), Err(EPIPE));
    }
    assert_eq!(wire.send(client, near, "ghi"), Ok(3), "the other direction is open");
    wire.lab.unit(client, &shutdown(near, Shutdown::Write)).unwrap();
    assert_eq!(wire.send(client, near, ""), Err(EPIPE));
    assert_eq!(wire.recv(server, far, 9).unwrap(), "abcghi");
    assert_eq!(wire.recv(server, far, 9).unwrap(), "");
}

#[test]
fn what_is_shut_before_it_is_connected_stays_shut() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let deaf = wire.socket();
    wire.lab.unit(client, &shutdown(deaf, Shutdown::Read)).unwrap();
    wire.lab.unit(client, &connect(deaf, "/tmp/s")).unwrap();
    let far = wire.accept();
    assert_eq!(wire.recv(client, deaf, 9).unwrap(), "");
    assert_eq!(wire.send(server, far, "a"), Err(EPIPE));
    assert_eq!(wire.send(server, far, ""), Ok(0), "the other end learns it only by sending");
    assert_eq!(wire.send(client, deaf, "a"), Ok(1));

    let mute = wire.socket();
    wire.lab.unit(client, &shutdown(mute, Shutdown::Write)).unwrap();
    wire.lab.unit(client, &connect(mute, "/tmp/s")).unwrap();
    let far = wire.accept();
    assert_eq!(wire.send(client, mute, ""), Err(EPIPE));
    wire.lab.begin(server, &recv(far, 9));
    assert!(!wire.lab.kernel.ready(server));
}

/// A client that waits to send one byte more.
fn stuffed(seconds: u64) -> (Wire, Fd, Fd) {
    let mut wire = Wire::new(1);
    let (near, far) = wire.pair();
    wire.send(wire.client, near, &"x".repeat(FULL - 1)).unwrap();
    wire.send(wire.client, near, "yz").unwrap();
    assert_eq!(wire.send(wire.client, near, ""), Ok(0));
    wire.lab.unit(wire.client, &timeout(near, Direction::Send, seconds)).unwrap();
    wire.lab.begin(wire.client, &send(near, b"more"));
    (wire, near, far)
}

#[test]
fn who_waits_to_send_goes_on_when_a_quarter_is_left() {
    let (mut wire, _, far) = stuffed(0);
    assert_eq!(wire.lab.kernel.next_timer(), None);
    wire.recv(wire.server, far, (FULL / 4 * 3) as u32).unwrap();
    assert!(!wire.lab.kernel.ready(wire.client));
    wire.recv(wire.server, far, 1).unwrap();
    assert_eq!(wire.finish(wire.client), Ok(Ret::Len(4)));
    let rest = wire.recv(wire.server, far, u32::MAX).unwrap();
    assert!(rest.ends_with("xyzmore"));
}

#[test]
fn a_send_ends_at_its_time_out() {
    let (mut wire, _, far) = stuffed(2);
    wire.pass(2);
    assert_eq!(wire.finish(wire.client), Err(EAGAIN));
    assert_eq!(wire.recv(wire.server, far, 9).unwrap(), "x".repeat(9));

    let (mut wire, _, far) = stuffed(2);
    wire.recv(wire.server, far, 9).unwrap();
    assert!(!wire.lab.kernel.ready(wire.client));
    wire.pass(2);
    assert_eq!(wire.finish(wire.client), Ok(Ret::Len(4)), "there is room, as it sees only now");
}

#[test]
fn a_waiting_send_learns_that_nobody_will_receive() {
    let (mut wire, near, far) = stuffed(0);
    wire.lab.close(wire.server, far).unwrap();
    assert_eq!(wire.finish(wire.client), Err(ECONNRESET), "what waits is lost");
    assert_eq!(wire.send(wire.client, near, "a"), Err(EPIPE));
    assert_eq!(wire.recv(wire.client, near, 9).unwrap(), "", "the reset has been told");

    let (mut wire, _, far) = stuffed(0);
    wire.lab.unit(wire.server, &shutdown(far, Shutdown::Read)).unwrap();
    assert_eq!(wire.finish(wire.client), Err(EPIPE));
}
