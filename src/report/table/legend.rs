use std::collections::BTreeSet;

use super::{Comparison, phrases};
use crate::cell::{Cell, Verdict};
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
    let shown: Vec<String> = comparison.cells().flat_map(phrases).map(|it| it.0).collect();
    let occurs = |matches: &dyn Fn(&str) -> bool| shown.iter().any(|phrase| matches(phrase));
    if occurs(&|phrase| phrase.contains("0 of ")) {
        entries.push("0 of N: no violation in N different schedules".to_owned());
    }
    if occurs(&|phrase| phrase.contains("safe (")) {
        entries.push("safe: no violation in any run there is".to_owned());
    }
    if occurs(&|phrase| phrase.ends_with('†')) {
        entries.push("†: in a run that a search found, not in the story".to_owned());
    }
    if occurs(&|phrase| phrase.ends_with('*')) {
        entries.push("*: in a random run, not in the story".to_owned());
    }
    if occurs(&|phrase| phrase.ends_with('°')) {
        entries.push("°: even without the story's faults and changes".to_owned());
    }
    if occurs(&|phrase| phrase.starts_with("open")) {
        entries.push("open: the scenario does not say what to expect".to_owned());
    }
    if occurs(&|phrase| phrase.ends_with('?')) {
        entries.push("?: nothing can be said".to_owned());
    }
    entries
}

fn meaning(property: PropertyName) -> &'static str {
    match property {
        PropertyName::MutualExclusion => "that many processes were inside at once",
        PropertyName::LiveHolder => "the claim of a live holder was removed",
        PropertyName::OwnRelease => "a release removed another's claim",
        PropertyName::PromptTakeover => "a dead holder was succeeded late",
        PropertyName::Progress => "somebody who should get in never does",
        PropertyName::SlotCountedOnce => "a slot that was taken was counted as free",
        PropertyName::NoLostDispatch => "a job that was said to be started never was",
        PropertyName::NoDoubleStart => "two workers were started for one job",
        PropertyName::SpacedPosts => "two posts to an account went out too close together",
    }
}

/// Which scenarios rest on what no real kernel has confirmed, if any do.
pub(super) fn model_only(comparison: &Comparison) -> Option<String> {
    let rows = comparison.rows.iter().filter_map(|row| {
        let unconfirmed = &row.cells.first()?.unconfirmed;
        let words: Vec<&str> = unconfirmed.iter().map(|it| it.as_str()).collect();
        (!words.is_empty()).then(|| format!("{} ({})", row.scenario, words.join(", ")))
    });
    let rows: Vec<String> = rows.collect();
    (!rows.is_empty()).then(|| {
        format!("Model-only, resting on what no real kernel has confirmed: {}.", rows.join(", "))
    })
}

/// How many cells came out how, in a line.
pub(super) fn summary(comparison: &Comparison) -> String {
    let count =
        |matches: &dyn Fn(&Cell) -> bool| comparison.cells().filter(|it| matches(it)).count();
    let surprising = count(&|cell| !cell.as_expected());
    let fallen = count(&|cell| cell.as_expected() && is_fallen(cell, "violated"));
    let news = count(&|cell| {
        cell.as_expected() && is_fallen(cell, "open") && !is_fallen(cell, "violated")
    });
    let proved = count(&|cell| cell.as_expected() && is_proved(cell));
    let clean = count(&|cell| cell.as_expected() && is_clean(cell));
    let open = count(&|cell| is_clean(cell) && cell.expected() == Some("open"));
    let unclear = |open: bool| {
        let is_open = |cell: &Cell| cell.expected() == Some("open");
        count(&|cell| cell.as_expected() && is_inconclusive(cell) && is_open(cell) == open)
    };
    let total = comparison.cells().count();
    let mut parts = Vec::new();
    if fallen > 0 {
        parts.push(format!("{fallen} violated as expected"));
    }
    if news > 0 {
        parts.push(format!("{news} violated where the scenario leaves it open"));
    }
    if proved > 0 {
        parts.push(format!("{proved} proved safe"));
    }
    if clean > 0 {
        let open = if open > 0 { format!(" ({open} of them open)") } else { String::new() };
        parts.push(format!("{clean} with no violation found{open}"));
    }
    for (unclear, why) in [(unclear(false), "as expected"), (unclear(true), "and open")] {
        if unclear > 0 {
            parts.push(format!("{unclear} inconclusive {why}"));
        }
    }
    if surprising > 0 {
        parts.push(format!("{surprising} not as expected"));
    }
    let noun = if total == 1 { "cell" } else { "cells" };
    format!("{total} {noun}: {}.", parts.join(", "))
}

/// Whether a property fell of which this is expected.
fn is_fallen(cell: &Cell, expected: &str) -> bool {
    cell.properties.iter().any(|property| {
        matches!(property.verdict, Verdict::Violated { .. }) && property.expected == Some(expected)
    })
}

fn is_clean(cell: &Cell) -> bool {
    matches!(cell.verdict(), Verdict::NotFound { .. })
}

fn is_proved(cell: &Cell) -> bool {
    matches!(cell.verdict(), Verdict::Holds { .. })
}

fn is_inconclusive(cell: &Cell) -> bool {
    matches!(cell.verdict(), Verdict::Inconclusive)
}
