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
}

impl Expectation {
    pub(super) fn of(question: &Question, property: PropertyName) -> Self {
        let Question { scenario, fleet, .. } = question;
        if let Some(told) = scenario.expectation(fleet, property) {
            let (verdict, because) = (told.verdict, Some(told.because.clone()));
            return Self { expected: Some(verdict.as_str()), because, told: Some(verdict) };
        }
        let mixed = || "The scenario says nothing of such a mixed fleet.".to_owned();
        let because = match scenario.expectations.find_open(fleet, property) {
            Some(open) => Some(open.because.clone()),
            None => fleet.only().is_none().then(mixed),
        };
        Self { expected: because.is_some().then_some("open"), because, told: None }
    }
}

/// Whether a verdict is the one that the scenario tells, if it tells any. What
/// falls without the story's faults is as nobody expects: a scenario in which
/// that is right shows nothing.
pub(super) fn is_as_expected(told: Option<Expected>, verdict: &Verdict) -> bool {
    match (told, verdict) {
        (_, Verdict::Violated { arm: Arm::Baseline, .. }) => false,
        (None, _) => true,
        (Some(Expected::Violated), verdict) => {
            matches!(verdict, Verdict::Violated { arm: Arm::Story, .. })
        }
        (Some(Expected::Safe), verdict) => matches!(verdict, Verdict::NotFound { .. }),
        (Some(Expected::Inconclusive), verdict) => matches!(verdict, Verdict::Inconclusive),
    }
}
