//! Calls at random, on few names and descriptors, so that they meet.

use std::time::Duration;

use locklab_sys::{
    Call, Clock, Direction, Disposition, Fd, FlockOp, LockCommand, LockKind, Mode, OpenFlags, Pid,
    RecordLock, RenameFlag, Shutdown, Signal, SmolStr, Uid,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::lab::{
    image, link, link_fd, lstat, mkdir, open, readlink, rename, renameat2, rmdir, spawn, stat,
    symlink, unlink, write,
};

/// Mostly straight paths, some with detours.
fn path() -> impl Strategy<Value = String> {
    let straight = select(vec!["/tmp/a", "/tmp/b", "/tmp/d", "/tmp/d/a", "/tmp/d/d", "/tmp/d/d/a"]);
    let name = select(vec!["tmp", "a", "d", ".", "..", ""]);
    let detour = proptest::collection::vec(name, 0..6).prop_map(|names| names.join("/"));
    prop_oneof![
        12 => straight.clone().prop_map(str::to_owned),
        2 => straight.prop_map(|path| format!("{path}/")),
        3 => detour.prop_map(|path| format!("/tmp/{path}")),
        1 => select(vec!["", "/", "/tmp", "tmp/a", "/run"]).prop_map(str::to_owned),
    ]
}

fn fd() -> impl Strategy<Value = Fd> {
    prop_oneof![4 => Just(3), 2 => Just(4), 1 => Just(5)].prop_map(Fd)
}

fn flags() -> impl Strategy<Value = OpenFlags> {
    let access = select(vec![OpenFlags::RDONLY, OpenFlags::WRONLY, OpenFlags::RDWR]);
    let rare = [OpenFlags::EXCL, OpenFlags::TRUNC, OpenFlags::DIRECTORY];
    let rare = prop_oneof![
        2 => Just(Vec::new()),
        1 => proptest::sample::subsequence(rare.to_vec(), 1..=2),
    ];
    (access, any::<bool>(), rare).prop_map(|(access, creates, rare)| {
        let access = if creates { access | OpenFlags::CREAT } else { access };
        rare.into_iter().fold(access, |all, one| all | one)
    })
}

/// Directories that other paths lie in.
fn directory() -> impl Strategy<Value = String> {
    let directory = select(vec!["/tmp/d", "/tmp/d/d"]).prop_map(str::to_owned);
    prop_oneof![2 => directory, 1 => path()]
}

/// Any call on files that never waits.
pub fn file_call() -> impl Strategy<Value = Call> {
    let data = proptest::collection::vec(any::<u8>(), 0..6);
    let try_flock = select(vec![FlockOp::TryShared, FlockOp::TryExclusive, FlockOp::Unlock]);
    prop_oneof![
        8 => (path(), flags()).prop_map(|(path, flags)| open(&path, flags)),
        2 => (fd(), 0_u32..6).prop_map(|(fd, len)| Call::Read { fd, len }),
        3 => (fd(), data).prop_map(|(fd, data)| write(fd, &data)),
        1 => fd().prop_map(|fd| Call::Close { fd }),
        1 => path().prop_map(|path| stat(&path)),
        1 => fd().prop_map(|fd| Call::Fstat { fd }),
        2 => (path(), path()).prop_map(|(old, new)| link(&old, &new)),
        3 => (path(), path()).prop_map(|(old, new)| rename(&old, &new)),
        2 => path().prop_map(|path| unlink(&path)),
        3 => directory().prop_map(|path| mkdir(&path)),
        1 => path().prop_map(|path| rmdir(&path)),
        1 => fd().prop_map(|fd| Call::Readdir { fd }),
        2 => (fd(), try_flock).prop_map(|(fd, op)| Call::Flock { fd, op }),
        1 => proptest::collection::vec(fd(), 0..2).prop_map(|keep| spawn(&keep)),
    ]
}

/// Any call on users, and on the modes and owners of files.
fn user_call() -> impl Strategy<Value = Call> {
    let mode = || {
        let own = select(vec![0o7, 0o6, 0o3, 0o5, 0o0]);
        let others = select(vec![0o7, 0o6, 0o5, 0o4, 0o2, 0o0]);
        let bits = (own, others, proptest::bool::weighted(0.3));
        bits.prop_map(|(own, others, sticky)| {
            Mode::new((own << 6) | others | if sticky { 0o1000 } else { 0 })
        })
    };
    let uid = || prop_oneof![1 => Just(Uid::ROOT), 3 => (1000_u32..1002).prop_map(Uid)];
    let new = |path: String| SmolStr::new(path);
    prop_oneof![
        3 => (path(), flags(), mode())
            .prop_map(move |(path, flags, mode)| Call::Open { path: new(path), flags, mode }),
        2 => (directory(), mode())
            .prop_map(move |(path, mode)| Call::Mkdir { path: new(path), mode }),
        3 => (path(), mode()).prop_map(move |(path, mode)| Call::Chmod { path: new(path), mode }),
        2 => (fd(), mode()).prop_map(|(fd, mode)| Call::Fchmod { fd, mode }),
        2 => (path(), uid()).prop_map(move |(path, uid)| Call::Chown { path: new(path), uid }),
        1 => uid().prop_map(|uid| Call::Setuid { uid }),
        1 => Just(Call::Getuid),
    ]
}

/// Calls on names that the reference does not know.
pub fn name_call() -> impl Strategy<Value = Call> {
    let target =
        prop_oneof![3 => path(), 1 => select(vec!["a", "d", "../a"]).prop_map(str::to_owned)];
    let nofollow =
        (path(), flags()).prop_map(|(path, flags)| open(&path, flags | OpenFlags::NOFOLLOW));
    let nameless = (directory(), flags())
        .prop_map(|(path, flags)| open(&path, flags | OpenFlags::WRONLY | OpenFlags::TMPFILE));
    let flag = select(vec![RenameFlag::NoReplace, RenameFlag::Exchange]);
    let mtime = || proptest::option::of((0_u64..4).prop_map(Duration::from_secs));
    prop_oneof![
        6 => (target, path()).prop_map(|(target, path)| symlink(&target, &path)),
        1 => path().prop_map(|path| readlink(&path)),
        2 => path().prop_map(|path| lstat(&path)),
        2 => nofollow,
        2 => nameless,
        2 => (fd(), path()).prop_map(|(fd, new)| link_fd(fd, &new)),
        6 => (path(), path(), flag).prop_map(|(old, new, flag)| renameat2(&old, &new, flag)),
        2 => (path(), mtime(), any::<bool>())
            .prop_map(|(path, mtime, follow)| Call::Utimensat { path: path.into(), mtime, follow }),
        1 => (fd(), mtime()).prop_map(|(fd, mtime)| Call::Futimens { fd, mtime }),
        2 => (path(), fd(), any::<bool>())
            .prop_map(|(path, fd, removedir)| Call::Funlinkat { path: path.into(), fd, removedir }),
    ]
}

/// A range of the first few bytes, mostly.
pub fn record_lock() -> impl Strategy<Value = RecordLock> {
    let kind = select(vec![LockKind::Read, LockKind::Write, LockKind::Unlock]);
    let len = prop_oneof![5 => 1_i64..4, 1 => Just(0), 1 => -3_i64..0];
    (kind, 0_i64..8, len).prop_map(|(kind, start, len)| RecordLock { kind, start, len })
}

/// Any call with a record lock.
fn record_call() -> impl Strategy<Value = Call> {
    use LockCommand::{Get, OfdGet, OfdSet, OfdSetWait, Set, SetWait};
    let command = select(vec![Get, Set, SetWait, OfdGet, OfdSet, OfdSetWait]);
    (fd(), command, record_lock()).prop_map(|(fd, command, lock)| Call::Fcntl { fd, command, lock })
}

/// Any call on sockets: few paths and descriptors, so that they meet.
pub fn socket_call() -> impl Strategy<Value = Call> {
    let path = || select(vec!["/tmp/a", "/tmp/b", "/tmp/d"]).prop_map(SmolStr::new_static);
    let data = proptest::collection::vec(any::<u8>(), 0..6);
    let how = select(vec![Shutdown::Read, Shutdown::Write, Shutdown::Both]);
    let of = select(vec![Direction::Receive, Direction::Send]);
    let time = (0_u64..4).prop_map(Duration::from_secs);
    prop_oneof![
        6 => Just(Call::Socket),
        4 => (fd(), path()).prop_map(|(fd, path)| Call::Bind { fd, path }),
        4 => (fd(), 0_u32..2).prop_map(|(fd, backlog)| Call::Listen { fd, backlog }),
        6 => (fd(), path()).prop_map(|(fd, path)| Call::Connect { fd, path }),
        4 => fd().prop_map(|fd| Call::Accept { fd }),
        4 => (fd(), data).prop_map(|(fd, data)| Call::Send { fd, data: data.into() }),
        4 => (fd(), 0_u32..6).prop_map(|(fd, len)| Call::Recv { fd, len }),
        1 => (fd(), how).prop_map(|(fd, how)| Call::Shutdown { fd, how }),
        2 => (fd(), of, proptest::option::of(time))
            .prop_map(|(fd, of, timeout)| Call::SetTimeout { fd, of, timeout }),
        1 => fd().prop_map(|fd| Call::PeerCred { fd }),
    ]
}

/// Any call on threads, children, and what they share.
fn task_call() -> impl Strategy<Value = Call> {
    let pid = || (999_u32..1006).prop_map(Pid);
    let cell = || select(vec!["x", "y"]).prop_map(SmolStr::new_static);
    let value = || 0_i64..2;
    let time = (0_u64..4).prop_map(Duration::from_secs);
    prop_oneof![
        3 => Just(Call::SpawnThread { image: image("thread") }),
        2 => Just(Call::Fork { image: image("child") }),
        1 => Just(Call::Exec { image: image("next") }),
        1 => any::<u8>().prop_map(|code| Call::ThreadExit { code }),
        1 => pid().prop_map(|tid| Call::Join { tid }),
        1 => Just(Call::Gettid),
        1 => Just(Call::WaitAny),
        1 => proptest::option::of(pid()).prop_map(|child| Call::TryWait { child }),
        1 => any::<bool>().prop_map(|on| Call::ChildSubreaper { on }),
        1 => (fd(), any::<bool>()).prop_map(|(fd, on)| Call::SetCloseOnExec { fd, on }),
        1 => fd().prop_map(|fd| Call::GetCloseOnExec { fd }),
        1 => (cell(), value(), value())
            .prop_map(|(cell, expected, new)| Call::CellSwap { cell, expected, new }),
        2 => (cell(), value(), proptest::option::of(time))
            .prop_map(|(cell, expected, timeout)| Call::FutexWait { cell, expected, timeout }),
        1 => (cell(), 0_u32..3).prop_map(|(cell, count)| Call::FutexWake { cell, count }),
    ]
}

/// Any call.
pub fn any_call() -> impl Strategy<Value = Call> {
    let pid = || prop_oneof![1 => 1_u32..4, 4 => 999_u32..1006].prop_map(Pid);
    let signal = || {
        use Signal::{Alrm, Cont, Kill, Probe, Stop};
        select(vec![Probe, Stop, Cont, Kill, Alrm, Alrm])
    };
    let disposition = prop_oneof![
        1 => Just(Disposition::Default),
        1 => Just(Disposition::Ignore),
        4 => any::<bool>().prop_map(|restart| Disposition::Handle { restart }),
    ];
    let clock = select(vec![Clock::Realtime, Clock::Monotonic, Clock::Boottime]);
    let time = || (0_u64..4).prop_map(Duration::from_secs);
    let flock = select(vec![FlockOp::Shared, FlockOp::Exclusive]);
    let cell = || select(vec!["x", "y"]);
    prop_oneof![
        20 => file_call(),
        10 => name_call(),
        8 => user_call(),
        10 => record_call(),
        2 => fd().prop_map(|fd| Call::Dup { fd }),
        4 => (signal(), disposition)
            .prop_map(|(signal, disposition)| Call::Sigaction { signal, disposition }),
        2 => time().prop_map(|after| Call::Setitimer { after }),
        3 => (fd(), flock).prop_map(|(fd, op)| Call::Flock { fd, op }),
        1 => fd().prop_map(|fd| Call::Fsync { fd }),
        1 => pid().prop_map(|pid| Call::ProcStat { pid }),
        1 => pid().prop_map(|pid| Call::ProcStatus { pid }),
        2 => (pid(), signal()).prop_map(|(pid, signal)| Call::Kill { pid, signal }),
        1 => any::<u8>().prop_map(|code| Call::Exit { code }),
        10 => task_call(),
        2 => pid().prop_map(|pid| Call::Wait { pid }),
        1 => Just(Call::Getppid),
        1 => signal().prop_map(|signal| Call::ParentDeathSignal { signal }),
        2 => pid().prop_map(|pid| Call::PidfdOpen { pid }),
        1 => (fd(), signal()).prop_map(|(pidfd, signal)| Call::PidfdSendSignal { pidfd, signal }),
        1 => (proptest::collection::vec(fd(), 0..3), proptest::option::of(time()))
            .prop_map(|(fds, timeout)| Call::Poll { fds: fds.into(), timeout }),
        20 => socket_call(),
        1 => clock.prop_map(|clock| Call::ClockGettime { clock }),
        1 => time().prop_map(|duration| Call::Nanosleep { duration }),
        1 => (0_u8..9).prop_map(|len| Call::Getrandom { len }),
        1 => cell().prop_map(|cell| Call::CellRead { cell: cell.into() }),
        1 => (cell(), -1_i64..2).prop_map(|(cell, value)| Call::CellWrite {
            cell: cell.into(),
            value
        }),
        1 => Just(Call::Getpid),
        1 => Just(Call::BootId),
        1 => Just(Call::PidNamespace),
        1 => Just(Call::Hostname),
    ]
}
