//! Processes of the set-up, and their next lives.

use locklab_sys::SmolStr;

use super::{Due, World};
use crate::kernel::MachineId;
use crate::setup::Action;

impl World {
    pub(super) fn launch(&mut self, index: usize) {
        let restart = self.restart_due(index);
        self.forget(restart.unwrap_or(Due::Launch(index)));
        let launch = &self.state.setup.processes[index];
        let machine = MachineId(launch.machine as u16);
        let image = launch.image.clone();
        let (name, container) = (self.name_of_launch(index), launch.container.as_ref());
        let before = self.state.course.launched[index].filter(|_| restart.is_some());
        let (proc, task) = match before.filter(|dead| self.state.kernel.pid_is_free(*dead)) {
            Some(dead) => self.state.kernel.launch_with_pid_of(dead, name),
            None => self.state.kernel.launch_as(machine, name, launch.uid, container),
        };
        self.state.course.launched[index] = Some(proc);
        if let (Some(Due::Restart(_, fault)), Some(dead)) = (restart, before) {
            let has_its_pid =
                self.state.kernel.process(proc).pid == self.state.kernel.process(dead).pid;
            self.state.course.story.settle(fault, has_its_pid);
        }
        self.take_effects();
        self.begin(task, image, Some(index));
    }

    /// What a process of the set-up is called in its next life.
    pub(super) fn name_of_launch(&self, index: usize) -> SmolStr {
        let name = &self.state.setup.processes[index].name;
        match self.state.course.launched[index] {
            None => name.clone(),
            Some(_) => {
                let machine = MachineId(self.state.setup.processes[index].machine as u16);
                let lives = self.state.kernel.boots(machine) + self.restarts(index);
                smol_str::format_smolstr!("{name}.{}", lives + 1)
            }
        }
    }

    /// The restart of a process of the set-up whose time has come.
    fn restart_due(&self, index: usize) -> Option<Due> {
        let now = self.state.kernel.now();
        let mut due = self.state.course.agenda.iter().take_while(|due| due.at <= now);
        let restart = due.find(|due| matches!(due.what, Due::Restart(of, _) if of == index))?;
        Some(restart.what)
    }

    /// How often a process of the set-up has been launched anew by the story.
    fn restarts(&self, index: usize) -> u32 {
        let faults = self.state.setup.story.iter().enumerate();
        let told = faults.filter(|(_, fault)| {
            fault.process == index && matches!(fault.action, Action::KillAndRestart(_))
        });
        told.filter(|(fault, _)| self.state.course.story.is_over(*fault)).count() as u32
    }
}
