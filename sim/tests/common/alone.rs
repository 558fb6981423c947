//! Who watches over keeper takeover.

use locklab_sim::{End, Event, Fell, Monitor, World};
use locklab_sys::{Fingerprint, Happening};

/// At most one is inside.
#[derive(Clone, Default)]
pub struct Alone(i64);

impl Monitor for Alone {
    fn count(&self) -> usize {
        1
    }

    fn observe(&mut self, _: &World, event: &Event, fell: &mut Fell) {
        let Event::Said { said: Happening::Mark { name, .. }, .. } = event else { return };
        self.0 += if *name == "entered" { 1 } else { -1 };
        if self.0 > 1 {
            fell.push((0, format!("{} are inside", self.0)));
        }
    }

    fn end(&mut self, _: &World, _: End, _: &mut Fell) {}

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}
