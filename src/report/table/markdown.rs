use super::{Comparison, legend, phrases, proofs};

/// The table for a web page, as GitHub writes tables.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::from("| scenario |");
    for policy in &comparison.policies {
        out.push_str(&format!(" {policy} |"));
    }
    out.push_str("\n|---|");
    out.push_str(&"---|".repeat(comparison.policies.len()));
    out.push('\n');
    for row in &comparison.rows {
        out.push_str(&format!("| {} |", row.scenario));
        for cell in &row.cells {
            let flag = if cell.as_expected() { "" } else { "❗ " };
            let phrases: Vec<String> = phrases(cell).into_iter().map(|(text, _)| text).collect();
            out.push_str(&format!(" {flag}{} |", phrases.join(", ")));
        }
        out.push('\n');
    }
    out.push_str(&format!("\n{}\n", legend::summary(comparison)));
    if let Some(model_only) = legend::model_only(comparison) {
        out.push_str(&format!("\n{model_only}\n"));
    }
    proofs::markdown(&mut out, comparison);
    out
}
