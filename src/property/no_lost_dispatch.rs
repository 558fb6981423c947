use locklab_sim::kernel::ProcId;
use locklab_sim::{End, Event, Monitor, World};
use locklab_sys::{Fingerprint, SmolStr};

use super::dispatches::{Dispatches, News};
use super::sites::name;

/// What a dispatcher was told is started, is: each time a worker of its own.
#[derive(Clone, Default)]
pub(super) struct NoLostDispatch {
    dispatches: Dispatches,
    /// Starts of which no dispatcher has been told yet, by job.
    untold: Vec<SmolStr>,
    /// Who was told of a start that has not been seen yet.
    promised: Vec<(SmolStr, ProcId)>,
}

impl Monitor for NoLostDispatch {
    fn observe(&mut self, world: &World, event: &Event) -> Option<String> {
        match self.dispatches.observe(world, event)? {
            News::Started { job, .. } => {
                match self.promised.iter().position(|(promised, _)| *promised == job) {
                    Some(index) => drop(self.promised.remove(index)),
                    None => self.untold.push(job),
                }
                self.untold.sort_unstable();
            }
            News::Dispatched { dispatcher, job } => {
                match self.untold.iter().position(|untold| *untold == job) {
                    Some(index) => drop(self.untold.remove(index)),
                    None => self.promised.push((job, dispatcher)),
                }
                self.promised.sort_unstable();
            }
            News::Counted { .. } => {}
        }
        None
    }

    fn end(&mut self, world: &World, end: End) -> Option<String> {
        // A run that was cut off may have been about to start it.
        let over = matches!(end, End::Finished | End::Hung);
        let (job, dispatcher) = self.promised.first().filter(|_| over)?;
        let dispatcher = name(world, *dispatcher);
        Some(format!("{dispatcher} was told that {job} is started, and it never was"))
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&(&self.dispatches, &self.untold, &self.promised))
    }
}
