use locklab_sim::kernel::Effect;
use locklab_sim::{End, Event, Monitor, World};
use locklab_sys::Fingerprint;

use super::sites::{Sites, name};

/// Nobody removes a claim whose maker lives and is inside, or on its way in.
#[derive(Clone, Default)]
pub(super) struct LiveHolder(Sites);

impl Monitor for LiveHolder {
    fn observe(&mut self, world: &World, event: &Event) -> Option<String> {
        self.0.observe(event);
        let Event::Effect(Effect::NameRemoved { path, maker, by, .. }) = event else {
            return None;
        };
        if maker == by || !world.kernel().process(*maker).is_alive() {
            return None;
        }
        let standing = self.0.of_process(path, *maker);
        let (maker, by) = (name(world, *maker), name(world, *by));
        if standing.inside {
            Some(format!("{by} removes the claim {path} of {maker}, which lives and is inside"))
        } else if standing.waiting {
            Some(format!("{by} removes the claim {path} of {maker}, which lives and is taking it"))
        } else {
            None
        }
    }

    fn end(&mut self, _: &World, _: End) -> Option<String> {
        None
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}
