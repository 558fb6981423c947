//! What a signal that is handled, ignored or neither does to a call that waits:
//! signal(7), "Interruption of system calls and library functions by signal
//! handlers".

use std::time::Duration;

use locklab_sim::kernel::{ProcId, State, TaskId};
use locklab_sys::{
    Call, Direction, Disposition, Errno, ExitStatus, Fd, FlockOp, LockCommand, OpenFlags, Pid, Ret,
    Signal,
};

use crate::lab::{Lab, family, rename, wr};
use crate::wire::{FULL, Wire, bind, connect, listen, recv, send, timeout};

const SECOND: Duration = Duration::from_secs(1);

const HANDLED: Disposition = Disposition::Handle { restart: false };
const RESTARTED: Disposition = Disposition::Handle { restart: true };

/// The calls that wait, each of the client, and whether it may begin again.
/// `lock` is locked in all ways by the server.
fn waits() -> (Wire, Vec<(Call, bool)>) {
    let mut wire = Wire::new(0);
    let (near, _) = wire.pair();
    let (bounded, _) = wire.pair();
    let (server, client) = (wire.server, wire.client);
    for fd in [near, bounded] {
        wire.send(client, fd, &"x".repeat(FULL)).unwrap();
    }
    wire.connected();
    let fresh = [wire.socket(), wire.socket()];
    let lonely = [wire.socket(), wire.socket()];
    for (fd, path) in lonely.into_iter().zip(["/tmp/l0", "/tmp/l1"]) {
        wire.lab.unit(client, &bind(fd, path)).unwrap();
        wire.lab.unit(client, &listen(fd, 1)).unwrap();
    }
    for fd in [bounded, fresh[1], lonely[1]] {
        for of in [Direction::Receive, Direction::Send] {
            wire.lab.unit(client, &timeout(fd, of, 9)).unwrap();
        }
    }
    wire.lab.put(server, "/run/lock", "");
    let [held, lock] =
        [server, client].map(|task| wire.lab.open(task, "/run/lock", OpenFlags::RDWR).unwrap());
    wire.lab.flock(server, held, FlockOp::Exclusive).unwrap();
    wire.lab.lock(server, held, LockCommand::Set, wr(0, 0)).unwrap();
    let (_, child) = wire.lab.spawn(client, &[]).unwrap();
    let pid = wire.lab.pid(child);
    let fcntl = |command| Call::Fcntl { fd: lock, command, lock: wr(0, 0) };
    let poll = |timeout| Call::Poll { fds: [lonely[0]].into(), timeout };
    let calls = vec![
        (Call::Flock { fd: lock, op: FlockOp::Exclusive }, true),
        (fcntl(LockCommand::SetWait), true),
        (fcntl(LockCommand::OfdSetWait), true),
        (Call::Wait { pid }, true),
        (recv(near, 9), true),
        (Call::Read { fd: near, len: 9 }, true),
        (send(near, b"a"), true),
        (connect(fresh[0], "/tmp/s"), true),
        (Call::Accept { fd: lonely[0] }, true),
        (recv(bounded, 9), false),
        (send(bounded, b"a"), false),
        (connect(fresh[1], "/tmp/s"), false),
        (Call::Accept { fd: lonely[1] }, false),
        (poll(None), false),
        (poll(Some(SECOND)), false),
        (Call::Nanosleep { duration: SECOND }, false),
    ];
    (wire, calls)
}

fn alarm(wire: &mut Wire) {
    let pid = wire.lab.pid_of(ProcId(1));
    wire.lab.signal(wire.server, pid, Signal::Alrm).unwrap();
}

/// Each call, begun by the client, whose `SIGALRM` has this disposition.
fn begun(disposition: Disposition, then: impl Fn(&mut Wire, TaskId, &Call, bool)) {
    let (wire, calls) = waits();
    for (call, may_restart) in calls {
        let mut wire = Wire { lab: wire.lab.clone(), ..wire };
        let client = wire.client;
        wire.lab.sigaction(client, Signal::Alrm, disposition);
        wire.lab.begin(client, &call);
        then(&mut wire, client, &call, may_restart);
    }
}

#[test]
fn a_handler_ends_every_wait() {
    begun(HANDLED, |wire, client, call, _| {
        alarm(wire);
        assert_eq!(wire.finish(client), Err(Errno::EINTR), "{call}");
        assert_eq!(wire.lab.cell(client, "SIGALRM"), 1, "{call}");
        assert_eq!(wire.lab.kernel.next_timer(), None, "{call}");
    });
}

#[test]
fn sa_restart_lets_begin_again_what_can() {
    begun(RESTARTED, |wire, client, call, may_restart| {
        alarm(wire);
        assert_eq!(wire.lab.kernel.ready(client), !may_restart, "{call}");
        if !may_restart {
            assert_eq!(wire.finish(client), Err(Errno::EINTR), "{call}");
        } else if let Call::Fcntl { .. } = call {
            assert!(!wire.lab.kernel.is_blocked(client), "the call is made once more");
            wire.lab.begin(client, call);
        }
    });
}

#[test]
fn what_is_ignored_ends_nothing() {
    begun(Disposition::Ignore, |wire, client, call, _| {
        let before = wire.lab.kernel.clone();
        alarm(wire);
        assert!(wire.lab.kernel == before, "{call}");
        assert!(!wire.lab.kernel.ready(client));
    });
}

#[test]
fn by_default_the_process_ends() {
    begun(Disposition::Default, |wire, client, call, _| {
        alarm(wire);
        let ended = State::Dead(ExitStatus::Alarmed);
        assert_eq!(wire.lab.kernel.process(ProcId(1)).state, ended, "{call}");
        assert!(!wire.lab.kernel.is_blocked(client));
    });
}

#[test]
fn a_signal_to_who_is_stopped_waits_until_it_goes_on() {
    begun(HANDLED, |wire, client, call, _| {
        wire.lab.kernel.stop(ProcId(1));
        for _ in 0..2 {
            alarm(wire);
        }
        wire.lab.kernel.kill(ProcId(0));
        wire.lab.kernel.cont(ProcId(1));
        let reply = wire.finish(client);
        assert_eq!(reply, Err(Errno::EINTR), "{call}, whatever it waited for has come by now");
        assert_eq!(wire.lab.cell(client, "SIGALRM"), 1);
    });
}

#[test]
fn who_was_stopped_and_may_restart_gets_what_has_come() {
    begun(RESTARTED, |wire, client, call, _| {
        if !matches!(call, Call::Flock { .. } | Call::Fcntl { .. }) {
            return;
        }
        wire.lab.kernel.stop(ProcId(1));
        alarm(wire);
        wire.lab.kernel.kill(ProcId(0));
        wire.lab.kernel.cont(ProcId(1));
        match call {
            Call::Flock { .. } => assert_eq!(wire.finish(client), Ok(Ret::Unit)),
            _ => assert_eq!(wire.lab.call(client, call), Ok(Ret::Unit), "it is made once more"),
        }
    });
}

#[test]
fn by_default_who_is_stopped_ends_when_it_goes_on() {
    let (mut lab, parent, _, pid) = family();
    lab.kernel.stop(ProcId(1));
    lab.signal(parent, pid, Signal::Alrm).unwrap();
    assert!(lab.kernel.process(ProcId(1)).is_stopped());
    lab.signal(parent, pid, Signal::Cont).unwrap();
    assert_eq!(lab.call(parent, &Call::Wait { pid }), Ok(Ret::Exited(ExitStatus::Alarmed)));
}

#[test]
fn a_lock_that_was_granted_is_not_lost_to_a_signal() {
    begun(HANDLED, |wire, client, call, _| {
        if !matches!(call, Call::Flock { .. } | Call::Fcntl { .. }) {
            return;
        }
        let other = wire.lab.launch("other");
        wire.lab.kernel.kill(ProcId(0));
        let pid = wire.lab.pid_of(ProcId(1));
        wire.lab.signal(other, pid, Signal::Alrm).unwrap();
        assert_eq!(wire.finish(client), Ok(Ret::Unit), "{call}");
        assert_eq!(wire.lab.cell(client, "SIGALRM"), 1);
    });
}

#[test]
fn a_poll_whose_time_is_up_still_looks_at_signals_first() {
    let mut wire = Wire::new(1);
    let (client, listener) = (wire.client, wire.listener);
    wire.lab.sigaction(client, Signal::Alrm, HANDLED);
    wire.lab.begin(client, &Call::Poll { fds: [].into(), timeout: Some(SECOND) });
    wire.pass(1);
    alarm(&mut wire);
    assert_eq!(wire.finish(client), Err(Errno::EINTR));
    wire.lab.begin(client, &Call::Nanosleep { duration: SECOND });
    wire.pass(1);
    alarm(&mut wire);
    assert_eq!(wire.finish(client), Ok(Ret::Unit), "it was over");
    let server = wire.server;
    wire.lab.sigaction(server, Signal::Alrm, HANDLED);
    wire.lab.begin(server, &Call::Poll { fds: [listener].into(), timeout: Some(SECOND) });
    wire.connected();
    let pid = wire.lab.pid_of(ProcId(0));
    wire.lab.signal(client, pid, Signal::Alrm).unwrap();
    assert_eq!(wire.finish(server), Ok(Ret::Ready([listener].into())));
}

#[test]
fn a_connect_that_begins_again_looks_its_path_up_anew() {
    let mut wire = Wire::new(0);
    wire.connected();
    let (client, fd) = (wire.client, wire.socket());
    wire.lab.sigaction(client, Signal::Alrm, RESTARTED);
    wire.lab.begin(client, &connect(fd, "/tmp/s"));
    wire.lab.unit(wire.server, &rename("/tmp/s", "/tmp/old")).unwrap();
    let other = wire.lab.fd(wire.server, &Call::Socket).unwrap();
    wire.lab.unit(wire.server, &bind(other, "/tmp/s")).unwrap();
    wire.lab.unit(wire.server, &listen(other, 1)).unwrap();
    alarm(&mut wire);
    assert_eq!(wire.finish(client), Ok(Ret::Unit));
}

#[test]
fn only_some_signals_are_for_a_process_to_choose() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    for signal in [Signal::Probe, Signal::Stop, Signal::Kill] {
        for disposition in [Disposition::Default, Disposition::Ignore, HANDLED] {
            let call = Call::Sigaction { signal, disposition };
            assert_eq!(lab.call(a, &call), Err(Errno::EINVAL), "{call}");
        }
    }
    lab.sigaction(a, Signal::Alrm, HANDLED);
    let pid = lab.pid(a);
    lab.signal(a, pid, Signal::Alrm).unwrap();
    assert_eq!(lab.cell(a, "SIGALRM"), 1, "before kill has returned");
    lab.sigaction(a, Signal::Alrm, Disposition::Default);
    let kill = Call::Kill { pid, signal: Signal::Alrm };
    assert_eq!(lab.kernel.call(a, &kill), locklab_sim::kernel::Outcome::Ended);
}

#[test]
fn sigcont_can_be_handled_too() {
    let sleep = Call::Nanosleep { duration: SECOND };
    let mut lab = Lab::new();
    let [a, b] = ["a", "b"].map(|name| lab.launch(name));
    let pid = lab.pid(a);
    lab.sigaction(a, Signal::Cont, HANDLED);
    lab.begin(a, &sleep);
    lab.signal(b, pid, Signal::Cont).unwrap();
    assert_eq!(lab.kernel.finish(a), Err(Errno::EINTR), "it was not even stopped");
    assert_eq!(lab.cell(a, "SIGCONT"), 1);
    lab.begin(a, &sleep);
    lab.signal(b, pid, Signal::Stop).unwrap();
    lab.signal(b, pid, Signal::Cont).unwrap();
    assert_eq!(lab.kernel.finish(a), Err(Errno::EINTR));
}

#[test]
fn of_two_handlers_the_lower_signal_decides() {
    for (alrm, cont, is_ended) in [(RESTARTED, HANDLED, false), (HANDLED, RESTARTED, true)] {
        let mut wire = Wire::new(1);
        let (_, far) = wire.pair();
        let server = wire.server;
        wire.lab.sigaction(server, Signal::Alrm, alrm);
        wire.lab.sigaction(server, Signal::Cont, cont);
        wire.lab.begin(server, &recv(far, 9));
        wire.lab.kernel.stop(ProcId(0));
        let pid = wire.lab.pid_of(ProcId(0));
        wire.lab.signal(wire.client, pid, Signal::Alrm).unwrap();
        wire.lab.kernel.cont(ProcId(0));
        assert_eq!(wire.lab.kernel.ready(server), is_ended, "{alrm}, {cont}");
    }
}

#[test]
fn a_dead_parent_or_a_pidfd_may_send_it() {
    let (mut lab, parent, child, pid) = family();
    lab.sigaction(child, Signal::Alrm, HANDLED);
    let fd = lab.fd(parent, &Call::PidfdOpen { pid }).unwrap();
    assert_eq!(fd, Fd(3));
    lab.unit(parent, &Call::PidfdSendSignal { pidfd: fd, signal: Signal::Alrm }).unwrap();
    assert_eq!(lab.cell(child, "SIGALRM"), 1);
    lab.sigaction(child, Signal::Alrm, Disposition::Default);
    lab.unit(child, &Call::ParentDeathSignal { signal: Signal::Alrm }).unwrap();
    lab.exit(parent, 0);
    assert_eq!(lab.kernel.process(ProcId(1)).state, State::Dead(ExitStatus::Alarmed));
    assert_eq!(pid, Pid(1001));
}
