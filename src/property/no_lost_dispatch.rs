use locklab_sim::{End, World};
use locklab_sys::Fingerprint;

use super::dispatches::{Dispatches, Errand, News};
use super::jury::{Judge, Sight};
use super::sites::{Changed, Sites, name};

/// What a dispatcher was told is started, is: by a worker of its own.
#[derive(Clone, Default)]
pub(super) struct NoLostDispatch(Dispatches);

fn lost(world: &World, errand: &Errand) -> Option<String> {
    let (dispatcher, job) = (name(world, errand.dispatcher), errand.promised()?);
    Some(format!("{dispatcher} was told that {job} is started, and it never was"))
}

impl Judge for NoLostDispatch {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, .. } = sight;
        match self.0.observe(world, event)? {
            News::Lost(errand) => lost(world, &errand),
            News::Counted { .. } | News::Started { .. } => None,
        }
    }

    fn end(&mut self, world: &World, _: &Sites, end: End) -> Option<String> {
        // A run that was cut off may have been about to start it.
        let over = matches!(end, End::Finished | End::Hung);
        self.0.promised().filter(|_| over).and_then(|errand| lost(world, errand))
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&self.0))
    }
}
