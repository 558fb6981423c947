use locklab_sim::{End, Event, Monitor, World};
use locklab_sys::{Fingerprint, SmolStr};

use super::sites::{Change, Sites};

/// At most one living thread is inside a lock, of whatever process.
#[derive(Clone, Default)]
pub(super) struct MutualExclusion(Sites);

impl Monitor for MutualExclusion {
    fn observe(&mut self, world: &World, event: &Event) -> Option<String> {
        let (Change::Entered, lock, _) = self.0.observe(event)? else { return None };
        let name = |task| world.kernel().task_name(task);
        let inside: Vec<SmolStr> = self.0.inside(&lock).map(|person| name(person.task)).collect();
        (inside.len() > 1)
            .then(|| format!("{} are inside {lock} at once: {}", inside.len(), inside.join(", ")))
    }

    fn end(&mut self, _: &World, _: End) -> Option<String> {
        None
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}
