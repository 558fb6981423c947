//! A schedule, run again.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::run::answer;
use super::{Answer, Catalogue, Exit, Format, Refusal, on_host};
use crate::line::{BadLine, ScheduleLine};
use crate::report::Files;
use crate::report::single::Single;
use crate::show::replay as replay_line;

/// No schedule is nearly as long as this.
const BYTES_MAX: u64 = 1 << 20;

/// Replay a schedule, step by step the same run.
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
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
    /// Force the schedule upon real processes of this Linux, too
    ///
    /// Each process of the simulation becomes a real one with the same pid, in
    /// namespaces of their own; its program runs again, fed with what Linux replies, and
    /// each reply is held against the simulated one. Nobody waits: files are made older
    /// instead, and sleeps are not slept. Exits with 101 where Linux does not agree, 4
    /// where the processes could not be made to follow, 3 where this machine does not
    /// allow it, and 2 where the run has something that cannot be forced, as a clock
    /// that is set; else as without it.
    #[arg(long, verbatim_doc_comment)]
    on_host: bool,
}

const EXAMPLES: &str = "\
Examples:
  locklab replay 'VERSION/SCENARIO/POLICY/HASHES/ARM.SEED/CHOICES/END'
  locklab run stopped-holder --policy age | tail -1 | locklab replay - --on-host";

/// Replays a schedule.
pub fn replay(args: &Args) -> Result<Answer, Refusal> {
    let printed = printed(&args.schedule)?;
    let line = printed.line;
    let policy_file = args.policy_file.clone().or(printed.policy_file);
    let path = args.scenario.clone().or(printed.scenario);
    let catalogue = Catalogue::open(policy_file.as_deref())?;
    let scenario = match &path {
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
    let files = Files { scenario: path, policies: None }
        .for_policy(policy_file.as_deref(), catalogue.is_of_file(fleet.name()));
    let single = Single { scenario: &scenario, fleet: &fleet, shown: &shown, files: &files };
    if args.on_host {
        on_host::answer(&single, args.format)
    } else {
        Ok(answer(&single, args.format))
    }
}

/// A schedule, and the files that stand behind it where it was printed.
struct Printed {
    line: ScheduleLine,
    scenario: Option<String>,
    policy_file: Option<PathBuf>,
}

/// The schedule itself, or that in a file. A schedule has slashes too: what
/// parses is one.
fn printed(given: &str) -> Result<Printed, Refusal> {
    let bad = match parse(given) {
        Ok(printed) => return Ok(printed),
        Err(bad) => bad,
    };
    let text = match given {
        "-" => read(io::stdin(), "stdin")?,
        path => match fs::File::open(path) {
            Ok(file) => read(file, path)?,
            Err(_) => return Err(Refusal::bad_input(format!("{bad}\n  nor is it a file"))),
        },
    };
    parse(&text).map_err(|bad| Refusal::bad_input(format!("{given}: {bad}")))
}

/// A schedule, or the whole command that was printed with it.
fn parse(text: &str) -> Result<Printed, String> {
    let words = shlex::split(text).unwrap_or_else(|| vec![text.to_owned()]);
    let mut words = words.into_iter().skip_while(|word| COMMAND.contains(&word.as_str()));
    let line: ScheduleLine =
        words.next().unwrap_or_default().parse().map_err(|bad: BadLine| bad.to_string())?;
    let mut printed = Printed { line, scenario: None, policy_file: None };
    while let Some(word) = words.next() {
        match (word.as_str(), words.next()) {
            ("--scenario", Some(path)) => printed.scenario = Some(path),
            ("--policy-file", Some(path)) => printed.policy_file = Some(path.into()),
            _ => return Err(format!("`{word}` is no part of a printed schedule")),
        }
    }
    Ok(printed)
}

/// What stands before a schedule where it is printed.
const COMMAND: [&str; 3] = ["Replay:", "locklab", "replay"];

fn read(source: impl Read, name: &str) -> Result<String, Refusal> {
    let mut text = String::new();
    let read = source.take(BYTES_MAX).read_to_string(&mut text);
    read.map_err(|error| Refusal::bad_input(format!("{name}: {error}")))?;
    Ok(text)
}
