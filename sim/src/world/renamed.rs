//! Worlds that differ in nothing but who is who.

use std::sync::Arc;

use locklab_sys::{Fingerprint, Renaming, Renamings};

use super::{Due, Position, State};
use crate::kernel::{Place, Places, ProcId, TaskId};
use crate::part::Part;

impl State {
    /// The place of a process of the set-up, once it is launched.
    pub(crate) fn place_of(&self, launch: usize) -> Option<Place> {
        let proc = self.course.launched[launch]?;
        let is_its = |index: &usize| self.kernel.process_of(TaskId(*index as u32)) == proc;
        let task = TaskId((0..self.minds.len()).find(is_its)? as u32);
        Some(Place { proc, task, pid: self.kernel.process(proc).pid })
    }

    /// What is the same of where a task stands under all of so many changes of places; nothing
    /// if it cannot be told where it would stand under each of them.
    pub(crate) fn class_of(
        &self,
        task: TaskId,
        count: usize,
        renamings: &mut Renamings<'_>,
    ) -> Option<Fingerprint> {
        self.minds[task.0 as usize].task().class(count, renamings)
    }

    /// How a process is, whoever it is, but for where its task stands.
    pub(crate) fn outward(&self, place: Place) -> (bool, bool, usize) {
        let process = self.kernel.process(place.proc);
        let open = process.descriptors().count();
        (process.is_alive(), process.is_stopped(), open)
    }

    /// The same, had processes changed places; `None` if that cannot be told.
    pub(crate) fn renamed(&self, places: &Places, renaming: &Renaming<'_>) -> Option<Self> {
        let kernel = self.kernel.renamed(places, renaming)?;
        let mut minds = self.minds.clone();
        for (index, mind) in self.minds.iter().enumerate() {
            let TaskId(to) = places.task(TaskId(index as u32));
            let task = mind.task().renamed(renaming)?;
            minds[to as usize].end = mind.end;
            minds[to as usize].position = Part::new(Position { task, ..(*mind.position).clone() });
        }
        let mut course = self.course.clone();
        let moved = |proc: ProcId| places.proc(proc) != proc;
        if course.agenda.iter().any(|due| due.what.proc().is_some_and(moved)) {
            for appointment in &mut course.agenda {
                appointment.what = appointment.what.renamed(places);
            }
            course.agenda.sort_by_key(|appointment| appointment.at);
        }
        if course.starved.iter().any(|proc| moved(*proc)) {
            course.starved.iter_mut().for_each(|proc| *proc = places.proc(*proc));
            course.starved.sort_unstable();
        }
        Some(Self { setup: Arc::clone(&self.setup), kernel, minds, course })
    }
}

impl Due {
    fn proc(self) -> Option<ProcId> {
        match self {
            Self::Continue(proc) | Self::Feed(proc) | Self::Reuse(proc, _) => Some(proc),
            Self::Launch(_)
            | Self::Fault(_)
            | Self::Wake(_)
            | Self::Drain(_)
            | Self::Restart(..) => None,
        }
    }

    fn renamed(self, places: &Places) -> Self {
        match self {
            Self::Continue(proc) => Self::Continue(places.proc(proc)),
            Self::Feed(proc) => Self::Feed(places.proc(proc)),
            Self::Reuse(proc, fault) => Self::Reuse(places.proc(proc), fault),
            other => other,
        }
    }
}
