use super::Comparison;
use crate::arm::Arm;
use crate::cell::{Cell, States, Teeth, Verdict};
use crate::report::effects::effects;
use crate::report::style::Tone;
use crate::report::teeth;
use crate::report::text::{listed, paragraph, thousands};
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
    let holds = cell.properties.iter().filter(|it| matches!(it.verdict, Verdict::Holds { .. }));
    let names: Vec<&str> = holds.map(|property| property.name.as_str()).collect();
    let search = cell.evidence.iter().find(|it| it.arm == Arm::Exhaustive)?;
    let States { seen, .. } = search.states?;
    let effects = effects(search);
    let among =
        if effects.is_empty() { String::new() } else { format!(", with {}", listed(&effects)) };
    let (names, states) = (listed(&names), thousands(seen));
    let place = format!("{} under {}", cell.scenario, cell.policy);
    (!names.is_empty()).then(|| format!("{place}: {names} in all {states} states{among}"))
}

fn teeth_of(cell: &Cell) -> Vec<(PropertyName, &Teeth)> {
    cell.properties.iter().filter_map(|it| Some((it.name, it.teeth.as_ref()?))).collect()
}
