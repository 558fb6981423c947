use locklab_sim::World;
use locklab_sim::kernel::ProcId;
use locklab_sys::Fingerprint;

use super::dispatches::{Dispatches, News};
use super::jury::{Judge, Sight};
use super::sites::{Changed, name};

/// A slot that a dispatcher counts as free is free: no worker is in it, listed
/// or not, and no other dispatcher has counted it and has not given it up.
#[derive(Clone, Default)]
pub(super) struct SlotCountedOnce(Dispatches);

impl SlotCountedOnce {
    /// Who has the slots at a socket, besides one dispatcher.
    fn takers(&self, world: &World, socket: &str, dispatcher: ProcId) -> Vec<String> {
        let others = self.0.counted_by_others(socket, dispatcher);
        let counted = others.map(|it| format!("{} has counted it", name(world, it.dispatcher)));
        let workers = self.0.workers_at(socket);
        counted.chain(workers.map(|it| format!("{} is in it", name(world, it.proc)))).collect()
    }
}

impl Judge for SlotCountedOnce {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, .. } = sight;
        let Some(News::Counted { dispatcher, socket, capacity }) = self.0.observe(world, event)
        else {
            return None;
        };
        let takers = self.takers(world, &socket, dispatcher);
        (takers.len() >= capacity).then(|| {
            let who = name(world, dispatcher);
            format!("{who} counts a slot of {socket} that is not free: {}", takers.join(", "))
        })
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&self.0))
    }
}
