use super::layout::{Column, GAP, Layout, lay_out, phrase_lines, title_lines};
use super::{Comparison, cost, hints, legend, phrases, proofs};
use crate::arm::Arm;
use crate::cell::{Cell, PropertyResult, Verdict};
use crate::count::{all_states, counted, thousands};
use crate::report::style::Tone;
use crate::report::text::{cell as padded, paragraph};

/// What flags what is not as expected.
const FLAG: &str = "! ";

/// The table for people, at most 100 columns wide.
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let scenarios: Vec<&str> = comparison.rows.iter().map(|row| row.scenario.as_str()).collect();
    let columns = columns(comparison);
    for (heading, range) in comparison.groups() {
        if let Some(heading) = heading {
            paragraph(&mut out, &format!("{heading}:"), "", Tone::Strong);
            out.push('\n');
        }
        let columns = &columns[range];
        for layout in lay_out(&scenarios, columns) {
            table(&mut out, &scenarios, columns, &layout);
            out.push('\n');
        }
    }
    let legend = legend::legend(comparison).join(" · ");
    paragraph(&mut out, &legend, "", Tone::Dim);
    paragraph(&mut out, &legend::summary(comparison), "", Tone::Strong);
    if let Some(model_only) = legend::model_only(comparison) {
        paragraph(&mut out, &model_only, "", Tone::Dim);
    }
    surprises(&mut out, comparison);
    news(&mut out, comparison, Arm::Exhaustive, "In a search, not in the story:");
    news(&mut out, comparison, Arm::Sampled, "In random runs, not in the story:");
    proofs::text(&mut out, comparison);
    unclear(&mut out, comparison);
    cost::text(&mut out, comparison);
    for (index, hint) in hints::hints(comparison).iter().enumerate() {
        if index == 0 {
            out.push_str("\nTry next:\n");
        }
        out.push_str(&format!("  {hint}\n"));
    }
    out
}

fn columns(comparison: &Comparison) -> Vec<Column> {
    let column = |(index, title): (usize, &smol_str::SmolStr)| Column {
        title: title.to_string(),
        cells: comparison.rows.iter().map(|row| flagged(&row.cells[index])).collect(),
    };
    comparison.policies.iter().enumerate().map(column).collect()
}

fn flagged(cell: &Cell) -> Vec<(String, Tone)> {
    let flag = |(phrase, tone): (String, Tone)| match tone {
        Tone::Bad => (format!("{FLAG}{phrase}"), tone),
        _ => (phrase, tone),
    };
    phrases(cell).into_iter().map(flag).collect()
}

fn table(out: &mut String, scenarios: &[&str], columns: &[Column], layout: &Layout) {
    let columns = &columns[layout.columns.clone()];
    let titles = columns.iter().zip(&layout.widths).map(|(column, width)| {
        let lines = title_lines(&column.title, *width).into_iter();
        lines.map(|line| (line, Tone::Strong)).collect()
    });
    row(out, layout, &[String::new()], titles.collect());
    let width = layout.first_width + layout.widths.iter().map(|width| width + GAP).sum::<usize>();
    let rule = Tone::Dim.paint(&"─".repeat(width));
    for (index, scenario) in scenarios.iter().enumerate() {
        out.push_str(&rule);
        out.push('\n');
        let cells = columns.iter().zip(&layout.widths).map(|(column, width)| {
            let phrases = column.cells[index].iter();
            let lines = |(phrase, tone): &(String, Tone)| {
                let lines = phrase_lines(phrase, *width).into_iter();
                lines.map(|line| (line, *tone)).collect::<Vec<_>>()
            };
            phrases.flat_map(lines).collect()
        });
        row(out, layout, &title_lines(scenario, layout.first_width), cells.collect());
    }
    out.push_str(&rule);
    out.push('\n');
}

pub(super) fn row(
    out: &mut String,
    layout: &Layout,
    first: &[String],
    cells: Vec<Vec<(String, Tone)>>,
) {
    let height = cells.iter().map(Vec::len).chain([first.len()]).max().unwrap_or(0);
    for index in 0..height {
        let name = first.get(index).map_or("", String::as_str);
        let mut line = padded(name, Tone::Plain, layout.first_width);
        for (cell, width) in cells.iter().zip(&layout.widths) {
            let (text, tone) =
                cell.get(index).map_or(("", Tone::Plain), |(text, tone)| (text, *tone));
            line.push_str(&format!("{:GAP$}{}", "", padded(text, tone, *width)));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// What is not as expected: what was seen, and why something else was expected.
fn surprises(out: &mut String, comparison: &Comparison) {
    for (index, cell) in comparison.cells().filter(|cell| !cell.as_expected()).enumerate() {
        if index == 0 {
            out.push_str("\nNot as expected:\n");
        }
        let place = format!("{FLAG}{} under {}", cell.scenario, cell.policy);
        paragraph(out, &place, "", Tone::Bad);
        let mut all_reasons: Vec<&str> = Vec::new();
        for property in cell.properties.iter().filter(|property| !property.as_expected) {
            surprise(out, property);
            all_reasons.extend(property.reasons.iter().map(String::as_str));
        }
        for reason in distinct(&all_reasons) {
            paragraph(out, &format!("  ? {reason}"), "    ", Tone::Warn);
        }
    }
}

fn surprise(out: &mut String, property: &PropertyResult) {
    let seen = match &property.verdict {
        Verdict::Holds { states } => format!("holds in {}", all_states(*states)),
        Verdict::NotFound { schedules } => {
            format!("no violation in {}", counted(*schedules, "different schedule"))
        }
        Verdict::Inconclusive => "nothing can be said".to_owned(),
        Verdict::Violated { message, arm: Arm::Story, .. } => message.clone(),
        Verdict::Violated { message, arm: Arm::Sampled, .. } => {
            format!("{message} (in a random run, not in the story)")
        }
        Verdict::Violated { message, arm: Arm::Exhaustive | Arm::OneStop, .. } => {
            format!("{message} (in a run that a search found, not in the story)")
        }
        Verdict::Violated { message, arm: Arm::Baseline, .. } => {
            format!("{message} (even without the story's faults and changes)")
        }
    };
    paragraph(out, &format!("  {}: {seen}", property.name), "    ", Tone::Plain);
    let expected = property.expected.unwrap_or("nothing in particular");
    let because = property.because.as_deref().unwrap_or("nobody says why");
    paragraph(out, &format!("    expected {expected}: {because}"), "      ", Tone::Dim);
}

/// What fell in one arm, and in no more telling one, where the scenario leaves that open.
fn news(out: &mut String, comparison: &Comparison, arm: Arm, title: &str) {
    let mut first = true;
    for cell in comparison.cells().filter(|cell| cell.as_expected()) {
        for property in &cell.properties {
            let Verdict::Violated { message, arm: fell_in, times, .. } = &property.verdict else {
                continue;
            };
            if *fell_in != arm || property.expected == Some("violated") {
                continue;
            }
            if std::mem::take(&mut first) {
                out.push_str(&format!("\n{title}\n"));
            }
            let often = match arm {
                Arm::Sampled => format!(", in {} of them", thousands(*times)),
                _ => String::new(),
            };
            let line = format!("* {} under {}{often}: {message}", cell.scenario, cell.policy);
            paragraph(out, &line, "    ", Tone::Fallen);
        }
    }
}

fn distinct<'a>(all: &[&'a str]) -> Vec<&'a str> {
    let mut distinct: Vec<&str> = Vec::new();
    for text in all {
        if !distinct.contains(text) {
            distinct.push(text);
        }
    }
    distinct
}

/// The cells of which nothing can be said, and why; without surprises.
fn unclear(out: &mut String, comparison: &Comparison) {
    let mut first = true;
    for cell in comparison.cells().filter(|cell| cell.as_expected()) {
        if *cell.verdict() != Verdict::Inconclusive {
            continue;
        }
        if std::mem::take(&mut first) {
            out.push_str("\nInconclusive:\n");
        }
        let reasons = cell.properties.iter().flat_map(|property| &property.reasons);
        let reasons: Vec<&str> = reasons.map(String::as_str).collect();
        let reasons = distinct(&reasons).join("; ");
        let line = format!("? {} under {}: {reasons}", cell.scenario, cell.policy);
        paragraph(out, &line, "    ", Tone::Warn);
    }
}
