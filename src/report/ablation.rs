//! Which part of a policy guards against what, for people.

use std::sync::Arc;

use super::style::Tone;
use super::text::paragraph;
use super::{Files, quoted};
use crate::ablate::{Ablation, Changed, Difference};
use crate::scenario::Scenario;

/// Every change that makes a difference, and where; `files` says what it takes to find a
/// scenario and the policy elsewhere.
pub fn text(ablation: &Ablation, files: &dyn Fn(&Arc<Scenario>) -> Files) -> String {
    let mut out = String::new();
    let Ablation { policy, scenarios, changed } = ablation;
    let noun = if *scenarios == 1 { "scenario" } else { "scenarios" };
    let title = format!("{}, one part changed at a time, in {scenarios} {noun}", policy.name);
    paragraph(&mut out, &title, "", Tone::Strong);
    let makes_a_difference =
        |it: &&Changed| !it.falls.is_empty() || !it.stands.is_empty() || !it.unclear.is_empty();
    for changed in changed.iter().filter(makes_a_difference) {
        let change = &changed.change;
        let title = format!("{}: {} → {}", change.part, change.from, change.to);
        out.push('\n');
        paragraph(&mut out, &title, "", Tone::Strong);
        for difference in &changed.falls {
            falls(&mut out, difference, &files(&difference.scenario));
        }
        for difference in &changed.stands {
            let words = words(difference);
            let line = format!("  ✓ {}: no longer {words}", difference.scenario.name);
            paragraph(&mut out, &line, "    ", Tone::Good);
        }
        for (scenario, why) in &changed.unclear {
            let line = format!("  ? {}: can no longer be judged: {why}", scenario.name);
            paragraph(&mut out, &line, "    ", Tone::Warn);
        }
    }
    let idle = changed.iter().filter(|it| !makes_a_difference(it)).map(|changed| {
        let change = &changed.change;
        format!("{} → {}", change.part, change.to)
    });
    let idle: Vec<String> = idle.collect();
    if !idle.is_empty() {
        out.push('\n');
        let line = format!("No difference was seen with {}.", idle.join("; "));
        paragraph(&mut out, &line, "", Tone::Dim);
    }
    out
}

fn falls(out: &mut String, difference: &Difference, files: &Files) {
    let words = words(difference);
    paragraph(out, &format!("  ✗ {}: {words}", difference.scenario.name), "    ", Tone::Fallen);
    if let Some(counterexample) = &difference.counterexample {
        let line = quoted(&counterexample.schedule.to_string());
        out.push_str(&format!("      locklab replay {line}{}\n", files.arguments()));
    }
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
