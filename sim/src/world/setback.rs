//! A world that is as another, but for when it began.

use std::cell::RefCell;
use std::time::Duration;

use locklab_sys::{Shift, Task};

use super::{State, World};
use crate::kernel::{MachineId, Noted, Setback, TaskId};

impl World {
    /// What the world's own clock shows once it is set back: so late that all that matters
    /// has happened since the world began.
    pub(crate) const BASE: Duration = Duration::from_secs(1_000_000_000_000);

    /// Whether no clock need be set back.
    pub(crate) fn is_set_back(&self) -> bool {
        self.state.kernel.is_set_back(&self.state.setup.machines, Self::BASE)
    }

    /// Whether nothing depends on the time but by how long ago something was.
    pub(crate) fn may_be_set_back(&self) -> bool {
        self.state.kernel.may_be_set_back()
    }

    /// Sets all clocks back, where nothing depends on them but on how long ago something
    /// was; what the world's own had shown. No rule cares whether something is older than
    /// `memory`. Only of a world that learns.
    pub(crate) fn set_back(&mut self, memory: Duration) -> Option<Duration> {
        if self.is_set_back() || !self.may_be_set_back() {
            return None;
        }
        let state = &mut self.state;
        let configs = &state.setup.machines;
        let setbacks = state.kernel.setbacks(configs, memory, state.noted())?;
        let minds = state.minds.iter().enumerate();
        let tasks: Option<Vec<Task>> = minds
            .map(|(index, mind)| {
                let machine = state.machine_of(TaskId(index as u32));
                shifted(mind.task(), &setbacks[usize::from(machine.0)])
            })
            .collect();
        let was = state.kernel.now();
        for (mind, task) in state.minds.iter_mut().zip(tasks?) {
            if mind.task().node() != task.node() {
                mind.position.task = task;
            }
        }
        for appointment in &mut state.course.agenda {
            appointment.at = (appointment.at + Self::BASE).saturating_sub(was).max(Self::BASE);
        }
        state.kernel.set_back(&setbacks, Self::BASE);
        Some(was)
    }
}

impl State {
    fn machine_of(&self, task: TaskId) -> MachineId {
        self.kernel.process(self.kernel.process_of(task)).machine
    }

    /// What tasks remember of the clocks of each machine.
    fn noted(&self) -> Vec<Noted> {
        let noted = RefCell::new(vec![Noted::default(); self.setup.machines.len()]);
        for (index, mind) in self.minds.iter().enumerate() {
            let machine = usize::from(self.machine_of(TaskId(index as u32)).0);
            mind.task().show_times(&Shift {
                realtime: &|time| {
                    noted.borrow_mut()[machine].realtime.push(time);
                    time
                },
                uptime: &|time| {
                    noted.borrow_mut()[machine].uptime.push(time);
                    time
                },
                ticks: &|ticks| ticks,
            });
        }
        noted.into_inner()
    }
}

fn shifted(task: &Task, setback: &Setback) -> Option<Task> {
    task.shifted(&Shift {
        realtime: &|time| setback.realtime(time),
        uptime: &|time| setback.uptime(time),
        ticks: &|ticks| setback.ticks(ticks),
    })
}
