//! Which part of a policy guards against what, for people.

use std::sync::Arc;

use super::style::Tone;
use super::text::{listed, paragraph};
use super::{Files, quoted};
use crate::ablate::{Ablation, Changed, Difference, Effort, Standing};
use crate::cell::Counterexample;
use crate::count::{steps_and_moves, thousands};
use crate::scenario::Scenario;
use crate::variant::Change;

/// Every change that makes a difference, and where; `files` says what it takes to find a
/// scenario and the policy elsewhere.
pub fn text(ablation: &Ablation, files: &dyn Fn(&Arc<Scenario>) -> Files) -> String {
    let mut out = String::new();
    let Ablation { policy, scenarios, changed, left, .. } = ablation;
    let noun = if *scenarios == 1 { "scenario" } else { "scenarios" };
    let title = format!("{}, one part changed at a time, in {scenarios} {noun}", policy.name);
    paragraph(&mut out, &title, "", Tone::Strong);
    for changed in changed.iter().filter(|it| it.makes_a_difference()) {
        let Change { part, from, to, .. } = &changed.change;
        out.push('\n');
        paragraph(&mut out, &format!("{part}: {from} → {to}"), "", Tone::Strong);
        differences(&mut out, changed, files);
    }
    no_difference(&mut out, changed);
    if !changed.is_empty() {
        out.push('\n');
        rests_on(&mut out, ablation.effort);
    }
    if !left.is_empty() {
        let names: Vec<String> = left.iter().map(name).collect();
        let line = format!("Interrupted before all was looked at: {}.", listed(&names));
        paragraph(&mut out, &line, "", Tone::Warn);
    }
    if ablation.gaps_are_left {
        paragraph(&mut out, "Interrupted before the gaps were counted.", "", Tone::Warn);
    }
    out
}

fn differences(out: &mut String, changed: &Changed, files: &dyn Fn(&Arc<Scenario>) -> Files) {
    for difference in &changed.falls {
        falls(out, difference, &files(&difference.scenario));
    }
    for difference in &changed.stands {
        let words = words(difference);
        let proved = if difference.is_proved { " (proved)" } else { "" };
        let line = format!("  ✓ {}: no longer {words}{proved}", difference.scenario.name);
        paragraph(out, &line, "    ", Tone::Good);
    }
    gaps(out, changed);
    for (scenario, why) in &changed.unclear {
        let line = format!("  ? {}: can no longer be judged: {why}", scenario.name);
        paragraph(out, &line, "    ", Tone::Warn);
    }
}

fn falls(out: &mut String, difference: &Difference, files: &Files) {
    let words = words(difference);
    let before = if difference.is_proved { " (proved safe before)" } else { "" };
    let line = format!("  ✗ {}: {words}{before}", difference.scenario.name);
    paragraph(out, &line, "    ", Tone::Fallen);
    if let Some(Counterexample { schedule, steps, minimal, .. }) = &difference.counterexample {
        if *minimal {
            let said = format!("      {}; no fewer choices suffice:", steps_and_moves(*steps));
            paragraph(out, &said, "      ", Tone::Dim);
        }
        let line = quoted(&schedule.to_string());
        out.push_str(&format!("      locklab replay {line}{}\n", files.arguments()));
    }
}

/// What becomes of the gaps, once for all scenarios in which it is the same.
fn gaps(out: &mut String, changed: &Changed) {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for gaps in &changed.gaps {
        let said = format!("gaps {} → {}: {}", gaps.before, gaps.after, gaps.trend);
        match told.iter_mut().find(|(known, _)| *known == said) {
            Some((_, scenarios)) => scenarios.push(&gaps.scenario.name),
            None => told.push((said, vec![&gaps.scenario.name])),
        }
    }
    for (said, scenarios) in told {
        paragraph(out, &format!("  {}: {said}", listed(&scenarios)), "    ", Tone::Plain);
    }
}

/// The changes that make none, and in how many scenarios that is proved.
fn no_difference(out: &mut String, changed: &[Changed]) {
    let mut told: Vec<(Standing, Vec<String>)> = Vec::new();
    for changed in changed.iter().filter(|it| !it.makes_a_difference()) {
        let name = name(&changed.change);
        match told.iter_mut().find(|(known, _)| *known == changed.standing) {
            Some((_, names)) => names.push(name),
            None => told.push((changed.standing, vec![name])),
        }
    }
    told.sort_by_key(|(standing, _)| standing.all - standing.proved);
    for (Standing { all, proved }, names) in told {
        let said = match proved {
            _ if all == 0 => "all falls as before".to_owned(),
            _ if proved == all => "which is proved".to_owned(),
            0 => "as far as was seen".to_owned(),
            _ => format!("which is proved in {proved} of {all} scenarios"),
        };
        out.push('\n');
        let line = format!("No difference, {said}: {}.", names.join("; "));
        paragraph(out, &line, "", Tone::Dim);
    }
}

/// What it is that was not seen where nothing is proved.
fn rests_on(out: &mut String, Effort { runs, states, .. }: Effort) {
    let line = format!(
        "What stands and is not called proved was not seen to fall in the story, nor in {} random \
         runs, nor in {} states of a search.",
        thousands(runs),
        thousands(states),
    );
    paragraph(out, &line, "", Tone::Dim);
}

fn name(Change { part, to, .. }: &Change) -> String {
    format!("{part} → {to}")
}

/// What a table says of what falls, each word once.
fn words(difference: &Difference) -> String {
    let mut words: Vec<&str> = Vec::new();
    for (_, word) in &difference.properties {
        if !words.contains(&word.as_str()) {
            words.push(word);
        }
    }
    words.join(", ")
}
