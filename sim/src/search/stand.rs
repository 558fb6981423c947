use std::sync::Arc;

use locklab_sys::Fingerprint;

use super::left::Left;
use super::seen::{StateId, Step};
use crate::monitor::Monitor;
use crate::world::State;

/// A state that was found, to be gone on from.
pub(super) struct Stand {
    pub(super) fingerprint: Fingerprint,
    /// Set when the state is entered.
    pub(super) id: StateId,
    pub(super) step: Step,
    pub(super) left: Left,
    pub(super) state: State,
    pub(super) watch: Arc<Watch>,
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
