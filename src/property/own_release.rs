use super::jury::{Judge, Sight};
use super::sites::{Changed, Removed, name};

/// A release removes the releaser's own claim only, and only when the
/// releaser is outside for good.
#[derive(Clone)]
pub(super) struct OwnRelease;

impl Judge for OwnRelease {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, sites } = sight;
        let removed = sites.removed(event)?;
        let Removed { lock, by, .. } = removed;
        let releaser = sites.of_process(lock, by);
        let by_name = name(world, by);
        let owner = sites.whose(world, &removed);
        if releaser.releasing && owner != by {
            let owner = name(world, owner);
            return Some(format!("the release of {by_name} removes {owner}'s claim {lock}"));
        }
        let lets_go = releaser.releasing && releaser.inside;
        lets_go.then(|| format!("{by_name} removes its claim {lock} while it is still inside"))
    }
}
