use std::ops::Range;

use super::{Comparison, cost, legend, phrases, proofs};

/// The table for a web page, as GitHub writes tables.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (heading, range) in comparison.groups() {
        if let Some(heading) = heading {
            out.push_str(&format!("**{heading}**\n\n"));
        }
        table(&mut out, comparison, range);
        out.push('\n');
    }
    out.push_str(&format!("{}\n", legend::summary(comparison)));
    if let Some(model_only) = legend::model_only(comparison) {
        out.push_str(&format!("\n{model_only}\n"));
    }
    proofs::markdown(&mut out, comparison);
    cost::markdown(&mut out, comparison);
    out
}

/// The cells of some of the policies.
fn table(out: &mut String, comparison: &Comparison, range: Range<usize>) {
    out.push_str("| scenario |");
    for policy in &comparison.policies[range.clone()] {
        out.push_str(&format!(" {policy} |"));
    }
    out.push_str("\n|---|");
    out.push_str(&"---|".repeat(range.len()));
    out.push('\n');
    for row in &comparison.rows {
        out.push_str(&format!("| {} |", row.scenario));
        for cell in &row.cells[range.clone()] {
            let flag = if cell.as_expected() { "" } else { "❗ " };
            let phrases: Vec<String> = phrases(cell).into_iter().map(|(text, _)| text).collect();
            out.push_str(&format!(" {flag}{} |", phrases.join(", ")));
        }
        out.push('\n');
    }
}
