use std::collections::BTreeSet;

use super::{Comparison, phrases};
use crate::cell::{Cell, Verdict};
use crate::report::text::thousands;
use crate::scenario::PropertyName;

/// What the words that occur mean, each with its property.
pub(super) fn legend(comparison: &Comparison) -> Vec<String> {
    let mut entries = Vec::new();
    for property in PropertyName::ALL {
        let words: BTreeSet<&str> = comparison
            .cells()
            .flat_map(|cell| &cell.properties)
            .filter(|result| result.name == property)
            .filter_map(|result| match &result.verdict {
                Verdict::Violated { word, .. } => Some(word.as_str()),
                _ => None,
            })
            .collect();
        if !words.is_empty() {
            let words: Vec<&str> = words.into_iter().collect();
            entries.push(format!("{}: {}", words.join(", "), meaning(property)));
        }
    }
    if let Some(runs) = comparison.cells().find_map(clean_runs) {
        entries.push(format!("0 of {}: no violation in so many runs", thousands(runs)));
    }
    let shown = comparison.cells().flat_map(phrases);
    if shown.into_iter().any(|(phrase, _)| phrase == "?") {
        entries.push("?: nothing can be said".to_owned());
    }
    entries
}

fn meaning(property: PropertyName) -> &'static str {
    match property {
        PropertyName::MutualExclusion => "so many were inside at once",
        PropertyName::LiveHolder => "the claim of a live holder was removed",
        PropertyName::OwnRelease => "a release removed another's claim",
        PropertyName::PromptTakeover => "a dead holder was succeeded late",
        PropertyName::Progress => "somebody who should get in never does",
    }
}

/// How many cells came out how, in a line.
pub(super) fn summary(comparison: &Comparison) -> String {
    let count =
        |matches: &dyn Fn(&Cell) -> bool| comparison.cells().filter(|it| matches(it)).count();
    let surprising = count(&|cell| !cell.as_expected());
    let fallen = count(&|cell| cell.as_expected() && is_fallen(cell, Some("violated")));
    let news = count(&|cell| {
        cell.as_expected() && is_fallen(cell, None) && !is_fallen(cell, Some("violated"))
    });
    let clean = count(&|cell| cell.as_expected() && clean_runs(cell).is_some());
    let unclear = count(&|cell| cell.as_expected() && is_inconclusive(cell));
    let total = comparison.cells().count();
    let mut parts = Vec::new();
    if fallen > 0 {
        parts.push(format!("{fallen} violated as expected"));
    }
    if news > 0 {
        parts.push(format!("{news} violated where the scenario leaves it open"));
    }
    if clean > 0 {
        let runs: BTreeSet<u64> = comparison.cells().filter_map(clean_runs).collect();
        let runs = match runs.into_iter().collect::<Vec<_>>()[..] {
            [1] => "in 1 run each".to_owned(),
            [runs] => format!("in {} runs each", thousands(runs)),
            _ => "in the runs tried".to_owned(),
        };
        parts.push(format!("{clean} with no violation {runs}"));
    }
    if unclear > 0 {
        parts.push(format!("{unclear} inconclusive as expected"));
    }
    if surprising > 0 {
        parts.push(format!("{surprising} not as expected"));
    }
    let noun = if total == 1 { "cell" } else { "cells" };
    format!("{total} {noun}: {}.", parts.join(", "))
}

/// Whether a property fell of which this is expected.
fn is_fallen(cell: &Cell, expected: Option<&str>) -> bool {
    cell.properties.iter().any(|property| {
        matches!(property.verdict, Verdict::Violated { .. }) && property.expected == expected
    })
}

/// In how many runs nothing fell, if nothing did.
fn clean_runs(cell: &Cell) -> Option<u64> {
    match cell.verdict() {
        Verdict::NotFound { runs } => Some(*runs),
        _ => None,
    }
}

fn is_inconclusive(cell: &Cell) -> bool {
    matches!(cell.verdict(), Verdict::Inconclusive { .. })
}
