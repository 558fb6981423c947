use std::time::Duration;

use locklab_sys::SmolStr;

use crate::kernel::{ProcId, TaskId};
use crate::seconds::Seconds;
use crate::setup::Action;
use crate::world::World;

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

    /// Its name in schedules, where names never number what they name.
    pub fn name(self, world: &World) -> SmolStr {
        let process = |proc: ProcId| &world.kernel().process(proc).name;
        match self {
            Self::Step(task) => process(world.kernel().process_of(task)).clone(),
            Self::Jump => SmolStr::new_static("jump"),
            Self::Launch(index) => named("launch", &world.setup().processes[index].name),
            Self::Fault(index) => fault_name(world, index),
            Self::Stop(proc) => named("stop", process(proc)),
            Self::Continue(proc) => named("cont", process(proc)),
            Self::Kill(proc) => named("kill", process(proc)),
            Self::Until(time) => named("until", &Seconds(time).to_string()),
            Self::Reuse(proc) => named("reuse", process(proc)),
            Self::Quiet => SmolStr::new_static("quiet"),
        }
    }
}

fn named(kind: &str, what: &str) -> SmolStr {
    smol_str::format_smolstr!("{kind}:{what}")
}

fn fault_name(world: &World, index: usize) -> SmolStr {
    let fault = &world.setup().story[index];
    let process = &world.setup().processes[fault.process].name;
    let nth = if fault.nth == 1 { String::new() } else { format!(".{}", fault.nth) };
    let action = match fault.action {
        Action::Stop(time) => format!("stop.{}", Seconds(time)),
        Action::Kill => "kill".to_owned(),
        Action::KillAndReuse(time) => format!("kill-and-reuse.{}", Seconds(time)),
        Action::ClockForward(time) => format!("clock-forward.{}", Seconds(time)),
        Action::ClockBack(time) => format!("clock-back.{}", Seconds(time)),
    };
    smol_str::format_smolstr!("fault:{process}@{}{nth}:{action}", fault.at)
}
