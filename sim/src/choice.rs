use std::time::Duration;

use crate::kernel::{ProcId, TaskId};

/// What may happen next: a step of a task, or a move of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The task performs its next call, or its blocked call returns.
    Step(TaskId),
    /// Nobody can run: time jumps to the next timer.
    Jump,
    /// Init launches a process of the set-up.
    Launch(usize),
    /// A fault of the story takes effect.
    Fault(usize),
    /// A process is stopped.
    Stop(ProcId),
    /// A stopped process is continued.
    Continue(ProcId),
    /// A starved process has the processor again.
    Feed(ProcId),
    /// A process is killed.
    Kill(ProcId),
    /// Time passes while somebody could run: until then, since the world began.
    Until(Duration),
    /// A stranger gets a dead process's pid.
    Reuse(ProcId),
    /// The adversary falls silent for good; every stopped process continues.
    Quiet,
}

impl Choice {
    /// Whether it is a task's own step, or the time that only passes because
    /// nobody has one: what needs no adversary and no story.
    pub fn is_ordinary(self) -> bool {
        matches!(self, Self::Step(_) | Self::Jump)
    }
}
