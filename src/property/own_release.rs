use locklab_sim::kernel::Effect;
use locklab_sim::{End, Event, Monitor, World};
use locklab_sys::Fingerprint;

use super::sites::{Sites, name};

/// A release removes the releaser's own claim only, and only when the
/// releaser is outside for good.
#[derive(Clone, Default)]
pub(super) struct OwnRelease(Sites);

impl Monitor for OwnRelease {
    fn observe(&mut self, world: &World, event: &Event) -> Option<String> {
        self.0.observe(event);
        let Event::Effect(Effect::NameRemoved { path, maker, by, .. }) = event else {
            return None;
        };
        let releaser = self.0.of_process(path, *by);
        let by_name = name(world, *by);
        if releaser.releasing && maker != by {
            let maker = name(world, *maker);
            return Some(format!("the release of {by_name} removes {maker}'s claim {path}"));
        }
        let lets_go = releaser.releasing && releaser.inside;
        lets_go.then(|| format!("{by_name} removes its claim {path} while it is still inside"))
    }

    fn end(&mut self, _: &World, _: End) -> Option<String> {
        None
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}
