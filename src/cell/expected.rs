use super::{Question, Verdict};
use crate::arm::Arm;
use crate::scenario::{Expected, PropertyName};

/// What a cell's scenario expects of a property.
pub(super) struct Expectation {
    /// In a word; nothing if the scenario does not speak of such a policy.
    pub(super) expected: Option<&'static str>,
    /// Why.
    pub(super) because: Option<String>,
    /// What must be seen, if it is not open.
    pub(super) told: Option<Expected>,
    /// Whether it is expected of a mixed fleet.
    mixed: bool,
}

impl Expectation {
    pub(super) fn of(question: &Question, property: PropertyName) -> Self {
        let Question { scenario, fleet, .. } = question;
        let mixed = fleet.only().is_none();
        if let Some(told) = scenario.expectation(fleet, property) {
            let (verdict, because) = (told.verdict, Some(told.because.clone()));
            let expected = Some(verdict.as_str());
            return Self { expected, because, told: Some(verdict), mixed };
        }
        let unsaid = || "The scenario says nothing of such a mixed fleet.".to_owned();
        let because = match scenario.expectations.find_open(fleet, property) {
            Some(open) => Some(open.because.clone()),
            None => mixed.then(unsaid),
        };
        Self { expected: because.is_some().then_some("open"), because, told: None, mixed }
    }

    /// Whether a verdict is the one that the scenario tells, if it tells any. A
    /// violation must be shown by the story or by a search, not by a lucky seed.
    /// What falls without the story's faults is as nobody expects: a scenario in
    /// which that is right shows nothing. Only the rules of a mixed fleet, of which
    /// nothing is told, may be such that together they exclude nothing anywhere.
    pub(super) fn is_met_by(&self, verdict: &Verdict) -> bool {
        match (self.told, verdict) {
            (None, Verdict::Violated { arm: Arm::Baseline, .. }) => self.mixed,
            (None, _) => true,
            (Some(Expected::Violated), verdict) => {
                matches!(verdict, Verdict::Violated { arm: Arm::Story | Arm::Exhaustive, .. })
            }
            (Some(Expected::Holds), verdict) => matches!(verdict, Verdict::Holds { .. }),
            (Some(Expected::Safe), verdict) => {
                matches!(verdict, Verdict::Holds { .. } | Verdict::NotFound { .. })
            }
            (Some(Expected::Inconclusive), verdict) => matches!(verdict, Verdict::Inconclusive),
        }
    }
}
