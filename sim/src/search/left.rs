use locklab_sys::Fingerprint;

use super::Bounds;
use crate::choice::Choice;
use crate::kernel::TaskId;

/// What a run may still have of what is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Left {
    faults: Option<u32>,
    pub(super) preemptions: Option<u32>,
    /// Who stepped last, as long as it could go on; nobody where that is not asked.
    current: Option<TaskId>,
}

impl Left {
    /// Nothing is bounded.
    pub(super) const ALL: Self = Self { faults: None, preemptions: None, current: None };

    /// All of it. Whoever steps first preempts nobody.
    pub(super) fn of(bounds: Bounds) -> Self {
        Self { faults: bounds.faults, preemptions: bounds.preemptions, ..Self::ALL }
    }

    /// Whether something is bounded at all.
    fn is_bounded(self) -> bool {
        self.faults.is_some() || self.preemptions.is_some()
    }

    /// The fingerprint of a state in which so much is left.
    pub(super) fn with(self, state: Fingerprint) -> Fingerprint {
        if self.is_bounded() { Fingerprint::of_state(&(state, self)) } else { state }
    }

    pub(super) fn allows(self, choice: Choice) -> bool {
        let is_fault = choice.budget().is_some();
        let has_faults = !is_fault || self.faults != Some(0);
        has_faults && (!self.preempts(choice) || self.preemptions != Some(0))
    }

    /// Takes note of a choice that is made, and not forced.
    pub(super) fn spend(&mut self, choice: Choice) {
        if choice.budget().is_some() {
            self.faults = self.faults.map(|left| left - 1);
        }
        if self.preempts(choice) {
            self.preemptions = self.preemptions.map(|left| left - 1);
        }
        if let (Choice::Step(task), Some(_)) = (choice, self.preemptions) {
            self.current = Some(task);
        }
    }

    /// Takes note of who can step where nothing is forced: whose turn it was may have ended.
    pub(super) fn look_around(&mut self, can: impl FnOnce(&TaskId) -> bool) {
        self.current = self.current.filter(can);
    }

    fn preempts(self, choice: Choice) -> bool {
        match (choice, self.current) {
            (Choice::Step(task), Some(current)) => task != current,
            _ => false,
        }
    }
}
