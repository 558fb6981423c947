//! A run as lanes: a column a process, the life of the claim, virtual time,
//! and the violation where it happens. Drawn from the trace alone.

mod calls;
mod chart;
mod fold;
mod marks;
mod moves;
mod paths;
mod people;
mod row;
mod state;
mod tell;
mod words;

use locklab_sim::Trace;

use super::style::Tone;
use chart::Chart;

pub(crate) use calls::{ToldCall, calls};

/// The lanes of a trace, at most 100 columns wide; 80 when there are few.
pub fn draw(trace: &Trace) -> String {
    let teller = tell::Teller::new(trace);
    let mut titles: Vec<String> = teller.people().names().map(|name| title(trace, name)).collect();
    let claims: Vec<&str> = teller.claims().iter().map(|claim| claim.as_str()).collect();
    titles.push(claims.join(", "));
    let marks: Vec<bool> = (0..titles.len()).map(|lane| teller.people().marks(lane)).collect();
    let rows = fold::fold(teller.rows());
    let chart = Chart::new(&rows, &titles, |lane| marks[lane]);
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
fn title(trace: &Trace, name: &str) -> String {
    let mut machines = trace.processes.iter().map(|it| &it.machine);
    let first = machines.next();
    if machines.all(|machine| Some(machine) == first) {
        return name.to_owned();
    }
    let process = trace.processes.iter().find(|it| it.name == name);
    process.map_or_else(|| name.to_owned(), |it| format!("{name}@{}", it.machine))
}
