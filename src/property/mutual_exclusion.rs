use locklab_sys::SmolStr;

use super::jury::{Judge, Sight};
use super::sites::{Change, Changed};

/// At most one living thread is inside a lock, of whatever process.
#[derive(Clone)]
pub(super) struct MutualExclusion;

impl Judge for MutualExclusion {
    fn observe(&mut self, sight: &Sight<'_>, changed: Option<&Changed>) -> Option<String> {
        let Changed { change: Change::Entered, lock, .. } = changed? else { return None };
        let name = |task| sight.world.kernel().task_name(task);
        let inside: Vec<SmolStr> = sight.sites.inside(lock).map(|it| name(it.task)).collect();
        (inside.len() > 1)
            .then(|| format!("{} are inside {lock} at once: {}", inside.len(), inside.join(", ")))
    }
}
