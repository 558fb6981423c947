use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};
use smol_str::SmolStr;

use crate::Image;

/// A process id as `getpid` gives it: reused, in time, for another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Pid(pub u32);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A file descriptor of the calling process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Fd(pub u32);

impl fmt::Display for Fd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How `open` opens. The constants combine with `|`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpenFlags(u8);

impl OpenFlags {
    /// `O_RDONLY`.
    pub const RDONLY: Self = Self(1);
    /// `O_WRONLY`.
    pub const WRONLY: Self = Self(2);
    /// `O_RDWR`.
    pub const RDWR: Self = Self(3);
    /// `O_CREAT`.
    pub const CREAT: Self = Self(4);
    /// `O_EXCL`.
    pub const EXCL: Self = Self(8);
    /// `O_TRUNC`.
    pub const TRUNC: Self = Self(16);
    /// `O_DIRECTORY`.
    pub const DIRECTORY: Self = Self(32);

    const NAMES: [(Self, &str); 4] = [
        (Self::CREAT, "O_CREAT"),
        (Self::EXCL, "O_EXCL"),
        (Self::TRUNC, "O_TRUNC"),
        (Self::DIRECTORY, "O_DIRECTORY"),
    ];

    /// Whether all of `other` is in here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether reading is asked for.
    pub const fn reads(self) -> bool {
        self.contains(Self::RDONLY)
    }

    /// Whether writing is asked for.
    pub const fn writes(self) -> bool {
        self.contains(Self::WRONLY)
    }
}

impl std::ops::BitOr for OpenFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for OpenFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.reads(), self.writes()) {
            (true, true) => "O_RDWR",
            (false, true) => "O_WRONLY",
            _ => "O_RDONLY",
        })?;
        for (flag, name) in Self::NAMES {
            if self.contains(flag) {
                write!(f, "|{name}")?;
            }
        }
        Ok(())
    }
}

impl Serialize for OpenFlags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Debug for OpenFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What `flock` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlockOp {
    /// `LOCK_SH`: waits until no other description holds it exclusively.
    Shared,
    /// `LOCK_EX`: waits until no other description holds it.
    Exclusive,
    /// `LOCK_SH | LOCK_NB`.
    TryShared,
    /// `LOCK_EX | LOCK_NB`.
    TryExclusive,
    /// `LOCK_UN`.
    Unlock,
}

/// The signals that `kill` can send here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// Signal 0: only asks whether the signal could be sent.
    Probe,
    /// `SIGSTOP`.
    Stop,
    /// `SIGCONT`.
    Cont,
    /// `SIGKILL`.
    Kill,
}

/// The clocks of `clock_gettime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// `CLOCK_REALTIME`: since 1970; can be set.
    Realtime,
    /// `CLOCK_MONOTONIC`: since boot, without the time asleep.
    Monotonic,
    /// `CLOCK_BOOTTIME`: since boot, with the time asleep.
    Boottime,
}

/// One system call: data before it runs, one atomic step when it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the fields are the arguments of the Linux calls")]
pub enum Call {
    Open {
        path: SmolStr,
        flags: OpenFlags,
    },
    Read {
        fd: Fd,
        len: u32,
    },
    Write {
        fd: Fd,
        data: Arc<[u8]>,
    },
    Close {
        fd: Fd,
    },
    Stat {
        path: SmolStr,
    },
    Fstat {
        fd: Fd,
    },
    Link {
        old: SmolStr,
        new: SmolStr,
    },
    Rename {
        old: SmolStr,
        new: SmolStr,
    },
    Unlink {
        path: SmolStr,
    },
    Mkdir {
        path: SmolStr,
    },
    Rmdir {
        path: SmolStr,
    },
    /// `getdents`: every entry but `.` and `..`, sorted by name.
    Readdir {
        fd: Fd,
    },
    Flock {
        fd: Fd,
        op: FlockOp,
    },
    Getpid,
    /// One reading of `/proc/PID/stat`.
    ProcStat {
        pid: Pid,
    },
    /// One reading of `/proc/sys/kernel/random/boot_id`.
    BootId,
    Kill {
        pid: Pid,
        signal: Signal,
    },
    /// Our fork: a child that runs `image`, inherits the descriptors `keep`
    /// under their numbers, and a copy of every memory cell.
    Spawn {
        image: Image,
        keep: Arc<[Fd]>,
    },
    Exit {
        code: u8,
    },
    /// Waits for the child `pid` to end and takes its status; with a deadline,
    /// no longer than `timeout` (`None` in the reply).
    Wait {
        pid: Pid,
        timeout: Option<Duration>,
    },
    ClockGettime {
        clock: Clock,
    },
    Nanosleep {
        duration: Duration,
    },
    Getrandom {
        len: u8,
    },
    /// Reads a memory cell of this process; one never written holds 0.
    CellRead {
        cell: SmolStr,
    },
    CellWrite {
        cell: SmolStr,
        value: i64,
    },
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { path, flags } => write!(f, "open {path} {flags}"),
            Self::Read { fd, len } => write!(f, "read {fd} {len}"),
            Self::Write { fd, data } => write!(f, "write {fd} {:?}", String::from_utf8_lossy(data)),
            Self::Close { fd } => write!(f, "close {fd}"),
            Self::Stat { path } => write!(f, "stat {path}"),
            Self::Fstat { fd } => write!(f, "fstat {fd}"),
            Self::Link { old, new } => write!(f, "link {old} {new}"),
            Self::Rename { old, new } => write!(f, "rename {old} {new}"),
            Self::Unlink { path } => write!(f, "unlink {path}"),
            Self::Mkdir { path } => write!(f, "mkdir {path}"),
            Self::Rmdir { path } => write!(f, "rmdir {path}"),
            Self::Readdir { fd } => write!(f, "readdir {fd}"),
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
            Self::Getpid => f.write_str("getpid"),
            Self::ProcStat { pid } => write!(f, "stat of pid {pid}"),
            Self::BootId => f.write_str("boot_id"),
            Self::Kill { pid, signal } => {
                let signal = match signal {
                    Signal::Probe => "0",
                    Signal::Stop => "STOP",
                    Signal::Cont => "CONT",
                    Signal::Kill => "KILL",
                };
                write!(f, "kill {pid} {signal}")
            }
            Self::Spawn { image, .. } => write!(f, "spawn {}", image.name()),
            Self::Exit { code } => write!(f, "exit {code}"),
            Self::Wait { pid, timeout: None } => write!(f, "wait {pid}"),
            Self::Wait { pid, timeout: Some(limit) } => write!(f, "wait {pid} at most {limit:?}"),
            Self::ClockGettime { clock } => write!(f, "clock {clock:?}"),
            Self::Nanosleep { duration } => write!(f, "sleep {duration:?}"),
            Self::Getrandom { len } => write!(f, "getrandom {len}"),
            Self::CellRead { cell } => write!(f, "cell {cell}"),
            Self::CellWrite { cell, value } => write!(f, "cell {cell} := {value}"),
        }
    }
}
