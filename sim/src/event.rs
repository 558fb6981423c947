use locklab_sys::{Happening, SmolStr};

use crate::kernel::{Effect, ProcId, TaskId};

/// What a step or a move brought about, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// What the kernel saw.
    Effect(Effect),
    /// What a program said.
    Said {
        /// The task that runs it.
        task: TaskId,
        /// The process of that task.
        proc: ProcId,
        /// A point or a mark.
        said: Happening,
    },
    /// A program panicked; its process ends.
    Aborted {
        /// The process.
        proc: ProcId,
        /// The panic's message.
        message: SmolStr,
    },
    /// A process could run, and is not given the processor.
    Starved {
        /// The process.
        proc: ProcId,
    },
    /// A starved process is given the processor again.
    Fed {
        /// The process.
        proc: ProcId,
    },
    /// Time passed while somebody could have run.
    TimePassed,
    /// A realtime clock was set.
    ClockSet,
    /// The adversary is silent from here on.
    Quiet,
}
