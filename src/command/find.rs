//! A search for a schedule in which something falls.

use std::ops::ControlFlow;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::catalogue::{Asked, Which};
use super::interrupt::Interrupt;
use super::number::{MANY, between};
use super::{Answer, Exit, Refusal};
use crate::cell::{Question, Room, Stage, Verdict};
use crate::count::counted;
use crate::find::{Discovery, Looker, bare_teeth, count_gaps, find as look};
use crate::report::discovery::Report;
use crate::report::listed;

/// Look for a schedule in which something falls, or prove that there is none.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Who looks
    #[arg(long, value_enum, default_value_t)]
    strategy: Strategy,
    /// Random runs, at most, for `random` and `pct`: 1 to 4,294,967,295 [default: 10000]
    #[arg(long, value_name = "N", value_parser = between(1, MANY))]
    runs: Option<u64>,
    /// Seeds the random runs, those too that look for what a proof rests on:
    /// 0 to 18,446,744,073,709,551,615
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = between(0, u64::MAX))]
    seed: u64,
    /// How many orderings bring about the faults that `pct` is best at: 1 to 1,000
    /// [default: 3]
    #[arg(long, value_name = "N", value_parser = between(1, 1000))]
    depth: Option<u64>,
    /// States that an exhaustive search sees, at most: 1 to 4,294,967,295 [default: 1000000]
    #[arg(long, value_name = "N", value_parser = between(1, MANY))]
    states: Option<u64>,
    /// Memory that an exhaustive search takes, at most, in MiB: 1 to 1,099,511,627,776
    /// [default: 4096]
    #[arg(long, value_name = "MIB", value_parser = between(1, 1 << 40))]
    memory: Option<u64>,
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
    args.refuse_idle_options()?;
    let Asked { scenario, fleet, files } = args.which.open()?;
    let looker = args.looker();
    let runs = args.runs();
    let question = Question { scenario, fleet, seed: args.seed, runs };
    let progress = Progress::begin();
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

impl Args {
    fn looker(&self) -> Looker {
        let runs = self.runs();
        match self.strategy {
            Strategy::Exhaustive => Looker::Exhaustive {
                states: self.states.unwrap_or(1_000_000),
                memory: self.memory.map_or(Room::MEMORY, |mib| mib << 20),
            },
            Strategy::Random => Looker::Random { runs },
            Strategy::Pct => Looker::Pct { runs, depth: self.depth.unwrap_or(3) as u32 },
        }
    }

    fn runs(&self) -> u64 {
        self.runs.unwrap_or(10_000)
    }

    /// An option of which nothing would come is refused.
    fn refuse_idle_options(&self) -> Result<(), Refusal> {
        use Strategy::{Exhaustive, Pct, Random};
        let options: [(&str, Option<u64>, &[Strategy]); 4] = [
            ("--runs", self.runs, &[Random, Pct]),
            ("--depth", self.depth, &[Pct]),
            ("--states", self.states, &[Exhaustive]),
            ("--memory", self.memory, &[Exhaustive]),
        ];
        let mut idle = options
            .iter()
            .filter(|(_, given, takers)| given.is_some() && !takers.contains(&self.strategy));
        let Some((option, _, takers)) = idle.next() else { return Ok(()) };
        let takers: Vec<String> =
            takers.iter().map(|it| format!("`--strategy {}`", it.name())).collect();
        let (strategy, takers) = (self.strategy.name(), listed(&takers));
        Err(Refusal::bad_input(format!("`{option}` says nothing to `--strategy {strategy}`"))
            .or_help(&format!("it is for {takers}")))
    }
}

impl Strategy {
    const fn name(self) -> &'static str {
        match self {
            Self::Exhaustive => "exhaustive",
            Self::Random => "random",
            Self::Pct => "pct",
        }
    }
}

fn exit(discovery: &Discovery) -> Exit {
    let verdicts = discovery.findings.iter().map(|finding| match finding.verdict {
        Verdict::Violated { .. } => Exit::Violated,
        Verdict::Inconclusive => Exit::Inconclusive,
        Verdict::Holds { .. } | Verdict::NotFound { .. } => Exit::AsExpected,
    });
    verdicts.fold(Exit::AsExpected, Exit::max)
}

/// How far it is, on a terminal; and whether somebody has had enough.
struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl Progress {
    fn begin() -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is fine");
        let bar = ProgressBar::new_spinner().with_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, interrupt: Interrupt::listen() }
    }

    fn report(&self, stage: Stage) -> ControlFlow<()> {
        let told = match stage {
            Stage::Search(stage) => {
                let states = counted(stage.states, "state");
                Some(format!("{states}, {} deep", counted(stage.depth.into(), "choice")))
            }
            Stage::Runs(runs) if runs.is_multiple_of(100) => Some(counted(runs, "run")),
            Stage::Runs(_) => None,
        };
        if let Some(told) = told {
            self.bar.set_message(told);
        }
        self.interrupt.flow()
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
