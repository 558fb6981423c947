use locklab_models::lock_of_entry;
use locklab_sim::Event;
use locklab_sim::kernel::Effect;

use super::jury::{Judge, Sight};
use super::sites::{Changed, name};

/// A release removes the releaser's own claim only, and only when the
/// releaser is outside for good.
#[derive(Clone)]
pub(super) struct OwnRelease;

impl Judge for OwnRelease {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, sites } = sight;
        let Event::Effect(Effect::NameRemoved { path, maker, by, .. }) = event else {
            return None;
        };
        if sites.is_emptied(path) {
            return None;
        }
        let lock = lock_of_entry(path).unwrap_or(path);
        let releaser = sites.of_process(lock, *by);
        let by_name = name(world, *by);
        if releaser.releasing && maker != by {
            let maker = name(world, *maker);
            return Some(format!("the release of {by_name} removes {maker}'s claim {lock}"));
        }
        let lets_go = releaser.releasing && releaser.inside;
        lets_go.then(|| format!("{by_name} removes its claim {lock} while it is still inside"))
    }
}
