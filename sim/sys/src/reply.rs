use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::{Errno, Fd, HeldLock, LockKind, Mode, Pid, Uid};

/// What a call gave back.
pub type Reply = Result<Ret, Errno>;

/// The values of calls that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ret {
    /// Nothing but success.
    Unit,
    /// A descriptor: `open`, `dup`, `socket`, `accept`, `pidfd_open`.
    Fd(Fd),
    /// A process or thread: `getpid`, `getppid`, `spawn`, `gettid`.
    Pid(Pid),
    /// Bytes: `read`, `recv`, `getrandom`.
    Bytes(Arc<[u8]>),
    /// A count of bytes: `write`, `send`.
    Len(u32),
    /// `stat`, `lstat`, `fstat`.
    Stat(Stat),
    /// Where a symbolic link leads.
    Path(SmolStr),
    /// The names in a directory.
    Names(Arc<[DirEntry]>),
    /// A line of `/proc/PID/stat`.
    ProcStat(ProcStat),
    /// The boot id.
    BootId(u128),
    /// The inode number of a pid namespace.
    Namespace(u64),
    /// The host name.
    Hostname(SmolStr),
    /// How a child ended.
    Exited(ExitStatus),
    /// Which child has ended, of several; none that could be taken without waiting.
    Child(Option<(Pid, ExitStatus)>),
    /// Whether a descriptor is closed by exec.
    CloseOnExec(bool),
    /// Which descriptors can be read, as `poll` was asked; none when the
    /// deadline came first.
    Ready(Arc<[Fd]>),
    /// What `F_GETLK` found; nothing is `F_UNLCK`.
    Lock(Option<HeldLock>),
    /// The other end of a connection.
    PeerCred(PeerCred),
    /// A user: `getuid`.
    Uid(Uid),
    /// A clock's reading, since that clock's zero; what was left of a timer.
    Time(Duration),
    /// A memory cell's value.
    Cell(i64),
    /// What `/proc/PID/status` says.
    ProcStatus(ProcStatus),
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DirEntry {
    /// The name.
    pub name: SmolStr,
    /// The inode number it stands for.
    pub ino: u64,
}

/// What an inode is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A socket: the name it is bound to, or the socket itself.
    Socket,
    /// A process, through a pidfd; Linux tells no type of it, or that of a file.
    Process,
}

/// Who was at the other end of a connection when it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PeerCred {
    /// Its pid then, as the reader's namespace has it: another process may have it
    /// by now. 0 if there is nobody, or nobody that the namespace knows.
    pub pid: Pid,
    /// Its user then; the highest number if there is nobody.
    pub uid: Uid,
}

/// What `stat` tells of an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stat {
    /// Inode number: the same number may mean another file once this one is gone.
    pub ino: u64,
    /// What it is.
    pub kind: FileKind,
    /// How many names it has.
    pub nlink: u32,
    /// Bytes in it.
    pub size: u32,
    /// Time of the last change of its content, by the realtime clock of the
    /// machine that keeps the file. Programs can set it.
    pub mtime: Duration,
    /// Time of the last change of anything about it but of its path: content,
    /// names, times. Programs cannot set it.
    pub ctime: Duration,
    /// Whose it is.
    pub uid: Uid,
    /// Its permissions.
    pub mode: Mode,
}

/// The state letter of `/proc/PID/stat` and `/proc/PID/status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcState {
    /// `R` or `S`: running, or waiting in a call.
    Running,
    /// `T`: stopped by a signal.
    Stopped,
    /// `Z`: ended, and not yet waited for.
    Zombie,
}

/// One reading of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcStat {
    /// The state letter.
    pub state: ProcState,
    /// The parent's pid; 0 when the parent is outside of the reader's namespace.
    pub ppid: Pid,
    /// When it started, in ticks of 10 ms since boot.
    pub start_ticks: u64,
}

/// One reading of `/proc/PID/status`, of a process or of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcStatus {
    /// The state letter.
    pub state: ProcState,
    /// `Tgid`: the pid of its process. An id that has another is a thread's.
    pub tgid: Pid,
    /// `PPid`: the parent's pid; 0 when the parent is outside of the reader's
    /// namespace.
    pub ppid: Pid,
    /// The first of `Uid`: the real user.
    pub uid: Uid,
    /// `NSpid`: its id in each pid namespace, from the reader's, where it is the
    /// one asked for, down to its own.
    pub namespace_pids: Arc<[Pid]>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExitStatus {
    /// It called `exit` with this code.
    Code(u8),
    /// `SIGKILL` ended it.
    Killed,
    /// `SIGALRM` ended it.
    Alarmed,
    /// It aborted: a panic in a program.
    Aborted,
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "code {code}"),
            Self::Killed => f.write_str("killed"),
            Self::Alarmed => f.write_str("alarmed"),
            Self::Aborted => f.write_str("aborted"),
        }
    }
}

impl fmt::Display for Ret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit => f.write_str("ok"),
            Self::Fd(fd) => write!(f, "fd {fd}"),
            Self::Pid(pid) => write!(f, "pid {pid}"),
            Self::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if !text.contains(char::is_control) => write!(f, "{text:?}"),
                _ => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            },
            Self::Len(len) => write!(f, "{len}"),
            Self::Stat(stat) => {
                write!(f, "inode {}, {} bytes, mtime {:?}", stat.ino, stat.size, stat.mtime)
            }
            Self::Path(path) => path.fmt(f),
            Self::Names(names) if names.is_empty() => f.write_str("empty"),
            Self::Names(names) => {
                let names: Vec<&str> = names.iter().map(|entry| entry.name.as_str()).collect();
                f.write_str(&names.join(" "))
            }
            Self::ProcStat(stat) => {
                write!(f, "{:?}, started at tick {}", stat.state, stat.start_ticks)
            }
            Self::BootId(id) => write!(f, "{:08x}", id >> 96),
            Self::Namespace(number) => write!(f, "pid:[{number}]"),
            Self::Hostname(name) => f.write_str(name),
            Self::Exited(status) => status.fmt(f),
            Self::Child(None) => f.write_str("none yet"),
            Self::Child(Some((pid, status))) => write!(f, "pid {pid}, {status}"),
            Self::CloseOnExec(on) => f.write_str(if *on { "FD_CLOEXEC" } else { "0" }),
            Self::Ready(fds) if fds.is_empty() => f.write_str("timed out"),
            Self::Ready(fds) => {
                let fds: Vec<String> = fds.iter().map(Fd::to_string).collect();
                f.write_str(&fds.join(" "))
            }
            Self::Lock(Some(held)) => held.fmt(f),
            Self::Lock(None) => LockKind::Unlock.fmt(f),
            Self::PeerCred(cred) => write!(f, "pid {}", cred.pid),
            Self::Uid(uid) => write!(f, "uid {uid}"),
            Self::Time(time) => write!(f, "{time:?}"),
            Self::Cell(value) => value.fmt(f),
            Self::ProcStatus(status) => {
                let ProcStatus { state, tgid, ppid, uid, namespace_pids } = status;
                write!(f, "{state:?}, tgid {tgid}, parent {ppid}, uid {uid}, pids")?;
                namespace_pids.iter().try_for_each(|pid| write!(f, " {pid}"))
            }
        }
    }
}
