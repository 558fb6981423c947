//! One run, drawn.

use clap::{Args as ClapArgs, ValueEnum};

use super::catalogue::{Asked, Which};
use super::number::between;
use super::{Answer, Exit, Refusal, on_host};
use crate::report::single::Single;
use crate::show::{self, Shown};

/// Run one scenario under one policy, and draw what happens.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// A random run of this seed, instead of the story: 0 to 18,446,744,073,709,551,615
    #[arg(long, value_name = "N", value_parser = between(0, u64::MAX))]
    seed: Option<u64>,
    /// How to show the run
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Force the run upon real processes of this Linux, too
    #[arg(long)]
    on_host: bool,
}

const EXAMPLES: &str = "\
Examples:
  locklab run stopped-holder --policy age
  locklab run stopped-holder --policy age --on-host";

/// How a run is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A column a process, the life of the claim, virtual time
    #[default]
    Lanes,
    /// The whole trace, for programs
    Json,
}

/// Runs the story, or a random run.
pub fn run(args: &Args) -> Result<Answer, Refusal> {
    let Asked { scenario, fleet, files } = args.which.open()?;
    let shown = match args.seed {
        None => show::story(&scenario, &fleet),
        Some(seed) => show::sampled(&scenario, &fleet, seed),
    };
    let single = Single { scenario: &scenario, fleet: &fleet, shown: &shown, files: &files };
    if args.on_host {
        on_host::answer(&single, args.format)
    } else {
        Ok(answer(&single, args.format))
    }
}

/// A run in the form that was asked for, and what it comes to.
pub(super) fn answer(single: &Single<'_>, format: Format) -> Answer {
    let text = match format {
        Format::Lanes => single.lanes(),
        Format::Json => single.json(None),
    };
    Answer { text, remarks: Vec::new(), exit: exit(single.shown) }
}

/// What a run comes to.
pub(super) fn exit(shown: &Shown) -> Exit {
    if shown.results.iter().any(|(_, message)| message.is_some()) {
        Exit::Violated
    } else if shown.reasons.is_empty() {
        Exit::AsExpected
    } else {
        Exit::Inconclusive
    }
}
