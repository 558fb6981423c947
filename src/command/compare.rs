//! Scenarios under policies, as a table.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args as ClapArgs, ValueEnum};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::catalogue::{Catalogue, Selection};
use super::{Answer, Exit, Refusal};
use crate::cast::Cast;
use crate::cell::{Cell, Question, Verdict, judge, with_teeth};
use crate::fleet::Fleet;
use crate::report::table::{self, Comparison, Row};

/// Judge lock policies, scenario by scenario.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// A scenario: its name, a pattern (`*-holder`), or the path of a file
    #[arg(long = "scenario", value_name = "GLOB|PATH")]
    scenarios: Vec<String>,
    /// A policy: its name, or a pattern (`identity*`); or a mixed fleet: `NEW+OLD`
    /// lets the first contender that starts follow NEW, and the others OLD
    #[arg(long = "policy", value_name = "GLOB|NEW+OLD")]
    policies: Vec<String>,
    /// Policies of your own; without --policy, only these are compared
    #[arg(long, value_name = "FILE")]
    policy_file: Option<PathBuf>,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Seeds the random runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Random runs for each cell
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
}

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For a web page
    Markdown,
}

/// Compares what was asked for.
pub fn compare(args: &Args) -> Result<Answer, Refusal> {
    let catalogue = Catalogue::open(args.policy_file.as_deref())?;
    let scenarios = catalogue.select_scenarios(&args.scenarios)?;
    let fleets = catalogue.select_fleets(&args.policies)?;
    for scenario in &scenarios.chosen {
        for fleet in &fleets.chosen {
            scenario.check_expectations(fleet)?;
        }
    }
    let idle: Vec<String> =
        remarks(&scenarios, "scenario").chain(remarks(&fleets, "policy")).collect();
    let columns = fleets.chosen.len();
    let questions: Vec<Question> = scenarios
        .chosen
        .iter()
        .flat_map(|scenario| {
            fleets.chosen.iter().map(|fleet| Question {
                scenario: Arc::clone(scenario),
                fleet: Fleet::clone(fleet),
                seed: args.seed,
                runs: args.runs,
            })
        })
        .collect();
    let cells = judge_all(&questions);
    let exit = exit(&cells, &idle);
    let rows = questions.chunks(columns.max(1)).zip(cells.chunks(columns.max(1)));
    let comparison = Comparison {
        seed: args.seed,
        policies: fleets.chosen.iter().map(|fleet| fleet.name().clone()).collect(),
        rows: rows
            .map(|(questions, cells)| Row {
                scenario: questions[0].scenario.name.clone(),
                limits: Cast::new(&questions[0].scenario, &questions[0].fleet).limits(),
                path: catalogue.path_of(&questions[0].scenario),
                cells: cells.to_vec(),
            })
            .collect(),
        policy_file: args.policy_file.clone(),
        of_file: catalogue.names_of_file().map(Into::into).collect(),
    };
    let text = match args.format {
        Format::Text if cells.is_empty() => String::new(),
        Format::Text => table::text(&comparison),
        Format::Json => table::json(&comparison),
        Format::Markdown => table::markdown(&comparison),
    };
    Ok(Answer { text, remarks: idle, exit })
}

fn remarks<T>(selection: &Selection<T>, kind: &str) -> impl Iterator<Item = String> {
    selection.idle.iter().map(move |pattern| format!("no {kind} matches `{pattern}`"))
}

/// Cells do not know of one another, so the order of work is free; the order
/// of the answer is that of the questions.
fn judge_all(questions: &[Question]) -> Vec<Cell> {
    let done = AtomicUsize::new(0);
    let shown = io::stderr().is_terminal();
    let cells = questions
        .par_iter()
        .map(|question| {
            let cell = with_teeth(question, judge(question));
            if shown {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                // Progress that cannot be shown is no reason to stop.
                let _ = write!(io::stderr(), "\r{done} of {} cells", questions.len());
            }
            cell
        })
        .collect();
    if shown {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    cells
}

fn exit(cells: &[Cell], idle: &[String]) -> Exit {
    let of_properties = cells.iter().flat_map(|cell| &cell.properties).map(|property| {
        match (property.as_expected, &property.verdict) {
            (true, _) => Exit::AsExpected,
            // A proof that was demanded was not given.
            (false, Verdict::Inconclusive) if property.expected == Some("holds") => Exit::Violated,
            (false, Verdict::Inconclusive) => Exit::Inconclusive,
            (false, _) => Exit::Violated,
        }
    });
    let nothing_ran = !cells.iter().any(Cell::was_run) || !idle.is_empty();
    let of_selection = if nothing_ran { Exit::NothingRan } else { Exit::AsExpected };
    of_properties.fold(of_selection, Exit::max)
}
