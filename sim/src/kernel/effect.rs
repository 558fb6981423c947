use locklab_sys::{ExitStatus, SmolStr};
use serde::Serialize;

use super::{IoCall, ProcId, TaskId};

/// By what kind of call a name began to stand for an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Naming {
    /// By one that fails if the name stands for anything, as `link`, `symlink`, `mkdir`,
    /// `bind`, `open` with `O_EXCL` and `RENAME_NOREPLACE` do; and `rename` of a directory,
    /// which fails if the name stands for anything but an empty one.
    Exclusive,
    /// By `open` with `O_CREAT` alone, which had opened what stood there, whosever it was.
    Created,
    /// By `rename` of a file, which takes the place of one that stands there.
    Moved,
}

/// Something the kernel saw happen, whatever programs believe.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the variants say what their fields are")]
pub enum Effect {
    /// A process began.
    Started { proc: ProcId },
    /// A process was stopped.
    Stopped { proc: ProcId },
    /// A stopped process was continued.
    Continued { proc: ProcId },
    /// A process ended; it may be a zombie still.
    Ended { proc: ProcId, status: ExitStatus },
    /// A process has one more thread.
    ThreadStarted { proc: ProcId, task: TaskId },
    /// A thread ended; its process goes on.
    ThreadEnded { proc: ProcId, task: TaskId },
    /// A name began to stand for an inode that `maker` once created.
    NameAdded { path: SmolStr, ino: u64, maker: ProcId, by: ProcId, how: Naming },
    /// A name that stood for an inode is not there after a boot: it was on tmpfs,
    /// or was lost with the power.
    NameLost { path: SmolStr, ino: u64, maker: ProcId },
    /// A name stands for an inode again after a boot: what had become of it was
    /// lost with the power.
    NameFound { path: SmolStr, ino: u64, maker: ProcId },
    /// A call of a process was made to fail.
    IoFailed { proc: ProcId, call: IoCall },
    /// A name no longer stands for an inode that `maker` once created. All that
    /// a call removes is told before what it adds: two names that are exchanged
    /// are both removed, then both added.
    NameRemoved { path: SmolStr, ino: u64, maker: ProcId, by: ProcId },
}
