use locklab_sys::{Image, Reply};

use super::{ProcId, TaskId};

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returned.
    Done(Reply),
    /// It returned, and there is a child or a thread that is to run `image`.
    Spawned {
        /// What the caller is told: the child's pid, or the thread's id.
        reply: Reply,
        /// The child, or the process of the thread.
        proc: ProcId,
        /// The child's first task, or the thread.
        task: TaskId,
        /// What it runs.
        image: Image,
    },
    /// It does not return: the caller runs `image` from its beginning.
    Executed {
        /// What it runs.
        image: Image,
    },
    /// It waits: see [`Kernel::ready`](super::Kernel::ready).
    Blocked,
    /// It does not return: the caller has ended, alone or with its process.
    Ended,
}
