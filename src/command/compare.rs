//! Scenarios under policies, as a table.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args as ClapArgs, ValueEnum};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::catalogue::{Catalogue, Selection};
use super::interrupt::Interrupt;
use super::number::{MANY, between};
use super::{Answer, Exit, Refusal};
use crate::cast::Cast;
use crate::cell::{Cell, Question, Verdict, judge_until, with_teeth};
use crate::count::counted;
use crate::fleet::Fleet;
use crate::metrics::{Metrics, Ranking, measure};
use crate::report::listed;
use crate::report::table::{self, Comparison, Row};

const EXAMPLES: &str = "\
Examples:
  locklab compare --scenario '*-holder' --policy age --policy 'identity*'
  locklab compare --metrics --scenario dead-holder --scenario long-holder";

/// Judge lock policies, scenario by scenario.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A scenario: its name, a pattern (`*-holder`), or the path of a file
    #[arg(long = "scenario", value_name = "GLOB|PATH")]
    scenarios: Vec<String>,
    /// A policy: its name, or a pattern (`identity*`); or a mixed fleet: `NEW+OLD`
    /// lets the first contender that starts follow NEW, and the others OLD
    #[arg(long = "policy", value_name = "GLOB|NEW+OLD")]
    policies: Vec<String>,
    /// Every scenario, and every policy by groups; where nothing is asked for: those of
    /// the essays
    #[arg(long, conflicts_with = "policies")]
    all: bool,
    /// Policies of your own; without --policy and --all, only these are compared
    #[arg(long, value_name = "FILE")]
    policy_file: Option<PathBuf>,
    /// Measure each cell, and rank the policies that were safe in every one by what they
    /// cost: calls for an uncontended acquisition, then for a takeover, then the delay from
    /// a holder's death to the next entry
    #[arg(long)]
    metrics: bool,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Seeds the random runs: 0 to 18,446,744,073,709,551,615
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = between(0, u64::MAX))]
    seed: u64,
    /// Random runs for each cell: 1 to 4,294,967,295
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = between(1, MANY))]
    runs: u64,
}

/// A cell, and what was measured in it.
type Judged = (Cell, Option<Metrics>);

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

impl Args {
    /// Whether nothing is asked for by name.
    fn is_bare(&self) -> bool {
        let Self { scenarios, policies, all, policy_file, .. } = self;
        scenarios.is_empty() && policies.is_empty() && !all && policy_file.is_none()
    }
}

/// Compares what was asked for.
pub fn compare(args: &Args) -> Result<Answer, Refusal> {
    let catalogue = Catalogue::open(args.policy_file.as_deref())?;
    let scenarios = match args.is_bare() {
        true => catalogue.essays(),
        false => catalogue.select_scenarios(&args.scenarios)?,
    };
    let fleets =
        if args.all { catalogue.all_fleets() } else { catalogue.select_fleets(&args.policies)? };
    for scenario in &scenarios.chosen {
        for fleet in &fleets.chosen {
            scenario.check_expectations(fleet)?;
        }
    }
    let mut remarks: Vec<String> =
        remarks(&scenarios, "scenario").chain(remarks(&fleets, "policy")).collect();
    let nothing_matched = !remarks.is_empty();
    let questions: Vec<Vec<Question>> = scenarios
        .chosen
        .iter()
        .map(|scenario| {
            let question = |fleet: &Arc<Fleet>| Question {
                scenario: Arc::clone(scenario),
                fleet: Fleet::clone(fleet),
                seed: args.seed,
                runs: args.runs,
            };
            fleets.chosen.iter().map(question).collect()
        })
        .collect();
    let judged = judge_all(&questions, args.metrics);
    let cells = judged.iter().flatten().flatten().map(|(cell, _)| cell);
    let mut exit = exit(cells, nothing_matched);
    let all = questions.iter().zip(&judged).filter(|(questions, _)| !questions.is_empty());
    let (whole, cut): (Vec<_>, Vec<_>) = all.partition(|(_, cells)| cells.is_some());
    if !cut.is_empty() {
        let names = cut.iter().map(|(questions, _)| questions[0].scenario.name.as_str());
        let names: Vec<&str> = names.collect();
        remarks.push(format!("interrupted; nothing is said of {}", listed(&names)));
        exit = exit.max(Exit::Inconclusive);
    }
    let mut comparison = Comparison {
        seed: args.seed,
        policies: fleets.chosen.iter().map(|fleet| fleet.name().clone()).collect(),
        groups: if args.all { groups(&fleets.chosen) } else { Vec::new() },
        rows: whole
            .into_iter()
            .map(|(questions, cells)| (questions, cells.as_deref().unwrap_or_default()))
            .map(|(questions, cells)| Row {
                scenario: questions[0].scenario.name.clone(),
                limits: Cast::new(&questions[0].scenario, &questions[0].fleet).limits(),
                memory: questions[0].scenario.search.map(|room| room.memory),
                path: catalogue.path_of(&questions[0].scenario),
                cells: cells.iter().map(|(cell, _)| cell.clone()).collect(),
                metrics: cells.iter().filter_map(|(_, metrics)| metrics.clone()).collect(),
            })
            .collect(),
        ranking: None,
        policy_file: args.policy_file.clone(),
        of_file: catalogue.names_of_file().map(Into::into).collect(),
    };
    comparison.ranking = args.metrics.then(|| ranking(&fleets.chosen, &comparison.rows));
    for row in &comparison.rows {
        remarks.extend(row.cells.iter().flat_map(contradictions));
    }
    let text = match args.format {
        Format::Text if comparison.rows.is_empty() => String::new(),
        Format::Text => table::text(&comparison),
        Format::Json => table::json(&comparison),
        Format::Markdown => table::markdown(&comparison),
    };
    Ok(Answer { text, remarks, exit })
}

fn ranking(fleets: &[Arc<Fleet>], rows: &[Row]) -> Ranking {
    let of_fleet = |(index, fleet): (usize, &Arc<Fleet>)| {
        let cells = rows.iter().map(|row| (&row.cells[index], &row.metrics[index]));
        (Fleet::clone(fleet), cells.collect())
    };
    Ranking::new(&fleets.iter().enumerate().map(of_fleet).collect::<Vec<_>>())
}

/// Those of one group after another, each group with how many there are of it.
fn groups(fleets: &[Arc<Fleet>]) -> Vec<(String, usize)> {
    let group = |fleet: &Fleet| fleet.only().and_then(|policy| policy.group.clone());
    let same = fleets.chunk_by(|one, other| group(one) == group(other));
    same.map(|run| (group(&run[0]).unwrap_or_else(|| "Others".to_owned()), run.len())).collect()
}

fn remarks<T>(selection: &Selection<T>, kind: &str) -> impl Iterator<Item = String> {
    selection.idle.iter().map(move |pattern| format!("no {kind} matches `{pattern}`"))
}

/// What to say of a cell of which a search and random runs say different things.
pub(super) fn contradictions(cell: &Cell) -> impl Iterator<Item = String> {
    let place = format!("{} under {}", cell.scenario, cell.policy);
    cell.contradictions.iter().map(move |contradiction| {
        format!(
            "error: a fault of locklab, please report it: {place}: {contradiction}\n  help: \
             name the version, the scenario and the policy, and the seed"
        )
    })
}

/// The cells of each scenario, with what was measured if that is asked for, but of one at which
/// it was interrupted. Cells do not know of one another, so the order of work is free; the order
/// of the answer is that of the questions.
fn judge_all(questions: &[Vec<Question>], measured: bool) -> Vec<Option<Vec<Judged>>> {
    let interrupt = Interrupt::listen();
    let total: usize = questions.iter().map(Vec::len).sum();
    let done = AtomicUsize::new(0);
    let shown = io::stderr().is_terminal();
    let judge = |question: &Question| {
        let report = &mut |_| interrupt.flow();
        let cell = with_teeth(question, judge_until(question, report), report);
        let metrics = measured.then(|| measure(question, report));
        // What was cut short is no answer.
        if interrupt.has_come() {
            return None;
        }
        if shown {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            // Progress that cannot be shown is no reason to stop.
            let _ = write!(io::stderr(), "\r{} of {}", done, counted(total as u64, "cell"));
        }
        Some((cell, metrics))
    };
    let rows = questions.par_iter().map(|row| row.par_iter().map(judge).collect());
    let cells = rows.collect();
    if shown {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    cells
}

fn exit<'a>(cells: impl Iterator<Item = &'a Cell> + Clone, nothing_matched: bool) -> Exit {
    let of_properties = cells.clone().flat_map(|cell| &cell.properties).map(|property| {
        match (property.as_expected, &property.verdict) {
            (true, _) => Exit::AsExpected,
            // A proof that was demanded was not given.
            (false, Verdict::Inconclusive) if property.expected == Some("holds") => Exit::Violated,
            (false, Verdict::Inconclusive) => Exit::Inconclusive,
            (false, _) => Exit::Violated,
        }
    });
    let is_contradicted = cells.clone().any(|cell| !cell.contradictions.is_empty());
    let of_locklab = if is_contradicted { Exit::Fault } else { Exit::AsExpected };
    let nothing_ran = !cells.clone().any(Cell::was_run) || nothing_matched;
    let of_selection = if nothing_ran { Exit::NothingRan } else { Exit::AsExpected };
    of_properties.fold(of_selection.max(of_locklab), Exit::max)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use super::{contradictions, exit};
    use crate::cell::{Question, judge_until};
    use crate::command::Exit;
    use crate::policy_file;
    use crate::scenario::builtin;

    #[test]
    fn a_proof_that_is_contradicted_is_a_fault_of_locklab() {
        let scenario = Arc::new(builtin()[0].clone());
        let fleet = (&policy_file::named()[0]).into();
        let question = Question { scenario, fleet, seed: 0, runs: 100 };
        let mut cell = judge_until(&question, &mut |_| ControlFlow::Continue(()));
        assert_eq!(exit([&cell].into_iter(), false), Exit::AsExpected);
        cell.contradictions.push("progress holds, and fell".to_owned());
        assert_eq!(exit([&cell].into_iter(), false), Exit::Fault);
        let said: Vec<String> = contradictions(&cell).collect();
        assert!(said[0].contains("please report it") && said[0].contains("progress holds"));
    }
}
