use locklab_sys::Fingerprint;

use super::anatomy::Anatomy;
use super::left::Left;
use super::seen::StateId;
use crate::kernel::TaskId;
use crate::monitor::Monitor;
use crate::world::Ability;

/// A state that was found, to be gone on from.
pub(super) struct Stand {
    /// Set when the state is entered.
    pub(super) id: StateId,
    pub(super) left: Left,
    pub(super) anatomy: Anatomy,
    /// Who can make a step there.
    pub(super) abilities: Box<[(TaskId, Ability)]>,
    /// What tasks said last, where moves may depend on it.
    pub(super) points: Vec<Option<&'static str>>,
}

impl Stand {
    /// What it takes, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let lists = size_of_val(&*self.abilities) + size_of_val(&*self.points);
        (size_of::<Self>() + lists) as u64 + self.anatomy.bytes()
    }
}

/// The monitor, with a fingerprint of what it remembers: states of which it heard the
/// same share it.
#[derive(Clone)]
pub(super) struct Watch {
    pub(super) monitor: Box<dyn Monitor>,
    pub(super) fingerprint: Fingerprint,
}

impl Watch {
    pub(super) fn new(monitor: Box<dyn Monitor>) -> Self {
        let fingerprint = monitor.fingerprint();
        Self { monitor, fingerprint }
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut dyn Monitor)) {
        change(&mut *self.monitor);
        self.fingerprint = self.monitor.fingerprint();
    }
}
