use locklab_sim::{End, Event, Monitor, World};
use locklab_sys::Fingerprint;

use super::dispatches::{Dispatches, News};
use super::sites::name;

/// No worker is started for a job on which another one works.
#[derive(Clone, Default)]
pub(super) struct NoDoubleStart(Dispatches);

impl Monitor for NoDoubleStart {
    fn observe(&mut self, world: &World, event: &Event) -> Option<String> {
        let Some(News::Started { daemon, worker, job }) = self.0.observe(world, event) else {
            return None;
        };
        let first = self.0.workers_on(&job).find(|other| other.proc != worker)?;
        let (daemon, first) = (name(world, daemon), name(world, first.proc));
        Some(format!("{daemon} starts a second worker for {job}, on which {first} works"))
    }

    fn end(&mut self, _: &World, _: End) -> Option<String> {
        None
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}
