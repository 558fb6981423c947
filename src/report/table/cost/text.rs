use super::super::layout::{Column, lay_out, phrase_lines, title_lines};
use super::super::text::row;
use super::super::{Comparison, Row};
use super::{CELLS_MAX, Table, basis, cells, fallen, ranked, remarks, told_runs};
use crate::metrics::{Metrics, Ranking};
use crate::report::style::Tone;
use crate::report::text::paragraph;

const RANKED: &str = "Safe in every cell, the cheapest first:";
const NOBODY: &str = "No policy was safe in every cell, so there is nothing to rank.";
const FALLEN: &str = "Not safe in every cell, and therefore not ranked:";

/// For people.
pub(in super::super) fn text(out: &mut String, comparison: &Comparison) {
    let Some(ranking) = &comparison.ranking else { return };
    for (scenario, table) in each_cell(comparison) {
        out.push('\n');
        paragraph(out, &format!("{scenario}:"), "", Tone::Strong);
        table.text(out);
    }
    out.push('\n');
    if ranking.safe.is_empty() {
        paragraph(out, NOBODY, "", Tone::Strong);
    } else {
        paragraph(out, RANKED, "", Tone::Strong);
        ranked(ranking).text(out);
    }
    if !ranking.fallen.is_empty() {
        out.push('\n');
        paragraph(out, FALLEN, "", Tone::Strong);
        fallen(ranking).text(out);
    }
    out.push('\n');
    for remark in closing(comparison, ranking) {
        paragraph(out, &remark, "", Tone::Plain);
    }
}

/// For a web page.
pub(in super::super) fn markdown(out: &mut String, comparison: &Comparison) {
    let Some(ranking) = &comparison.ranking else { return };
    for (scenario, table) in each_cell(comparison) {
        out.push_str(&format!("\n{scenario}:\n\n"));
        table.markdown(out);
    }
    if ranking.safe.is_empty() {
        out.push_str(&format!("\n{NOBODY}\n"));
    } else {
        out.push_str(&format!("\n{RANKED}\n\n"));
        ranked(ranking).markdown(out);
    }
    if !ranking.fallen.is_empty() {
        out.push_str(&format!("\n{FALLEN}\n\n"));
        fallen(ranking).markdown(out);
    }
    for remark in closing(comparison, ranking) {
        out.push_str(&format!("\n{remark}\n"));
    }
}

fn closing(comparison: &Comparison, ranking: &Ranking) -> Vec<String> {
    let mut closing = remarks(comparison, ranking);
    closing.push(basis(comparison, ranking));
    if is_crowded(comparison) {
        closing.push(format!(
            "There are more than {CELLS_MAX} cells: to see the metrics of each, name fewer, or use \
             `--format json`."
        ));
    }
    closing
}

fn is_crowded(comparison: &Comparison) -> bool {
    comparison.cells().count() > CELLS_MAX
}

/// A table for each scenario; none if there are too many cells.
fn each_cell(comparison: &Comparison) -> Vec<(String, Table)> {
    if is_crowded(comparison) {
        return Vec::new();
    }
    let of_row = |row: &Row| {
        let policies = comparison.policies.iter().zip(&row.metrics);
        let policies: Vec<(&str, &Metrics, bool)> = policies
            .map(|(policy, metrics)| (policy.as_str(), metrics, comparison.is_kept(policy)))
            .collect();
        let runs = told_runs(row.metrics.iter());
        (format!("{}, in {runs} of each policy", row.scenario), cells(&policies))
    };
    comparison.rows.iter().map(of_row).collect()
}

impl Table {
    fn text(&self, out: &mut String) {
        let names: Vec<&str> = self.rows.iter().map(|row| row[0].as_str()).collect();
        let column = |index: usize| Column {
            title: self.head[index].to_owned(),
            cells: self.rows.iter().map(|row| vec![(row[index].clone(), Tone::Plain)]).collect(),
        };
        let columns: Vec<Column> = (1..self.head.len()).map(column).collect();
        for layout in lay_out(&names, &columns) {
            let columns = || columns[layout.columns.clone()].iter().zip(&layout.widths);
            let title =
                |(column, width): (&Column, &usize)| toned(&column.title, *width, Tone::Dim);
            row(out, &layout, &[String::new()], columns().map(title).collect());
            for (index, name) in names.iter().enumerate() {
                let cell = |(column, width): (&Column, &usize)| {
                    let (text, tone) = &column.cells[index][0];
                    toned(text, *width, *tone)
                };
                let name = title_lines(name, layout.first_width);
                row(out, &layout, &name, columns().map(cell).collect());
            }
        }
    }

    fn markdown(&self, out: &mut String) {
        let line = |words: &[&str]| format!("| {} |\n", words.join(" | "));
        out.push_str(&line(&self.head));
        out.push_str(&format!("|{}\n", "---|".repeat(self.head.len())));
        for row in &self.rows {
            out.push_str(&line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
        }
    }
}

/// A text in lines.
fn toned(text: &str, width: usize, tone: Tone) -> Vec<(String, Tone)> {
    phrase_lines(text, width).into_iter().map(|line| (line, tone)).collect()
}
