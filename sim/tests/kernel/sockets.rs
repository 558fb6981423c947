//! How sockets get names and connections, as a Linux 6.18 has it.

use std::collections::BTreeSet;

use locklab_sim::kernel::{Effect, Naming, ProcId};
use locklab_sys::{Call, Direction, Errno, Fd, FileKind, FlockOp, OpenFlags, Pid, Ret, Shutdown};

use crate::lab::{Lab, MACHINE, link, mkdir, open, rename, unlink};
use crate::wire::{Wire, bind, connect, listen, recv, send, shutdown, timeout};

use Errno::*;

#[test]
fn only_sockets_are_sockets() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    let file = lab.open(a, "/tmp", OpenFlags::RDONLY).unwrap();
    let calls = |fd| {
        [
            bind(fd, "/tmp/s"),
            bind(fd, ""),
            listen(fd, 1),
            connect(fd, "/tmp/no"),
            Call::Accept { fd },
            send(fd, b""),
            recv(fd, 0),
            shutdown(fd, Shutdown::Both),
            timeout(fd, Direction::Send, 1),
            Call::PeerCred { fd },
        ]
    };
    for (fd, errno) in [(file, ENOTSOCK), (Fd(9), EBADF)] {
        for call in calls(fd) {
            assert_eq!(lab.call(a, &call), Err(errno), "{call}");
        }
    }
}

/// It has the address of the socket that accepted it.
#[test]
fn an_accepted_socket_cannot_be_bound() {
    let mut wire = Wire::new(1);
    let (near, far) = wire.pair();
    assert_eq!(wire.lab.unit(wire.server, &bind(far, "/tmp/t")), Err(EINVAL));
    assert_eq!(wire.lab.unit(wire.client, &bind(near, "/tmp/t")), Ok(()));
}

#[test]
fn bind_fails_as_in_linux() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    lab.put(a, "/tmp/f", "abc");
    lab.unit(a, &mkdir("/tmp/d")).unwrap();
    let fd = lab.fd(a, &Call::Socket).unwrap();
    let long = |len: usize| format!("/tmp/{}", "n".repeat(len - 5));
    for (path, errno) in [
        ("", EINVAL),
        (long(109).as_str(), EINVAL),
        ("/tmp/no/s", ENOENT),
        ("/tmp/f/s", ENOTDIR),
        ("/tmp/f", EADDRINUSE),
        ("/tmp/d", EADDRINUSE),
        ("/tmp/d/", EADDRINUSE),
        ("/tmp/d/.", EADDRINUSE),
        ("/", EADDRINUSE),
        ("/tmp/s/", ENOENT),
    ] {
        assert_eq!(lab.call(a, &bind(fd, path)), Err(errno), "{path}");
    }
    lab.unit(a, &bind(fd, &long(108))).unwrap();
    assert_eq!(lab.call(a, &bind(fd, "/tmp/f")), Err(EADDRINUSE), "the name is looked at first");
    lab.kernel.set_clock(MACHINE, std::time::Duration::from_secs(5));
    assert_eq!(lab.call(a, &bind(fd, "/tmp/again")), Err(EINVAL));
    assert_eq!(lab.stat(a, "/tmp/again"), Err(ENOENT));
    let changed = lab.stat(a, "/tmp").unwrap().mtime;
    assert_eq!(changed.as_secs(), 5, "the name was there for an instant");
}

#[test]
fn a_bound_name_is_a_name_like_others() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let lab = &mut wire.lab;
    let stat = lab.stat(server, "/tmp/s").unwrap();
    assert_eq!((stat.kind, stat.nlink, stat.size), (FileKind::Socket, 1, 0));
    let of_fd = lab.fstat(server, Fd(3)).unwrap();
    assert_eq!((of_fd.kind, of_fd.nlink), (FileKind::Socket, 1));
    let added = Effect::NameAdded {
        path: "/tmp/s".into(),
        ino: stat.ino,
        maker: ProcId(0),
        by: ProcId(0),
        how: Naming::Exclusive,
    };
    assert!(lab.kernel.effects().contains(&added));
    for flags in [
        OpenFlags::RDONLY,
        OpenFlags::RDWR,
        OpenFlags::WRONLY | OpenFlags::CREAT,
        OpenFlags::WRONLY | OpenFlags::TRUNC,
    ] {
        assert_eq!(lab.call(client, &open("/tmp/s", flags)), Err(ENXIO), "{flags}");
    }
    let directory = OpenFlags::RDONLY | OpenFlags::DIRECTORY;
    assert_eq!(lab.call(client, &open("/tmp/s", directory)), Err(ENOTDIR));
    let exclusive = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
    assert_eq!(lab.call(client, &open("/tmp/s", exclusive)), Err(EEXIST));

    lab.unit(server, &link("/tmp/s", "/tmp/second")).unwrap();
    lab.unit(server, &rename("/tmp/s", "/tmp/moved")).unwrap();
    for path in ["/tmp/second", "/tmp/moved"] {
        let fd = lab.fd(client, &Call::Socket).unwrap();
        lab.unit(client, &connect(fd, path)).unwrap();
    }
    assert_eq!(lab.kernel.names(MACHINE), ["/tmp/moved", "/tmp/second"]);
    lab.unit(client, &unlink("/tmp/moved")).unwrap();
    lab.kernel.kill(ProcId(0));
    assert_eq!(lab.kernel.names(MACHINE), ["/tmp/second"], "a name outlives its socket");
    let fd = lab.fd(client, &Call::Socket).unwrap();
    assert_eq!(lab.call(client, &connect(fd, "/tmp/second")), Err(ECONNREFUSED));
    assert_eq!(lab.call(client, &bind(fd, "/tmp/second")), Err(EADDRINUSE));
}

#[test]
fn each_socket_has_a_number() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    let numbers: BTreeSet<u64> = (0..4)
        .map(|_| {
            let fd = lab.fd(a, &Call::Socket).unwrap();
            lab.fstat(a, fd).unwrap().ino
        })
        .collect();
    assert_eq!(numbers.len(), 4);
}

#[test]
fn the_inode_of_a_live_socket_is_not_given_again() {
    let mut wire = Wire::new(1);
    let ino = wire.lab.stat(wire.server, "/tmp/s").unwrap().ino;
    wire.lab.unit(wire.server, &unlink("/tmp/s")).unwrap();
    assert_ne!(wire.lab.put(wire.server, "/tmp/f", ""), ino);
    wire.lab.close(wire.server, wire.listener).unwrap();
    assert_eq!(wire.lab.put(wire.server, "/tmp/g", ""), ino);
}

#[test]
fn listen_fails_as_in_linux() {
    let mut wire = Wire::new(1);
    let fd = wire.socket();
    assert_eq!(wire.lab.call(wire.client, &listen(fd, 1)), Err(EINVAL), "not bound");
    wire.lab.unit(wire.client, &bind(fd, "/tmp/c")).unwrap();
    wire.lab.unit(wire.client, &connect(fd, "/tmp/s")).unwrap();
    assert_eq!(wire.lab.call(wire.client, &listen(fd, 1)), Err(EINVAL), "connected");
}

#[test]
fn connect_fails_as_in_linux() {
    let mut wire = Wire::new(9);
    let (server, client, listener) = (wire.server, wire.client, wire.listener);
    wire.lab.put(server, "/tmp/f", "abc");
    let bound = wire.socket();
    wire.lab.unit(client, &bind(bound, "/tmp/bound")).unwrap();
    let (connected, fresh) = (wire.connected(), wire.socket());
    for (fd, path, errno) in [
        (fresh, "", EINVAL),
        (fresh, "/tmp/no", ENOENT),
        (fresh, "/tmp/f/s", ENOTDIR),
        (fresh, "/tmp/s/", ENOTDIR),
        (fresh, "/tmp/f", ECONNREFUSED),
        (fresh, "/tmp", ECONNREFUSED),
        (fresh, "/tmp/bound", ECONNREFUSED),
        (connected, "/tmp/no", ENOENT),
        (connected, "/tmp/bound", ECONNREFUSED),
        (connected, "/tmp/s", EISCONN),
    ] {
        assert_eq!(wire.lab.call(client, &connect(fd, path)), Err(errno), "{fd} {path}");
    }
    assert_eq!(wire.lab.call(server, &connect(listener, "/tmp/s")), Err(EINVAL));
    let other_end = wire.accept();
    wire.lab.close(server, other_end).unwrap();
    assert_eq!(wire.lab.call(client, &connect(connected, "/tmp/s")), Err(EISCONN));
    wire.lab.unit(server, &shutdown(listener, Shutdown::Read)).unwrap();
    assert_eq!(wire.lab.call(client, &connect(fresh, "/tmp/s")), Err(ECONNREFUSED));
    wire.lab.unit(server, &listen(listener, 1)).unwrap();
    assert_eq!(wire.lab.call(client, &connect(fresh, "/tmp/s")), Err(ECONNREFUSED));
}

#[test]
fn accept_fails_as_in_linux() {
    let mut wire = Wire::new(9);
    let fresh = wire.socket();
    let refused = wire.lab.call(wire.client, &Call::Accept { fd: fresh });
    assert_eq!(refused, Err(EINVAL), "does not listen");
    let (connected, _) = wire.pair();
    assert_eq!(wire.lab.call(wire.client, &Call::Accept { fd: connected }), Err(EINVAL));

    wire.connected();
    wire.lab.unit(wire.server, &shutdown(wire.listener, Shutdown::Read)).unwrap();
    wire.accept();
    let accept = Call::Accept { fd: wire.listener };
    assert_eq!(wire.lab.call(wire.server, &accept), Err(EINVAL), "nobody has come before");
}

#[test]
fn descriptors_run_out() {
    let mut lab = Lab::new();
    let a = lab.launch("a");
    let file = lab.open(a, "/tmp", OpenFlags::RDONLY).unwrap();
    while lab.call(a, &Call::Socket) != Err(EMFILE) {}
    assert_eq!(lab.call(a, &Call::Accept { fd: file }), Err(EMFILE), "before it is looked at");
    assert_eq!(lab.call(a, &Call::Accept { fd: Fd(4) }), Err(EMFILE));
    assert_eq!(lab.call(a, &Call::Accept { fd: Fd(9999) }), Err(EBADF));
    let pid = lab.pid(a);
    assert_eq!(lab.call(a, &Call::PidfdOpen { pid }), Err(EMFILE));
    assert_eq!(lab.call(a, &Call::PidfdOpen { pid: Pid(9) }), Err(ESRCH));
}

#[test]
fn a_socket_knows_who_is_at_the_other_end() {
    let mut wire = Wire::new(1);
    let (server, client) = (wire.server, wire.client);
    let pids = (wire.lab.pid(server), wire.lab.pid(client));
    let cred = |wire: &mut Wire, task, fd| match wire.lab.call(task, &Call::PeerCred { fd }) {
        Ok(Ret::PeerCred(cred)) => cred.pid,
        other => panic!("SO_PEERCRED gave {other:?}"),
    };
    let fresh = wire.socket();
    assert_eq!(cred(&mut wire, client, fresh), Pid(0));
    let listener = wire.listener;
    assert_eq!(cred(&mut wire, server, listener), pids.0);
    let (near, far) = wire.pair();
    assert_eq!(cred(&mut wire, client, near), pids.0);
    assert_eq!(cred(&mut wire, server, far), pids.1);

    let (_, child) = wire.lab.spawn(server, &[listener, far]).unwrap();
    let child_pid = wire.lab.pid(child);
    wire.lab.unit(child, &listen(listener, 1)).unwrap();
    let later = wire.connected();
    assert_eq!(cred(&mut wire, client, later), child_pid, "who listened last");
    assert_eq!(cred(&mut wire, client, near), pids.0, "as it was then");
    wire.lab.exit(client, 0);
    assert_eq!(cred(&mut wire, child, far), pids.1, "even when it is dead");
}

#[test]
fn sockets_can_be_locked_and_not_listed() {
    let mut wire = Wire::new(1);
    let (near, _) = wire.pair();
    wire.lab.flock(wire.client, near, FlockOp::TryExclusive).unwrap();
    assert_eq!(wire.lab.call(wire.client, &Call::Readdir { fd: near }), Err(ENOTDIR));
}

#[test]
fn a_socket_lives_as_long_as_a_descriptor_stands_for_it() {
    let mut wire = Wire::new(1);
    let (near, far) = wire.pair();
    assert_eq!(wire.lab.kernel.open_sockets(), 3);
    let (proc, child) = wire.lab.spawn(wire.server, &[far]).unwrap();
    wire.lab.close(wire.server, far).unwrap();
    wire.send(wire.client, near, "still").unwrap();
    assert_eq!(wire.recv(child, far, 9).unwrap(), "still");
    wire.lab.kernel.kill(proc);
    assert_eq!(wire.recv(wire.client, near, 9).unwrap(), "");
    assert_eq!(wire.lab.kernel.open_sockets(), 2);
    wire.connected();
    assert_eq!(wire.lab.kernel.open_sockets(), 4, "one waits to be accepted");
    wire.lab.exit(wire.server, 0);
    assert_eq!(wire.lab.kernel.open_sockets(), 2);
    wire.lab.exit(wire.client, 0);
    assert_eq!(wire.lab.kernel.open_sockets(), 0);
}

#[test]
fn each_socket_has_a_number_that_fstat_tells() {
    let mut wire = Wire::new(2);
    let (near, far) = wire.pair();
    let (client, server, listener) = (wire.client, wire.server, wire.listener);
    let told = [(client, near), (server, far), (server, listener)]
        .map(|(task, fd)| wire.lab.fstat(task, fd).unwrap().ino);
    let mut told: Vec<u64> = told.into();
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|number| *number > 0));
    assert_eq!(wire.lab.kernel.socket_numbers(MACHINE).collect::<Vec<_>>(), told);
}
