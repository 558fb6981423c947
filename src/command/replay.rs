//! A schedule, run again.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::run::{Format, answer};
use super::{Answer, Catalogue, Exit, Refusal};
use crate::line::ScheduleLine;
use crate::report::Files;
use crate::report::single::Single;
use crate::show::replay as replay_line;

/// No schedule is nearly as long as this.
const BYTES_MAX: u64 = 1 << 20;

/// Replay a schedule, step by step the same run.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// A schedule as printed, a file with one, or `-` for stdin
    #[arg(value_name = "SCHEDULE|FILE|-")]
    schedule: String,
    /// The scenario's file, if it is one of your own
    #[arg(long, value_name = "PATH")]
    scenario: Option<String>,
    /// The policy's file, if it is one of your own
    #[arg(long, value_name = "FILE")]
    policy_file: Option<PathBuf>,
    /// How to show the run
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Replays a schedule.
pub fn replay(args: &Args) -> Result<Answer, Refusal> {
    let line = schedule(&args.schedule)?;
    let catalogue = Catalogue::open(args.policy_file.as_deref())?;
    let scenario = match &args.scenario {
        Some(path) => catalogue.scenario(path)?,
        None => catalogue
            .scenario(&line.scenario)
            .map_err(|unknown| unknown.or_help("name the file of a scenario with --scenario"))?,
    };
    let fleet = catalogue
        .fleet(&line.policy)
        .map_err(|unknown| unknown.or_help("name the file of a policy with --policy-file"))?;
    let shown = replay_line(&line, &scenario, &fleet)
        .map_err(|stale| Refusal { message: format!("error: {stale}"), exit: Exit::Stale })?;
    let files = Files { scenario: args.scenario.clone(), policies: None }
        .for_policy(args.policy_file.as_deref(), catalogue.is_of_file(fleet.name()));
    let single = Single { scenario: &scenario, fleet: &fleet, shown: &shown, files: &files };
    Ok(answer(&single, args.format))
}

/// The schedule itself, or that in a file. A schedule has slashes too: what
/// parses is one.
fn schedule(given: &str) -> Result<ScheduleLine, Refusal> {
    let bad = match given.parse() {
        Ok(line) => return Ok(line),
        Err(bad) => bad,
    };
    let text = match given {
        "-" => read(io::stdin(), "stdin")?,
        path => match fs::File::open(path) {
            Ok(file) => read(file, path)?,
            Err(_) => return Err(Refusal::bad_input(format!("{bad}\n  nor is it a file"))),
        },
    };
    text.parse().map_err(|bad| Refusal::bad_input(format!("{given}: {bad}")))
}

fn read(source: impl Read, name: &str) -> Result<String, Refusal> {
    let mut text = String::new();
    let read = source.take(BYTES_MAX).read_to_string(&mut text);
    read.map_err(|error| Refusal::bad_input(format!("{name}: {error}")))?;
    Ok(text)
}
