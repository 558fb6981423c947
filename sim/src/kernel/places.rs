//! Processes that change places.

use locklab_sys::Pid;

use super::{ProcId, TaskId};

/// Who of some processes that are alike takes whose place. Each has one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    changes: Vec<Change>,
}

/// One process takes the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) from: Place,
    pub(crate) to: Place,
}

/// What is a process's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) proc: ProcId,
    pub(crate) task: TaskId,
    pub(crate) pid: Pid,
}

impl Places {
    /// Who is at `places[i]` takes the place `places[order[i]]`.
    pub(crate) fn new(places: &[Place], order: &[usize]) -> Self {
        let changes = places.iter().zip(order);
        Self {
            changes: changes.map(|(from, to)| Change { from: *from, to: places[*to] }).collect(),
        }
    }

    pub(crate) fn changes(&self) -> impl Iterator<Item = Change> {
        self.changes.iter().copied()
    }

    pub(crate) fn proc(&self, proc: ProcId) -> ProcId {
        self.of(|place| place.proc == proc).map_or(proc, |to| to.proc)
    }

    pub(crate) fn task(&self, task: TaskId) -> TaskId {
        self.of(|place| place.task == task).map_or(task, |to| to.task)
    }

    pub(crate) fn pid(&self, pid: Pid) -> Pid {
        self.of(|place| place.pid == pid).map_or(pid, |to| to.pid)
    }

    fn of(&self, is_it: impl Fn(&Place) -> bool) -> Option<Place> {
        self.changes.iter().find(|change| is_it(&change.from)).map(|change| change.to)
    }
}
