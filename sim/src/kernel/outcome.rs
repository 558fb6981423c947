use locklab_sys::{Image, Reply};

use super::{ProcId, TaskId};

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returned.
    Done(Reply),
    /// It returned, and there is a child that is to run `image`.
    Spawned {
        /// What the parent is told: the child's pid.
        reply: Reply,
        /// The child.
        proc: ProcId,
        /// The child's first task.
        task: TaskId,
        /// What the child runs.
        image: Image,
    },
    /// It waits: see [`Kernel::ready`](super::Kernel::ready).
    Blocked,
    /// It does not return: the caller has ended.
    Ended,
}
