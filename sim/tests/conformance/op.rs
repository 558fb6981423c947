//! A call as both arms are told it.

use std::time::Duration;

use locklab_sys::{Call, Clock, Direction, Fd, FlockOp, OpenFlags, Pid, Shutdown, Signal};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// A call, with a process for each pid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    Open { path: String, flags: Vec<Flag> },
    Read { fd: u32, len: u32 },
    Write { fd: u32, data: String },
    Close { fd: u32 },
    Stat { path: String },
    Fstat { fd: u32 },
    Link { old: String, new: String },
    Rename { old: String, new: String },
    Unlink { path: String },
    Mkdir { path: String },
    Rmdir { path: String },
    Readdir { fd: u32 },
    Flock { fd: u32, op: u8 },
    Getpid,
    BootId,
    ProcStat { who: u32 },
    Kill { who: u32, signal: u8 },
    PidfdOpen { who: u32 },
    PidfdSignal { fd: u32, signal: u8 },
    Poll { fds: Vec<u32>, wait: bool },
    Socket,
    Bind { fd: u32, path: String },
    Listen { fd: u32, backlog: u32 },
    Connect { fd: u32, path: String },
    Accept { fd: u32 },
    Send { fd: u32, data: String },
    Recv { fd: u32, len: u32 },
    Shutdown { fd: u32, how: u8 },
    Unbound { fd: u32, send: bool },
    PeerCred { fd: u32 },
    Clock { clock: u8 },
    Getrandom { len: u8 },
    CellRead,
    CellWrite { value: i64 },
    Exit { code: u8 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Flag {
    Read,
    Write,
    Create,
    Exclusive,
    Truncate,
    Directory,
}

impl Op {
    /// The call, where `pid` knows the pid of a process.
    pub fn call(&self, pid: impl Fn(u32) -> Pid) -> Call {
        match self.clone() {
            Self::Open { path, flags } => Call::Open { path: path.into(), flags: opened(&flags) },
            Self::Read { fd, len } => Call::Read { fd: Fd(fd), len },
            Self::Write { fd, data } => Call::Write { fd: Fd(fd), data: data.into_bytes().into() },
            Self::Close { fd } => Call::Close { fd: Fd(fd) },
            Self::Stat { path } => Call::Stat { path: path.into() },
            Self::Fstat { fd } => Call::Fstat { fd: Fd(fd) },
            Self::Link { old, new } => Call::Link { old: old.into(), new: new.into() },
            Self::Rename { old, new } => Call::Rename { old: old.into(), new: new.into() },
            Self::Unlink { path } => Call::Unlink { path: path.into() },
            Self::Mkdir { path } => Call::Mkdir { path: path.into() },
            Self::Rmdir { path } => Call::Rmdir { path: path.into() },
            Self::Readdir { fd } => Call::Readdir { fd: Fd(fd) },
            Self::Flock { fd, op } => Call::Flock { fd: Fd(fd), op: FLOCKS[usize::from(op) % 5] },
            Self::Getpid => Call::Getpid,
            Self::BootId => Call::BootId,
            Self::ProcStat { who } => Call::ProcStat { pid: pid(who) },
            Self::Kill { who, signal } => Call::Kill { pid: pid(who), signal: signal_of(signal) },
            Self::PidfdOpen { who } => Call::PidfdOpen { pid: pid(who) },
            Self::PidfdSignal { fd, signal } => {
                Call::PidfdSendSignal { pidfd: Fd(fd), signal: signal_of(1 + signal % 3) }
            }
            Self::Poll { fds, wait } => Call::Poll {
                fds: fds.into_iter().map(Fd).collect(),
                timeout: (!wait).then_some(Duration::ZERO),
            },
            Self::Socket => Call::Socket,
            Self::Bind { fd, path } => Call::Bind { fd: Fd(fd), path: path.into() },
            Self::Listen { fd, backlog } => Call::Listen { fd: Fd(fd), backlog },
            Self::Connect { fd, path } => Call::Connect { fd: Fd(fd), path: path.into() },
            Self::Accept { fd } => Call::Accept { fd: Fd(fd) },
            Self::Send { fd, data } => Call::Send { fd: Fd(fd), data: data.into_bytes().into() },
            Self::Recv { fd, len } => Call::Recv { fd: Fd(fd), len },
            Self::Shutdown { fd, how } => {
                let how = [Shutdown::Read, Shutdown::Write, Shutdown::Both][usize::from(how) % 3];
                Call::Shutdown { fd: Fd(fd), how }
            }
            Self::Unbound { fd, send } => {
                let of = if send { Direction::Send } else { Direction::Receive };
                Call::SetTimeout { fd: Fd(fd), of, timeout: None }
            }
            Self::PeerCred { fd } => Call::PeerCred { fd: Fd(fd) },
            Self::Clock { clock } => {
                let clocks = [Clock::Realtime, Clock::Monotonic, Clock::Boottime];
                Call::ClockGettime { clock: clocks[usize::from(clock) % 3] }
            }
            Self::Getrandom { len } => Call::Getrandom { len },
            Self::CellRead => Call::CellRead { cell: "cell".into() },
            Self::CellWrite { value } => Call::CellWrite { cell: "cell".into(), value },
            Self::Exit { code } => Call::Exit { code },
        }
    }
}

const FLOCKS: [FlockOp; 5] = [
    FlockOp::TryExclusive,
    FlockOp::TryShared,
    FlockOp::Unlock,
    FlockOp::Exclusive,
    FlockOp::Shared,
];

fn signal_of(number: u8) -> Signal {
    [Signal::Probe, Signal::Stop, Signal::Cont, Signal::Kill][usize::from(number) % 4]
}

fn opened(flags: &[Flag]) -> OpenFlags {
    let one = |flag: &Flag| match flag {
        Flag::Read => OpenFlags::RDONLY,
        Flag::Write => OpenFlags::WRONLY,
        Flag::Create => OpenFlags::CREAT,
        Flag::Exclusive => OpenFlags::EXCL,
        Flag::Truncate => OpenFlags::TRUNC,
        Flag::Directory => OpenFlags::DIRECTORY,
    };
    let access = if flags.contains(&Flag::Write) { OpenFlags::WRONLY } else { OpenFlags::RDONLY };
    flags.iter().map(one).fold(access, |all, flag| all | flag)
}

/// The path of a socket. No path at all is an abstract address to Linux, which
/// the model does not have.
fn address() -> impl Strategy<Value = String> {
    path().prop_filter("a path", |path| !path.is_empty())
}

/// Few paths, so that processes meet.
fn path() -> impl Strategy<Value = String> {
    let common = prop::sample::select(vec!["/tmp/a", "/tmp/b", "/tmp/d", "/tmp/d/a", "/run/s"]);
    // Not `/tmp` itself: in the model it is a mount point, on the host it is none.
    let odd = prop::sample::select(vec![
        "/tmp/d/e",
        "/tmp/a/x",
        "/",
        "/tmp/a/",
        "/tmp/d/",
        "/tmp/./a",
        "/tmp/d/.",
        "/tmp/d/..",
        "/nowhere/a",
        "",
        "tmp/a",
    ]);
    prop_oneof![6 => common, 1 => odd].prop_map(str::to_owned)
}

fn fd() -> impl Strategy<Value = u32> {
    prop_oneof![9 => Just(3), 6 => Just(4), 3 => Just(5), 1 => 3_u32..9]
}

fn flags() -> impl Strategy<Value = Vec<Flag>> {
    use Flag::{Create, Directory, Exclusive, Read, Truncate, Write};
    prop_oneof![
        4 => Just(vec![Write, Create, Exclusive]),
        4 => Just(vec![Read]),
        2 => Just(vec![Read, Write, Create]),
        1 => Just(vec![Write, Create, Truncate]),
        2 => Just(vec![Read, Directory]),
        1 => prop::sample::subsequence(
            vec![Read, Write, Create, Exclusive, Truncate, Directory], 0..6),
    ]
}

fn data() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "bc", "pid=7\n"]).prop_map(str::to_owned)
}

/// Calls on files and directories.
fn on_files() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (path(), flags()).prop_map(|(path, flags)| Op::Open { path, flags }),
        3 => (fd(), 0_u32..9).prop_map(|(fd, len)| Op::Read { fd, len }),
        3 => (fd(), data()).prop_map(|(fd, data)| Op::Write { fd, data }),
        3 => fd().prop_map(|fd| Op::Close { fd }),
        3 => path().prop_map(|path| Op::Stat { path }),
        2 => fd().prop_map(|fd| Op::Fstat { fd }),
        3 => (path(), path()).prop_map(|(old, new)| Op::Link { old, new }),
        3 => (path(), path()).prop_map(|(old, new)| Op::Rename { old, new }),
        4 => path().prop_map(|path| Op::Unlink { path }),
        2 => path().prop_map(|path| Op::Mkdir { path }),
        2 => path().prop_map(|path| Op::Rmdir { path }),
        2 => fd().prop_map(|fd| Op::Readdir { fd }),
        3 => (fd(), any::<u8>()).prop_map(|(fd, op)| Op::Flock { fd, op }),
    ]
}

fn on_sockets() -> impl Strategy<Value = Op> {
    prop_oneof![
        5 => Just(Op::Socket),
        3 => (fd(), address()).prop_map(|(fd, path)| Op::Bind { fd, path }),
        4 => (fd(), 0_u32..3).prop_map(|(fd, backlog)| Op::Listen { fd, backlog }),
        5 => (fd(), address()).prop_map(|(fd, path)| Op::Connect { fd, path }),
        4 => fd().prop_map(|fd| Op::Accept { fd }),
        4 => (fd(), data()).prop_map(|(fd, data)| Op::Send { fd, data }),
        4 => (fd(), 0_u32..9).prop_map(|(fd, len)| Op::Recv { fd, len }),
        2 => (fd(), any::<u8>()).prop_map(|(fd, how)| Op::Shutdown { fd, how }),
        1 => (fd(), any::<bool>()).prop_map(|(fd, send)| Op::Unbound { fd, send }),
        1 => fd().prop_map(|fd| Op::PeerCred { fd }),
        2 => fd().prop_map(|fd| Op::Close { fd }),
        1 => path().prop_map(|path| Op::Unlink { path }),
    ]
}

fn on_processes() -> impl Strategy<Value = Op> {
    let who = || 0_u32..3;
    prop_oneof![
        2 => who().prop_map(|who| Op::ProcStat { who }),
        3 => (who(), any::<u8>()).prop_map(|(who, signal)| Op::Kill { who, signal }),
        3 => who().prop_map(|who| Op::PidfdOpen { who }),
        2 => (fd(), any::<u8>()).prop_map(|(fd, signal)| Op::PidfdSignal { fd, signal }),
        3 => (prop::collection::vec(fd(), 0..3), any::<bool>())
            .prop_map(|(fds, wait)| Op::Poll { fds, wait }),
        1 => any::<u8>().prop_map(|code| Op::Exit { code }),
        1 => Just(Op::Getpid),
        1 => Just(Op::BootId),
        1 => any::<u8>().prop_map(|clock| Op::Clock { clock }),
        1 => (0_u8..9).prop_map(|len| Op::Getrandom { len }),
        1 => Just(Op::CellRead),
        1 => any::<i64>().prop_map(|value| Op::CellWrite { value }),
    ]
}

/// Who does what, in the order in which it is done.
pub fn program() -> impl Strategy<Value = Vec<(usize, Op)>> {
    let files = || on_files().boxed();
    let sockets = || on_sockets().boxed();
    let processes = || on_processes().boxed();
    let op = prop_oneof![
        // A program is mostly of one family, so that its calls meet.
        Just(prop_oneof![9 => files(), 1 => processes()].boxed()),
        Just(prop_oneof![9 => sockets(), 1 => processes()].boxed()),
        Just(prop_oneof![2 => files(), 2 => sockets(), 3 => processes()].boxed()),
    ];
    let ops = op.prop_flat_map(|op| prop::collection::vec((0_usize..3, op), 1..40));
    let begins = prop::sample::select(vec![Vec::new(), listening(), reading(), locking()]);
    (begins, ops).prop_map(|(begin, ops)| begin.into_iter().chain(ops).collect())
}

/// Each has the same file open.
fn locking() -> Vec<(usize, Op)> {
    let flags = vec![Flag::Read, Flag::Write, Flag::Create];
    (0..3).map(|who| (who, Op::Open { path: "/tmp/a".to_owned(), flags: flags.clone() })).collect()
}

/// There is a directory with a file in it, and it is open.
fn reading() -> Vec<(usize, Op)> {
    let file = vec![Flag::Write, Flag::Create, Flag::Exclusive];
    let directory = vec![Flag::Read, Flag::Directory];
    vec![
        (0, Op::Mkdir { path: "/tmp/d".to_owned() }),
        (0, Op::Open { path: "/tmp/d/a".to_owned(), flags: file }),
        (1, Op::Open { path: "/tmp/d".to_owned(), flags: directory }),
    ]
}

/// Somebody listens, and somebody connects.
fn listening() -> Vec<(usize, Op)> {
    let path = || "/run/s".to_owned();
    vec![
        (0, Op::Socket),
        (0, Op::Bind { fd: 3, path: path() }),
        (0, Op::Listen { fd: 3, backlog: 1 }),
        (1, Op::Socket),
        (1, Op::Connect { fd: 3, path: path() }),
    ]
}
