use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Pid;

/// What `flock` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// `struct flock`: how a range of a file is locked, or is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RecordLock {
    /// `l_type`.
    pub kind: LockKind,
    /// `l_start`: the first byte, from the file's beginning.
    pub start: i64,
    /// `l_len`: how many bytes; 0 for all there can ever be, negative for those
    /// before `start`.
    pub len: i64,
}

/// `l_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockKind {
    /// `F_RDLCK`: others may have it beside.
    Read,
    /// `F_WRLCK`.
    Write,
    /// `F_UNLCK`.
    Unlock,
}

/// What `fcntl` does with a record lock: with one of the process, or with one
/// (`F_OFD`) of the open file description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockCommand {
    /// `F_SETLK`.
    Set,
    /// `F_SETLKW`: waits.
    SetWait,
    /// `F_GETLK`: what is in the way.
    Get,
    /// `F_OFD_SETLK`.
    OfdSet,
    /// `F_OFD_SETLKW`: waits.
    OfdSetWait,
    /// `F_OFD_GETLK`: what is in the way; with `F_UNLCK`, what the description has.
    OfdGet,
}

/// A lock that `F_GETLK` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeldLock {
    /// The lock.
    pub lock: RecordLock,
    /// `l_pid`: whose it is; none (-1 in Linux) for that of a description.
    pub pid: Option<Pid>,
}

impl fmt::Display for RecordLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}+{}", self.kind, self.start, self.len)
    }
}

impl fmt::Display for LockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "F_RDLCK",
            Self::Write => "F_WRLCK",
            Self::Unlock => "F_UNLCK",
        })
    }
}

impl fmt::Display for LockCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Set => "F_SETLK",
            Self::SetWait => "F_SETLKW",
            Self::Get => "F_GETLK",
            Self::OfdSet => "F_OFD_SETLK",
            Self::OfdSetWait => "F_OFD_SETLKW",
            Self::OfdGet => "F_OFD_GETLK",
        })
    }
}

impl fmt::Display for HeldLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "{} of {pid}", self.lock),
            None => write!(f, "{} of a description", self.lock),
        }
    }
}
