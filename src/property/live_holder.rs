use locklab_models::lock_of_entry;
use locklab_sim::Event;
use locklab_sim::kernel::Effect;

use super::jury::{Judge, Sight};
use super::sites::{Changed, name};

/// Nobody removes a claim whose maker lives and is inside, or on its way in; nor the entry
/// in a directory that makes it the maker's claim.
#[derive(Clone)]
pub(super) struct LiveHolder;

impl Judge for LiveHolder {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, sites } = sight;
        let Event::Effect(Effect::NameRemoved { path, maker, by, .. }) = event else {
            return None;
        };
        if sites.is_emptied(path) {
            return None;
        }
        if maker == by || !world.kernel().process(*maker).is_alive() {
            return None;
        }
        let lock = lock_of_entry(path).unwrap_or(path);
        let standing = sites.of_process(lock, *maker);
        let (maker, by) = (name(world, *maker), name(world, *by));
        if standing.inside {
            Some(format!("{by} removes the claim {lock} of {maker}, which lives and is inside"))
        } else if standing.waiting {
            Some(format!("{by} removes the claim {lock} of {maker}, which lives and is taking it"))
        } else {
            None
        }
    }
}
