//! Kernels that differ in nothing but who is who.

use locklab_sys::Renaming;

use super::fs::DescriptionId;
use super::pid::Holder;
use super::wait::Blocked;
use super::{Change, Kernel, MachineId, Places, ProcId, Process, TaskState};
use crate::part::Part;

impl Kernel {
    /// The same, had processes changed places; `None` if they are known in other ways than
    /// by their pids and files.
    pub(crate) fn renamed(&self, places: &Places, renaming: &Renaming<'_>) -> Option<Self> {
        if !self.alarms.is_empty() || !self.procs.iter().all(|process| process.is_plain()) {
            return None;
        }
        let mut renamed = self.clone();
        for Change { from, to } in places.changes() {
            let (from, to) = (from.proc.0 as usize, to.proc.0 as usize);
            renamed.procs[to] = self.procs[to].taken_by(&self.procs[from], places);
        }
        // Who has the pid of one of them is not in its place.
        let others =
            renamed.procs.iter_mut().zip(0..).filter(|(_, proc)| {
                places.changes().all(|change| change.from.proc != ProcId(*proc))
            });
        for (process, _) in others {
            let pid = places.pid(process.pid);
            if pid != process.pid {
                process.pid = pid;
            }
        }
        renamed.rename_tasks(self, places)?;
        for machine in (0..self.machines.len()).map(|index| MachineId(index as u16)) {
            let machine = renamed.machine_mut(machine);
            if machine.past.is_some() || !machine.has_only_files() {
                return None;
            }
            machine.pids.change_places(places);
            machine.files.change_places(places, renaming)?;
        }
        Some(renamed)
    }

    fn rename_tasks(&mut self, old: &Self, places: &Places) -> Option<()> {
        let moved = |Change { from, to }: Change| {
            let [from, to] = [from, to].map(|place| &old.tasks[place.task.0 as usize]);
            let is_same = (from.ended, from.parent_death_signal, &from.blocked)
                == (to.ended, to.parent_death_signal, &to.blocked);
            !is_same || from.blocked.is_some()
        };
        if !places.changes().any(moved) {
            return Some(());
        }
        for Change { from, to } in places.changes() {
            let from = &old.tasks[from.task.0 as usize];
            let blocked = match &from.blocked {
                Some(blocked) => Some(blocked.renamed(places)?),
                None => None,
            };
            let to = to.task.0 as usize;
            *self.tasks[to] = TaskState { blocked, ..(**from).clone() };
        }
        Some(())
    }
}

impl Process {
    /// Whether it has neither a parent nor children, nor threads, nor a container, and has drawn
    /// no random bytes.
    fn is_plain(&self) -> bool {
        self.inside.is_none()
            && self.parent.is_none()
            && self.children.is_empty()
            && self.threads.is_none()
            && !self.is_subreaper
            && self.drawn == 0
    }

    /// In its place, another one, with all that is the other's but its names.
    fn taken_by(&self, other: &Self, places: &Places) -> Part<Self> {
        let mut process = other.clone();
        process.name.clone_from(&self.name);
        (process.pid, process.session) = (self.pid, self.session);
        process.descriptors.replace(|description| description.renamed(places));
        Part::new(process)
    }
}

impl Blocked {
    fn renamed(&self, places: &Places) -> Option<Self> {
        Some(match self {
            Self::Lock { fd, description, mode } => {
                Self::Lock { fd: *fd, description: description.renamed(places), mode: *mode }
            }
            Self::Sleep { .. } | Self::Failed(_) => self.clone(),
            _ => return None,
        })
    }
}

impl Holder {
    pub(super) fn renamed(self, places: &Places) -> Self {
        match self {
            Self::Process(proc) => Self::Process(places.proc(proc)),
            Self::Thread(task) => Self::Thread(places.task(task)),
            Self::ThreadOf(proc) => Self::ThreadOf(places.proc(proc)),
        }
    }
}

impl DescriptionId {
    pub(super) fn renamed(self, places: &Places) -> Self {
        Self(self.0.renamed(places))
    }
}
