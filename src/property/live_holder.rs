use super::jury::{Judge, Sight};
use super::sites::{Changed, Removed, name};

/// Nobody removes a claim whose maker lives and is inside, or on its way in; nor the entry
/// in a directory that makes it the maker's claim.
#[derive(Clone)]
pub(super) struct LiveHolder;

impl Judge for LiveHolder {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, sites } = sight;
        let removed = sites.removed(event)?;
        let Removed { lock, by, .. } = removed;
        let owner = sites.whose(world, &removed);
        if owner == by || !world.kernel().process(owner).is_alive() {
            return None;
        }
        let standing = sites.of_process(lock, owner);
        let (owner, by) = (name(world, owner), name(world, by));
        if standing.inside {
            Some(format!("{by} removes the claim {lock} of {owner}, which lives and is inside"))
        } else if standing.waiting && !removed.is_number {
            Some(format!("{by} removes the claim {lock} of {owner}, which lives and is taking it"))
        } else {
            None
        }
    }
}
