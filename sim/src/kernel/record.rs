//! The record locks of a machine, as `fs/locks.c` has them.

mod calls;
mod range;
mod table;
mod waits;

use super::fs::{DescriptionId, LockMode, Target};
use super::reuse::reusing_clone;
use super::{ProcId, TaskId};
use range::Range;

/// Whose a record lock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Owner {
    /// What `F_SETLK` makes.
    Process(ProcId),
    /// What `F_OFD_SETLK` makes.
    Description(DescriptionId),
}

/// A record lock that is held, or asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Lock {
    target: Target,
    owner: Owner,
    mode: LockMode,
    range: Range,
}

impl Lock {
    /// Whether one owner may not have this while another has `other`.
    fn conflicts(&self, other: &Self) -> bool {
        self.target == other.target
            && self.owner != other.owner
            && self.range.overlaps(other.range)
            && (self.mode, other.mode) != (LockMode::Shared, LockMode::Shared)
    }
}

/// A task that waits for a record lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wait {
    task: TaskId,
    asked: Lock,
    state: WaitState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum WaitState {
    /// For this to go; others may be in the way too.
    On(Blocker),
    /// It was woken, and nothing is in the way.
    Over,
    /// The call fails with EDEADLK.
    Deadlocked,
    /// The process is stopped: it will ask again when it goes on.
    Stopped,
}

/// What a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Blocker {
    /// A lock of the table.
    Lock(usize),
    /// Another wait, which came before: Linux does not wake all at once.
    Wait(TaskId),
}

/// The record locks of a machine, and who waits for one.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct RecordLocks {
    /// By target; of one target, those of one owner together, owners in the
    /// order of their first locks; of one owner, by range. Of one owner no two
    /// overlap, and those that touch differ in mode.
    table: Vec<Lock>,
    /// In the order in which they began to wait, or to wait again.
    waits: Vec<Wait>,
}

reusing_clone!(RecordLocks { table, waits });
