use std::time::Duration;

use crate::kernel::Places;
use crate::kernel::{IoCall, MachineId, ProcId, TaskId};
use crate::mishap::Mishap;

/// What may happen next: a step of a task, or a move of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// A process's next such call on a file fails.
    FailIo(ProcId, IoCall),
    /// Something happens to a machine.
    Mishap(MachineId, Mishap),
    /// A machine that was suspended or paused runs again.
    Wake(MachineId),
    /// A disk has room again.
    Drain(MachineId),
    /// The adversary falls silent for good; every stopped process continues.
    Quiet,
}

impl Choice {
    /// Whether it is a task's own step, or the time that only passes because
    /// nobody has one: what needs no adversary and no story.
    pub fn is_ordinary(self) -> bool {
        matches!(self, Self::Step(_) | Self::Jump)
    }

    /// The same choice, had processes changed places.
    pub(crate) fn renamed(self, places: &Places) -> Self {
        match self {
            Self::Step(task) => Self::Step(places.task(task)),
            Self::Stop(proc) => Self::Stop(places.proc(proc)),
            Self::Continue(proc) => Self::Continue(places.proc(proc)),
            Self::Feed(proc) => Self::Feed(places.proc(proc)),
            Self::Kill(proc) => Self::Kill(places.proc(proc)),
            Self::Reuse(proc) => Self::Reuse(places.proc(proc)),
            Self::FailIo(proc, call) => Self::FailIo(places.proc(proc), call),
            Self::Jump
            | Self::Launch(_)
            | Self::Fault(_)
            | Self::Until(_)
            | Self::Mishap(..)
            | Self::Wake(_)
            | Self::Drain(_)
            | Self::Quiet => self,
        }
    }

    /// Whether it happens when its time has come, whoever chooses, and never else.
    pub(crate) fn comes_by_itself(self) -> bool {
        use Choice::{Drain, Fault, Feed, Launch, Wake};
        matches!(self, Launch(_) | Fault(_) | Feed(_) | Wake(_) | Drain(_))
    }

    /// The name of the budget that it is taken from, if it is an adversary's.
    pub fn budget(self) -> Option<&'static str> {
        Some(match self {
            Self::Stop(_) => "stops",
            Self::Kill(_) => "kills",
            Self::Until(_) => "passes",
            Self::Reuse(_) => "reuses",
            Self::FailIo(..) => "io-errors",
            Self::Mishap(_, Mishap::Sleep(_)) => "sleeps",
            Self::Mishap(_, Mishap::Pause(_)) => "pauses",
            Self::Mishap(_, Mishap::Reboot) => "reboots",
            Self::Mishap(_, Mishap::PowerLoss(_)) => "power-losses",
            Self::Mishap(_, Mishap::ClockForward(_) | Mishap::ClockBack(_)) => "clock-steps",
            Self::Mishap(_, Mishap::FullDisk(_)) => "full-disks",
            _ => return None,
        })
    }
}
