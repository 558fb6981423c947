use super::Comparison;
use crate::arm::Arm;
use crate::cell::{Cell, PropertyResult, Teeth, Verdict};
use crate::count::all_states;
use crate::report::effects::effects;
use crate::report::style::Tone;
use crate::report::teeth;
use crate::report::text::{listed, paragraph};
use crate::scenario::PropertyName;

/// What was proved, and what falls with one part of the rule changed.
pub(super) fn text(out: &mut String, comparison: &Comparison) {
    let mut first = true;
    for row in &comparison.rows {
        for cell in &row.cells {
            let Some(proof) = proof(cell) else { continue };
            if std::mem::take(&mut first) {
                out.push_str("\nProved, and what falls with one part of the rule changed:\n");
            }
            paragraph(out, &format!("* {proof}"), "    ", Tone::Plain);
            teeth::text(out, &teeth_of(cell), &comparison.files(row, &cell.policy), "    ");
        }
    }
}

/// The same as a list for a web page.
pub(super) fn markdown(out: &mut String, comparison: &Comparison) {
    for (index, cell) in comparison.cells().filter(|cell| proof(cell).is_some()).enumerate() {
        if index == 0 {
            out.push_str("\nProved, and what falls with one part of the rule changed:\n\n");
        }
        out.push_str(&format!("- {}\n", proof(cell).unwrap_or_default()));
        for said in teeth::said(&teeth_of(cell)) {
            out.push_str(&format!("  - {}\n", said.sentence));
        }
    }
}

/// What was proved of a cell, if anything was, and of how many runs.
fn proof(cell: &Cell) -> Option<String> {
    let search = cell.evidence.iter().find(|it| it.arm == Arm::Exhaustive)?;
    let is_progress = |property: &&PropertyResult| property.name == PropertyName::Progress;
    let (progress, others): (Vec<_>, Vec<_>) = cell.properties.iter().partition(is_progress);
    // Progress has a search of its own, of other states.
    let mut proofs: Vec<String> = holding(&progress).into_iter().collect();
    proofs.extend(holding(&others).map(|proof| match &effects(search)[..] {
        [] => proof,
        effects => format!("{proof}, with {}", listed(effects)),
    }));
    let place = format!("{} under {}", cell.scenario, cell.policy);
    (!proofs.is_empty()).then(|| format!("{place}: {}", proofs.join("; ")))
}

/// Which of these hold, if any does, and in how many states, which are the same for all.
fn holding(properties: &[&PropertyResult]) -> Option<String> {
    let holding = properties.iter().filter_map(|property| match property.verdict {
        Verdict::Holds { states } => Some((property.name.as_str(), states)),
        _ => None,
    });
    let (names, states): (Vec<&str>, Vec<u64>) = holding.unzip();
    Some(format!("{} in {}", listed(&names), all_states(*states.first()?)))
}

fn teeth_of(cell: &Cell) -> Vec<(PropertyName, &Teeth)> {
    cell.properties.iter().filter_map(|it| Some((it.name, it.teeth.as_ref()?))).collect()
}
