use locklab_sys::Fingerprint;

use super::dispatches::{Dispatches, News};
use super::jury::{Judge, Sight};
use super::sites::{Changed, name};

/// No worker is started for a job on which another one works.
#[derive(Clone, Default)]
pub(super) struct NoDoubleStart(Dispatches);

impl Judge for NoDoubleStart {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, .. } = sight;
        let Some(News::Started { daemon, worker, job }) = self.0.observe(world, event) else {
            return None;
        };
        let first = self.0.workers_on(&job).find(|other| other.proc != worker)?;
        let (daemon, first) = (name(world, daemon), name(world, first.proc));
        Some(format!("{daemon} starts a second worker for {job}, on which {first} works"))
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&self.0))
    }
}
