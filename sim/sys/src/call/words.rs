use std::fmt;
use std::time::Duration;

use super::Call;
use crate::{Direction, FlockOp, Mode, Shutdown};

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { path, flags, mode: Mode::FILE } => write!(f, "open {path} {flags}"),
            Self::Open { path, flags, mode } => write!(f, "open {path} {flags} {mode}"),
            Self::Read { fd, len } => write!(f, "read {fd} {len}"),
            Self::Write { fd, data } => write!(f, "write {fd} {:?}", String::from_utf8_lossy(data)),
            Self::Close { fd } => write!(f, "close {fd}"),
            Self::Dup { fd } => write!(f, "dup {fd}"),
            Self::Stat { path } => write!(f, "stat {path}"),
            Self::Lstat { path } => write!(f, "lstat {path}"),
            Self::Fstat { fd } => write!(f, "fstat {fd}"),
            Self::Link { old, new } => write!(f, "link {old} {new}"),
            Self::LinkFd { fd, new } => write!(f, "linkat fd {fd} {new}"),
            Self::Symlink { target, path } => write!(f, "symlink {target} {path}"),
            Self::Readlink { path } => write!(f, "readlink {path}"),
            Self::Rename { old, new } => write!(f, "rename {old} {new}"),
            Self::Renameat2 { old, new, flag } => write!(f, "renameat2 {old} {new} {flag}"),
            Self::Unlink { path } => write!(f, "unlink {path}"),
            Self::Funlinkat { path, fd, removedir } => {
                let flag = if *removedir { " AT_REMOVEDIR" } else { "" };
                write!(f, "funlinkat {path} {fd}{flag}")
            }
            Self::Mkdir { path, mode: Mode::DIRECTORY } => write!(f, "mkdir {path}"),
            Self::Mkdir { path, mode } => write!(f, "mkdir {path} {mode}"),
            Self::Rmdir { path } => write!(f, "rmdir {path}"),
            Self::Fsync { fd } => write!(f, "fsync {fd}"),
            Self::Readdir { fd } => write!(f, "readdir {fd}"),
            Self::Utimensat { path, mtime, follow } => {
                let flag = if *follow { "" } else { " AT_SYMLINK_NOFOLLOW" };
                write!(f, "utimensat {path} {}{flag}", time_words(*mtime))
            }
            Self::Futimens { fd, mtime } => {
                write!(f, "futimens {fd} {}", time_words(*mtime))
            }
            Self::Flock { fd, op } => {
                let op = match op {
                    FlockOp::Shared => "LOCK_SH",
                    FlockOp::Exclusive => "LOCK_EX",
                    FlockOp::TryShared => "LOCK_SH|LOCK_NB",
                    FlockOp::TryExclusive => "LOCK_EX|LOCK_NB",
                    FlockOp::Unlock => "LOCK_UN",
                };
                write!(f, "flock {fd} {op}")
            }
            Self::Chmod { path, mode } => write!(f, "chmod {path} {mode}"),
            Self::Fchmod { fd, mode } => write!(f, "fchmod {fd} {mode}"),
            Self::Chown { path, uid } => write!(f, "chown {path} {uid}"),
            Self::Getuid => f.write_str("getuid"),
            Self::Setuid { uid } => write!(f, "setuid {uid}"),
            Self::Fcntl { fd, command, lock } => write!(f, "fcntl {fd} {command} {lock}"),
            Self::Getpid => f.write_str("getpid"),
            Self::ProcStat { pid } => write!(f, "stat of pid {pid}"),
            Self::BootId => f.write_str("boot_id"),
            Self::PidNamespace => f.write_str("readlink /proc/self/ns/pid"),
            Self::Hostname => f.write_str("gethostname"),
            Self::Kill { pid, signal } => write!(f, "kill {pid} {signal}"),
            Self::Spawn { image, .. } => write!(f, "spawn {}", image.name()),
            Self::Fork { image } => write!(f, "fork {}", image.name()),
            Self::Exec { image } => write!(f, "exec {}", image.name()),
            Self::SetCloseOnExec { fd, on } => {
                write!(f, "fcntl {fd} F_SETFD {}", if *on { "FD_CLOEXEC" } else { "0" })
            }
            Self::GetCloseOnExec { fd } => write!(f, "fcntl {fd} F_GETFD"),
            Self::Exit { code } => write!(f, "exit {code}"),
            Self::Wait { pid } => write!(f, "wait {pid}"),
            Self::WaitAny => f.write_str("wait any"),
            Self::TryWait { child: Some(pid) } => write!(f, "wait {pid} WNOHANG"),
            Self::TryWait { child: None } => f.write_str("wait any WNOHANG"),
            Self::ChildSubreaper { on } => write!(f, "child subreaper {on}"),
            Self::SpawnThread { image } => write!(f, "thread {}", image.name()),
            Self::Gettid => f.write_str("gettid"),
            Self::ThreadExit { code } => write!(f, "thread exit {code}"),
            Self::Join { tid } => write!(f, "join {tid}"),
            Self::Getppid => f.write_str("getppid"),
            Self::ParentDeathSignal { signal } => write!(f, "parent death signal {signal}"),
            Self::Sigaction { signal, disposition } => {
                write!(f, "sigaction {signal} {disposition}")
            }
            Self::Setitimer { after } => write!(f, "setitimer {after:?}"),
            Self::PidfdOpen { pid } => write!(f, "pidfd_open {pid}"),
            Self::PidfdSendSignal { pidfd, signal } => {
                write!(f, "pidfd_send_signal {pidfd} {signal}")
            }
            Self::Poll { fds, timeout } => {
                f.write_str("poll")?;
                fds.iter().try_for_each(|fd| write!(f, " {fd}"))?;
                timeout.iter().try_for_each(|limit| write!(f, " at most {limit:?}"))
            }
            Self::Socket => f.write_str("socket"),
            Self::Bind { fd, path } => write!(f, "bind {fd} {path}"),
            Self::Listen { fd, backlog } => write!(f, "listen {fd} {backlog}"),
            Self::Connect { fd, path } => write!(f, "connect {fd} {path}"),
            Self::Accept { fd } => write!(f, "accept {fd}"),
            Self::Send { fd, data } => write!(f, "send {fd} {:?}", String::from_utf8_lossy(data)),
            Self::Recv { fd, len } => write!(f, "recv {fd} {len}"),
            Self::Shutdown { fd, how } => {
                let how = match how {
                    Shutdown::Read => "SHUT_RD",
                    Shutdown::Write => "SHUT_WR",
                    Shutdown::Both => "SHUT_RDWR",
                };
                write!(f, "shutdown {fd} {how}")
            }
            Self::SetTimeout { fd, of, timeout } => {
                let option = match of {
                    Direction::Receive => "SO_RCVTIMEO",
                    Direction::Send => "SO_SNDTIMEO",
                };
                let timeout = timeout.unwrap_or_default();
                write!(f, "setsockopt {fd} {option} {timeout:?}")
            }
            Self::PeerCred { fd } => write!(f, "getsockopt {fd} SO_PEERCRED"),
            Self::ClockGettime { clock } => write!(f, "clock {clock:?}"),
            Self::Nanosleep { duration } => write!(f, "sleep {duration:?}"),
            Self::Getrandom { len } => write!(f, "getrandom {len}"),
            Self::CellRead { cell } => write!(f, "cell {cell}"),
            Self::CellWrite { cell, value } => write!(f, "cell {cell} := {value}"),
            Self::CellSwap { cell, expected, new } => {
                write!(f, "cell {cell} := {new} if {expected}")
            }
            Self::FutexWait { cell, expected, timeout } => {
                write!(f, "futex wait while {cell} is {expected}")?;
                timeout.iter().try_for_each(|limit| write!(f, " at most {limit:?}"))
            }
            Self::FutexWake { cell, count } => write!(f, "futex wake {count} of {cell}"),
            Self::ProcStatus { pid } => write!(f, "status of pid {pid}"),
        }
    }
}

/// What a time is set to.
fn time_words(time: Option<Duration>) -> String {
    time.map_or_else(|| "UTIME_NOW".to_owned(), |time| format!("{time:?}"))
}
