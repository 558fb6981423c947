use std::time::Duration;

use locklab_sys::SmolStr;

use super::World;
use crate::choice::Choice;
use crate::kernel::ProcId;
use crate::seconds::Seconds;
use crate::setup::Action;

impl World {
    /// A choice's name in schedules, where names never number what they name.
    pub fn name(&self, choice: Choice) -> SmolStr {
        let process = |proc: ProcId| &self.kernel.process(proc).name;
        match choice {
            Choice::Step(task) => process(self.kernel.process_of(task)).clone(),
            Choice::Jump => SmolStr::new_static("jump"),
            Choice::Launch(index) => named("launch", &self.setup.processes[index].name),
            Choice::Fault(index) => self.fault_name(index),
            Choice::Stop(proc) => named("stop", process(proc)),
            Choice::Continue(proc) => named("cont", process(proc)),
            Choice::Feed(proc) => named("feed", process(proc)),
            Choice::Kill(proc) => named("kill", process(proc)),
            Choice::Until(time) => named("until", &Seconds(time).to_string()),
            Choice::Reuse(proc) => named("reuse", process(proc)),
            Choice::Quiet => SmolStr::new_static("quiet"),
        }
    }

    fn fault_name(&self, index: usize) -> SmolStr {
        let fault = &self.setup.story[index];
        let process = &self.setup.processes[fault.process].name;
        let nth = if fault.nth == 1 { String::new() } else { format!(".{}", fault.nth) };
        let after = match fault.after {
            Duration::ZERO => String::new(),
            after => format!("+{}", Seconds(after)),
        };
        let action = match fault.action {
            Action::Stop(time) => format!("stop.{}", Seconds(time)),
            Action::Starve(time) => format!("starve.{}", Seconds(time)),
            Action::Kill => "kill".to_owned(),
            Action::KillAndReuse(time) => format!("kill-and-reuse.{}", Seconds(time)),
            Action::ClockForward(time) => format!("clock-forward.{}", Seconds(time)),
            Action::ClockBack(time) => format!("clock-back.{}", Seconds(time)),
        };
        smol_str::format_smolstr!("fault:{process}@{}{nth}{after}:{action}", fault.at)
    }
}

fn named(kind: &str, what: &str) -> SmolStr {
    smol_str::format_smolstr!("{kind}:{what}")
}
