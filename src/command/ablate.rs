//! One part of a policy changed at a time.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};

use super::catalogue::Selection;
use super::{Answer, Catalogue, Exit, Refusal};
use crate::ablate::ablate as change_each_part;
use crate::report::Files;
use crate::report::ablation;
use crate::variant::changes;

/// Change one part of a policy at a time: which guards against what.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The policy
    policy: String,
    /// A scenario: its name, a pattern (`*-holder`), or the path of a file
    #[arg(long = "scenario", value_name = "GLOB|PATH")]
    scenarios: Vec<String>,
    /// Policies of your own
    #[arg(long, value_name = "FILE")]
    policy_file: Option<PathBuf>,
    /// Seeds the random runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Random runs for each cell
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
}

const EXAMPLES: &str = "\
Examples:
  locklab ablate identity-guarded
  locklab ablate identity --scenario compare-window";

/// Judges every change of one part.
pub fn ablate(args: &Args) -> Result<Answer, Refusal> {
    let catalogue = Catalogue::open(args.policy_file.as_deref())?;
    let policy = catalogue.policy(&args.policy)?;
    let Selection { chosen, idle } = catalogue.select_scenarios(&args.scenarios)?;
    let cells = chosen.len() * (1 + changes(&policy).len());
    let style = ProgressStyle::with_template("{pos} of {len} cells").expect("the template is fine");
    let bar = ProgressBar::new(cells as u64).with_style(style);
    let ablation = change_each_part(&policy, &chosen, args.seed, args.runs, &|| bar.inc(1));
    bar.finish_and_clear();
    let files = |scenario: &_| {
        Files { scenario: catalogue.path_of(scenario), policies: None }
            .for_policy(args.policy_file.as_deref(), catalogue.is_of_file(&policy.name))
    };
    let text = if chosen.is_empty() { String::new() } else { ablation::text(&ablation, &files) };
    let remarks: Vec<String> =
        idle.iter().map(|pattern| format!("no scenario matches `{pattern}`")).collect();
    let exit = if remarks.is_empty() { Exit::AsExpected } else { Exit::NothingRan };
    Ok(Answer { text, remarks, exit })
}
