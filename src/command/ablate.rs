//! One part of a policy changed at a time.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use locklab_models::Policy;

use super::catalogue::Selection;
use super::compare::contradictions;
use super::interrupt::Interrupt;
use super::number::{MANY, between};
use super::{Answer, Catalogue, Exit, Refusal};
use crate::ablate::{Ablation, Effort, Watch, ablate as change_each_part};
use crate::report::Files;
use crate::report::ablation;
use crate::scenario::Scenario;

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
    /// States that a search of each cell sees, at most
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    #[arg(value_parser = between(1, MANY))]
    states: u64,
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
    let ablation = watched(&policy, &chosen, args);
    let files = |scenario: &_| {
        Files { scenario: catalogue.path_of(scenario), policies: None }
            .for_policy(args.policy_file.as_deref(), catalogue.is_of_file(&policy.name))
    };
    let text = if chosen.is_empty() { String::new() } else { ablation::text(&ablation, &files) };
    let mut remarks: Vec<String> =
        idle.iter().map(|pattern| format!("no scenario matches `{pattern}`")).collect();
    let exit = match () {
        () if !ablation.contradicted.is_empty() => Exit::Fault,
        () if !ablation.left.is_empty() || ablation.gaps_are_left => Exit::Inconclusive,
        () if !remarks.is_empty() => Exit::NothingRan,
        () => Exit::AsExpected,
    };
    remarks.extend(ablation.contradicted.iter().flat_map(contradictions));
    Ok(Answer { text, remarks, exit })
}

/// Looks with a line on a terminal that says how far it is, and that can be interrupted.
fn watched(policy: &Arc<Policy>, chosen: &[Arc<Scenario>], args: &Args) -> Ablation {
    let interrupt = Interrupt::listen();
    let style = ProgressStyle::with_template("{spinner} {pos} of {len} cells, {elapsed}");
    let bar = ProgressBar::new(0).with_style(style.expect("the template is fine"));
    bar.enable_steady_tick(Duration::from_millis(200));
    let watch = Watch {
        more: &|cells| bar.inc_length(cells),
        done: &|| bar.inc(1),
        is_enough: &|| interrupt.has_come(),
    };
    let Args { seed, runs, states, .. } = *args;
    let ablation = change_each_part(policy, chosen, Effort { seed, runs, states }, watch);
    bar.finish_and_clear();
    ablation
}
