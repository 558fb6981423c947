use std::time::Duration;

use locklab_sys::SmolStr;

use super::World;
use crate::choice::Choice;
use crate::kernel::{IoCall, MachineId, ProcId};
use crate::seconds::Seconds;
use crate::setup::Action;

impl World {
    /// A choice's name in schedules, where names never number what they name.
    pub fn name(&self, choice: Choice) -> SmolStr {
        let process = |proc: ProcId| &self.state.kernel.process(proc).name;
        match choice {
            Choice::Step(task) => self.state.kernel.task_name(task),
            Choice::Jump => SmolStr::new_static("jump"),
            Choice::Launch(index) => named("launch", &self.state.setup.processes[index].name),
            Choice::Fault(index) => self.fault_name(index),
            Choice::Stop(proc) => named("stop", process(proc)),
            Choice::Continue(proc) => named("cont", process(proc)),
            Choice::Feed(proc) => named("feed", process(proc)),
            Choice::Kill(proc) => named("kill", process(proc)),
            Choice::Until(time) => named("until", &Seconds(time).to_string()),
            Choice::Reuse(proc) => named("reuse", process(proc)),
            Choice::FailIo(proc, call) => named(fail_name(call), process(proc)),
            Choice::Mishap(machine, mishap) => named(&mishap.to_string(), self.machine(machine)),
            Choice::Wake(machine) => named("wake", self.machine(machine)),
            Choice::Drain(machine) => named("drain", self.machine(machine)),
            Choice::Quiet => SmolStr::new_static("quiet"),
        }
    }

    fn machine(&self, machine: MachineId) -> &str {
        &self.state.setup.machines[usize::from(machine.0)].name
    }

    fn fault_name(&self, index: usize) -> SmolStr {
        let fault = &self.state.setup.story[index];
        let process = &self.state.setup.processes[fault.process].name;
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
            Action::KillAndRestart(time) => format!("kill-and-restart.{}", Seconds(time)),
            Action::FailIo(call) => fail_name(call).to_owned(),
            Action::Machine(mishap) => mishap.to_string(),
        };
        smol_str::format_smolstr!("fault:{process}@{}{nth}{after}:{action}", fault.at)
    }
}

fn fail_name(call: IoCall) -> &'static str {
    match call {
        IoCall::Read => "fail-read",
        IoCall::Write => "fail-write",
        IoCall::Fsync => "fail-fsync",
    }
}

fn named(kind: &str, what: &str) -> SmolStr {
    smol_str::format_smolstr!("{kind}:{what}")
}
