//! A search for a schedule in which something falls.

use std::ops::ControlFlow;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use locklab_sim::Stage;

use super::catalogue::{Asked, Which};
use super::interrupt::Interrupt;
use super::{Answer, Exit, Refusal};
use crate::cell::{Question, Room, Verdict};
use crate::find::{Discovery, Looker, bare_teeth, count_gaps, find as look};
use crate::report::discovery::Report;
use crate::report::thousands;

/// Look for a schedule in which something falls, or prove that there is none.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Who looks
    #[arg(long, value_enum, default_value_t)]
    strategy: Strategy,
    /// Random runs, at most
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Seeds the random runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many orderings bring about the faults that `pct` is best at
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    depth: u32,
    /// States that an exhaustive search sees, at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    states: u64,
    /// Memory that an exhaustive search takes, at most, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Room::MEMORY >> 20)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    memory: u64,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  locklab find three-contenders --policy age
  locklab find stopped-holder --policy age --strategy random";

/// Who looks for a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Every run there is: shortest first
    #[default]
    Exhaustive,
    /// Random runs, any step as likely as another
    Random,
    /// Random runs by priorities: better at faults that few orderings bring about
    Pct,
}

/// How what was found is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: the shortest run in which something falls, drawn
    #[default]
    Text,
    /// For programs
    Json,
}

/// Looks for a schedule.
pub fn find(args: &Args) -> Result<Answer, Refusal> {
    let Asked { scenario, fleet, files } = args.which.open()?;
    let looker = match args.strategy {
        Strategy::Exhaustive => {
            Looker::Exhaustive { states: args.states, memory: args.memory << 20 }
        }
        Strategy::Random => Looker::Random { runs: args.runs },
        Strategy::Pct => Looker::Pct { runs: args.runs, depth: args.depth },
    };
    let question = Question { scenario, fleet, seed: args.seed, runs: args.runs };
    let progress = Progress::begin(matches!(looker, Looker::Exhaustive { .. }));
    let mut discovery = look(&question, looker, &mut |stage| progress.report(stage));
    bare_teeth(&question, &mut discovery, &mut |stage| progress.report(stage));
    count_gaps(&question, &mut discovery, &mut |stage| progress.report(stage));
    progress.end();
    let report = Report { question: &question, looker, discovery: &discovery, files: &files };
    let text = match args.format {
        Format::Text => report.text(),
        Format::Json => report.json(),
    };
    Ok(Answer { text, remarks: Vec::new(), exit: exit(&discovery) })
}

fn exit(discovery: &Discovery) -> Exit {
    let verdicts = discovery.findings.iter().map(|finding| match finding.verdict {
        Verdict::Violated { .. } => Exit::Violated,
        Verdict::Inconclusive => Exit::Inconclusive,
        Verdict::Holds { .. } | Verdict::NotFound { .. } => Exit::AsExpected,
    });
    verdicts.fold(Exit::AsExpected, Exit::max)
}

/// How far a search is, on a terminal; and whether somebody has had enough.
struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl Progress {
    /// Random runs end by themselves before long, or by the signal.
    fn begin(is_search: bool) -> Self {
        let interrupt = if is_search { Interrupt::on_signal() } else { Interrupt::default() };
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is fine");
        let bar = ProgressBar::new_spinner().with_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, interrupt }
    }

    fn report(&self, stage: Stage) -> ControlFlow<()> {
        let Stage { states, depth } = stage;
        self.bar.set_message(format!("{} states, {depth} choices deep", thousands(states)));
        match self.interrupt.is_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
