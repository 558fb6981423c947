//! Whose sockets are, and who may connect to their names: as a Linux 6.18 answers.

use locklab_sim::kernel::TaskId;
use locklab_sys::{Call, Errno, Fd, Mode, OpenFlags, PeerCred, Pid, Ret, Uid};

use crate::lab::{Lab, open};

fn lab() -> (Lab, TaskId, TaskId) {
    let mut lab = Lab::new();
    let (owner, other) = (lab.launch("owner"), lab.launch_as("other", Uid(1001)));
    (lab, owner, other)
}

fn bind(fd: Fd, path: &str) -> Call {
    Call::Bind { fd, path: path.into() }
}

fn connect(fd: Fd, path: &str) -> Call {
    Call::Connect { fd, path: path.into() }
}

fn chmod(path: &str, bits: u16) -> Call {
    Call::Chmod { path: path.into(), mode: Mode::new(bits) }
}

fn listener(lab: &mut Lab, task: TaskId, path: &str) -> Fd {
    let fd = lab.fd(task, &Call::Socket).unwrap();
    lab.unit(task, &bind(fd, path)).unwrap();
    lab.unit(task, &Call::Listen { fd, backlog: 1 }).unwrap();
    fd
}

#[test]
fn to_connect_is_to_write() {
    let (mut lab, owner, other) = lab();
    listener(&mut lab, owner, "/tmp/s");
    lab.put(owner, "/tmp/f", "");
    let fd = lab.fd(other, &Call::Socket).unwrap();
    assert_eq!(lab.stat(other, "/tmp/s").unwrap().mode, Mode::new(0o755), "for the umask");
    assert_eq!(lab.unit(other, &connect(fd, "/tmp/s")), Err(Errno::EACCES));
    assert_eq!(lab.unit(other, &connect(fd, "/tmp/f")), Err(Errno::EACCES));
    for path in ["/tmp/s", "/tmp/f"] {
        lab.unit(owner, &chmod(path, 0o722)).unwrap();
    }
    assert_eq!(lab.unit(other, &connect(fd, "/tmp/f")), Err(Errno::ECONNREFUSED));
    assert_eq!(lab.unit(other, &connect(fd, "/tmp/s")), Ok(()));
    assert_eq!(lab.open(other, "/tmp/s", OpenFlags::RDONLY), Err(Errno::EACCES));
    assert_eq!(lab.open(other, "/tmp/s", OpenFlags::WRONLY), Err(Errno::ENXIO));
    let creates = open("/tmp/s", OpenFlags::WRONLY | OpenFlags::CREAT);
    assert_eq!(lab.fd(other, &creates), Err(Errno::EACCES), "/tmp is sticky");
    assert_eq!(lab.fd(owner, &creates), Err(Errno::ENXIO));
}

#[test]
fn a_socket_has_a_mode_before_it_has_a_name() {
    let (mut lab, owner, other) = lab();
    let fd = lab.fd(owner, &Call::Socket).unwrap();
    let fchmod = |fd, bits| Call::Fchmod { fd, mode: Mode::new(bits) };
    assert_eq!(lab.fstat(owner, fd).unwrap().mode, Mode::new(0o777));
    lab.unit(owner, &fchmod(fd, 0o600)).unwrap();
    lab.unit(owner, &bind(fd, "/tmp/s")).unwrap();
    let seen = |stat: locklab_sys::Stat| (stat.uid, stat.mode.bits());
    assert_eq!(lab.stat(other, "/tmp/s").map(seen), Ok((Uid::USER, 0o600)));
    lab.unit(owner, &fchmod(fd, 0o777)).unwrap();
    assert_eq!(lab.fstat(owner, fd).map(seen), Ok((Uid::USER, 0o777)));
    assert_eq!(lab.stat(other, "/tmp/s").map(seen), Ok((Uid::USER, 0o600)), "the name's stays");
    let (_, heir) = lab.spawn(owner, &[fd]).unwrap();
    lab.unit(heir, &fchmod(fd, 0o700)).unwrap();
    let pidfd = lab.fd(owner, &Call::PidfdOpen { pid: Pid(1) }).unwrap();
    assert_eq!(lab.unit(owner, &fchmod(pidfd, 0o600)), Err(Errno::EOPNOTSUPP));
    assert_eq!(lab.fstat(owner, pidfd).map(seen), Ok((Uid::ROOT, 0o700)));
}

#[test]
fn an_inherited_socket_is_still_its_openers() {
    let mut lab = Lab::new();
    let root = lab.launch_as("root", Uid::ROOT);
    let fd = lab.fd(root, &Call::Socket).unwrap();
    let (_, child) = lab.spawn(root, &[fd]).unwrap();
    lab.unit(child, &Call::Setuid { uid: Uid::USER }).unwrap();
    let fchmod = Call::Fchmod { fd, mode: Mode::new(0o600) };
    assert_eq!(lab.unit(child, &fchmod), Err(Errno::EPERM));
    assert_eq!(lab.fstat(child, fd).unwrap().uid, Uid::ROOT);
}

#[test]
fn a_name_is_bound_where_names_may_be_added() {
    let (mut lab, owner, other) = lab();
    lab.put(owner, "/run/f", "");
    let fd = lab.fd(other, &Call::Socket).unwrap();
    assert_eq!(lab.unit(other, &bind(fd, "/run/f")), Err(Errno::EADDRINUSE));
    assert_eq!(lab.unit(other, &bind(fd, "/run/s")), Err(Errno::EACCES));
    assert_eq!(lab.unit(other, &bind(fd, "/tmp/s")), Ok(()));
    assert_eq!(lab.unit(other, &bind(fd, "/tmp/t")), Err(Errno::EINVAL));
    assert_eq!(lab.names(owner, "/tmp").unwrap(), ["s"]);
}

#[test]
fn peers_are_told_with_their_users() {
    let (mut lab, owner, _) = lab();
    let server = listener(&mut lab, owner, "/tmp/s");
    let root = lab.launch_as("root", Uid::ROOT);
    let fd = lab.fd(root, &Call::Socket).unwrap();
    let cred = |fd| Call::PeerCred { fd };
    let nobody = PeerCred { pid: Pid(0), uid: Uid(u32::MAX) };
    assert_eq!(lab.call(root, &cred(fd)), Ok(Ret::PeerCred(nobody)));
    lab.unit(root, &connect(fd, "/tmp/s")).unwrap();
    lab.unit(root, &Call::Setuid { uid: Uid::USER }).unwrap();
    let accepted = lab.fd(owner, &Call::Accept { fd: server }).unwrap();
    let client = PeerCred { pid: lab.pid(root), uid: Uid::ROOT };
    assert_eq!(lab.call(owner, &cred(accepted)), Ok(Ret::PeerCred(client)), "as it was then");
    let listening = PeerCred { pid: lab.pid(owner), uid: Uid::USER };
    assert_eq!(lab.call(root, &cred(fd)), Ok(Ret::PeerCred(listening)));
    assert_eq!(lab.fstat(owner, accepted).unwrap().uid, Uid::USER, "who accepts owns it");
}
