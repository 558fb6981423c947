//! A run as lanes: a column a process, the life of the claim, virtual time,
//! and the violation where it happens. Drawn from the trace alone.

mod chart;
mod fold;
mod moves;
mod paths;
mod row;
mod state;
mod tell;
mod words;

use locklab_sim::{Trace, TracedProcess};

use super::style::Tone;
use chart::Chart;

/// The lanes of a trace, at most 100 columns wide; 80 when there are few.
pub fn draw(trace: &Trace) -> String {
    let teller = tell::Teller::new(trace);
    let mut titles: Vec<String> = trace.processes.iter().map(|it| title(trace, it)).collect();
    let claims: Vec<&str> = teller.claims().iter().map(|claim| claim.as_str()).collect();
    titles.push(claims.join(", "));
    let rows = fold::fold(teller.rows());
    let chart = Chart::new(&rows, &titles);
    let mut out = String::new();
    chart.draw(&mut out);
    let left_out = chart.left_out();
    if !left_out.is_empty() {
        let line = format!("No room for the lanes of {}.", left_out.join(", "));
        out.push_str(&Tone::Dim.paint(&line));
        out.push('\n');
    }
    out
}

/// A process's name, and its machine where there are several.
fn title(trace: &Trace, process: &TracedProcess) -> String {
    let one_machine = trace.processes.iter().all(|other| other.machine == process.machine);
    if one_machine {
        process.name.to_string()
    } else {
        format!("{}@{}", process.name, process.machine)
    }
}
