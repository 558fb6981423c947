use std::time::Duration;

use dyn_clone::DynClone;
use locklab_sim::kernel::TaskId;
use locklab_sim::{End, Event, Fell, Monitor, Swap, World};
use locklab_sys::Fingerprint;

use super::sites::{Changed, Sites};

/// Judges one property. Who is where with each lock, all judges are told alike.
pub trait Judge: DynClone + Send + Sync {
    /// Sees an event, and who was where before it; in words, what falls by it.
    fn foresee(&mut self, _: &Sight<'_>) -> Option<String> {
        None
    }

    /// Sees an event, and who is where after it, and what that has changed of it; in
    /// words, what fell.
    fn observe(&mut self, sight: &Sight<'_>, changed: Option<&Changed>) -> Option<String>;

    /// Sees how the run ended.
    fn end(&mut self, _: &World, _: &Sites, _: End) -> Option<String> {
        None
    }

    /// All clocks are set back: what of its memory is a time becomes what `clock` says.
    fn set_back(&mut self, _: &dyn Fn(Duration) -> Duration) {}

    /// Processes change places in what it remembers; `false` if that cannot be told.
    fn change_places(&mut self, _: &Swap<'_>) -> bool {
        self.memory().is_none()
    }

    /// What it remembers besides.
    fn memory(&self) -> Option<Fingerprint> {
        None
    }
}

dyn_clone::clone_trait_object!(Judge);

/// What judges see.
pub struct Sight<'a> {
    pub(super) world: &'a World,
    pub(super) event: &'a Event,
    pub(super) sites: &'a Sites,
}

/// All judges of a run, numbered in their order.
#[derive(Clone, Default)]
pub struct Jury {
    sites: Sites,
    judges: Vec<Box<dyn Judge>>,
}

impl Jury {
    /// Of these.
    pub fn new(judges: Vec<Box<dyn Judge>>) -> Self {
        Self { sites: Sites::default(), judges }
    }
}

impl Monitor for Jury {
    fn count(&self) -> usize {
        self.judges.len()
    }

    fn observe(&mut self, world: &World, event: &Event, fell: &mut Fell) {
        let Self { sites, judges } = self;
        for (number, judge) in judges.iter_mut().enumerate() {
            let foreseen = judge.foresee(&Sight { world, event, sites });
            fell.extend(foreseen.map(|message| (number, message)));
        }
        let changed = sites.observe(event);
        for (number, judge) in judges.iter_mut().enumerate() {
            let seen = judge.observe(&Sight { world, event, sites }, changed.as_ref());
            fell.extend(seen.map(|message| (number, message)));
        }
    }

    fn end(&mut self, world: &World, end: End, fell: &mut Fell) {
        for (number, judge) in self.judges.iter_mut().enumerate() {
            let fallen = judge.end(world, &self.sites, end);
            fell.extend(fallen.map(|message| (number, message)));
        }
    }

    fn waiting(&self, _: &World) -> Vec<TaskId> {
        self.sites.waiting().map(|it| it.task).collect()
    }

    fn set_back(&mut self, clock: &dyn Fn(Duration) -> Duration) {
        self.judges.iter_mut().for_each(|judge| judge.set_back(clock));
    }

    fn change_places(&mut self, swap: &Swap<'_>) -> bool {
        self.sites.change_places(swap);
        self.judges.iter_mut().all(|judge| judge.change_places(swap))
    }

    fn fingerprint(&self) -> Fingerprint {
        let memories: Vec<_> = self.judges.iter().filter_map(|judge| judge.memory()).collect();
        Fingerprint::of_state(&(&self.sites, memories))
    }
}
