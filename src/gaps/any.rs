use std::time::Duration;

use locklab_sim::{End, Event, Fell, Monitor, World};
use locklab_sys::Fingerprint;

use crate::property::{Aborts, Judge, Jury};

/// Whether anything of several things falls, and whether a program aborts.
#[derive(Clone)]
pub(super) struct Any {
    jury: Jury,
    /// The number of the judge who sees programs abort, the last.
    aborts: usize,
}

impl Any {
    pub(super) const FALLS: usize = 0;
    pub(super) const ABORTS: usize = 1;

    pub(super) fn of(mut judges: Vec<Box<dyn Judge>>) -> Self {
        let aborts = judges.len();
        judges.push(Box::new(Aborts));
        Self { jury: Jury::new(judges), aborts }
    }

    fn renumber(&self, fell: &mut Fell) {
        for (which, _) in fell {
            *which = if *which == self.aborts { Self::ABORTS } else { Self::FALLS };
        }
    }
}

impl Monitor for Any {
    fn count(&self) -> usize {
        2
    }

    fn observe(&mut self, world: &World, event: &Event, fell: &mut Fell) {
        let mut of_jury = Vec::new();
        self.jury.observe(world, event, &mut of_jury);
        self.renumber(&mut of_jury);
        fell.append(&mut of_jury);
    }

    fn end(&mut self, world: &World, end: End, fell: &mut Fell) {
        let mut of_jury = Vec::new();
        self.jury.end(world, end, &mut of_jury);
        self.renumber(&mut of_jury);
        fell.append(&mut of_jury);
    }

    fn set_back(&mut self, clock: &dyn Fn(Duration) -> Duration) {
        self.jury.set_back(clock);
    }

    fn fingerprint(&self) -> Fingerprint {
        self.jury.fingerprint()
    }
}
