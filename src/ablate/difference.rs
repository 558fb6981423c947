use std::sync::Arc;

use super::GapsChanged;
use crate::cell::{Cell, Counterexample, PropertyResult, Verdict};
use crate::scenario::{PropertyName, Scenario};
use crate::variant::Change;

/// What one change makes of the policy.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The change.
    pub change: Change,
    /// Where something falls that stood before.
    pub falls: Vec<Difference>,
    /// Where something stands that fell before.
    pub stands: Vec<Difference>,
    /// Where there are more gaps than before, or fewer.
    pub gaps: Vec<GapsChanged>,
    /// Scenarios in which something can no longer be judged, and why.
    pub unclear: Vec<(Arc<Scenario>, String)>,
    /// In how many scenarios something stands before and with the change.
    pub standing: Standing,
}

/// A scenario in which it makes a difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// What falls now, or fell before: the property, and what a table says of it.
    pub properties: Vec<(PropertyName, String)>,
    /// The shortest schedule known by which the first of them falls.
    pub counterexample: Option<Counterexample>,
    /// Whether it is proved that they stand where they do.
    pub is_proved: bool,
}

/// In how many scenarios something stands, before a change and with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// In all.
    pub all: u64,
    /// In so many of them all that stands is proved, before and with the change.
    pub proved: u64,
}

impl Changed {
    /// What the change makes of the cells before it.
    pub(super) fn of(
        change: &Change,
        scenarios: &[Arc<Scenario>],
        (before, after): (&[Cell], &[Cell]),
        gaps: Vec<GapsChanged>,
    ) -> Self {
        let cells = || scenarios.iter().zip(before.iter().zip(after));
        let falls =
            cells().filter_map(|(scenario, (before, after))| difference(scenario, before, after));
        let stands =
            cells().filter_map(|(scenario, (before, after))| difference(scenario, after, before));
        let unclear = cells().filter_map(|(scenario, (before, after))| {
            Some((Arc::clone(scenario), unclear(before, after)?))
        });
        let mut standing = Standing::default();
        cells().for_each(|(_, (before, after))| standing.count(before, after));
        Self {
            change: change.clone(),
            falls: falls.collect(),
            stands: stands.collect(),
            gaps,
            unclear: unclear.collect(),
            standing,
        }
    }

    /// Whether it was seen to make any.
    pub fn makes_a_difference(&self) -> bool {
        let Self { falls, stands, gaps, unclear, .. } = self;
        !(falls.is_empty() && stands.is_empty() && gaps.is_empty() && unclear.is_empty())
    }
}

impl Standing {
    fn count(&mut self, before: &Cell, after: &Cell) {
        let pairs = before.properties.iter().zip(&after.properties);
        let both: Vec<bool> = pairs
            .filter(|(before, after)| stands(before) && stands(after))
            .map(|(before, after)| is_proved(before) && is_proved(after))
            .collect();
        if !both.is_empty() {
            self.all += 1;
            self.proved += u64::from(both.into_iter().all(|it| it));
        }
    }
}

/// What stands in one cell and falls in the other, if anything does.
fn difference(scenario: &Arc<Scenario>, standing: &Cell, fallen: &Cell) -> Option<Difference> {
    let pairs = standing.properties.iter().zip(&fallen.properties);
    let differing: Vec<(&PropertyResult, &PropertyResult, String)> = pairs
        .filter(|(standing, _)| stands(standing))
        .filter_map(|(standing, fallen)| Some((standing, fallen, word(fallen)?)))
        .collect();
    (!differing.is_empty()).then(|| Difference {
        scenario: Arc::clone(scenario),
        counterexample: differing.iter().find_map(|(_, fallen, _)| fallen.counterexample.clone()),
        is_proved: differing.iter().all(|(standing, ..)| is_proved(standing)),
        properties: differing.into_iter().map(|(_, fallen, word)| (fallen.name, word)).collect(),
    })
}

/// Why something can no longer be judged, if so.
fn unclear(before: &Cell, after: &Cell) -> Option<String> {
    let is_unclear = |it: &PropertyResult| it.verdict == Verdict::Inconclusive;
    let mut pairs = before.properties.iter().zip(&after.properties);
    let (_, after) = pairs.find(|(before, after)| !is_unclear(before) && is_unclear(after))?;
    Some(format!("{}: {}", after.name, after.reasons.join("; ")))
}

fn stands(property: &PropertyResult) -> bool {
    matches!(property.verdict, Verdict::Holds { .. } | Verdict::NotFound { .. })
}

fn is_proved(property: &PropertyResult) -> bool {
    matches!(property.verdict, Verdict::Holds { .. })
}

fn word(property: &PropertyResult) -> Option<String> {
    match &property.verdict {
        Verdict::Violated { word, .. } => Some(word.to_string()),
        _ => None,
    }
}
