//! The command line: arguments in, an answer and an exit code out.

use std::io::{self, ErrorKind, Write};
use std::panic;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use locklab_sys::Task;

use crate::command::{Answer, Exit, Refusal, ablate, compare, explain, find, list, replay, run};

const TEMPLATE: &str = "\
{about}

{usage-heading} {usage}

Compare:
  compare  Judge lock policies, scenario by scenario
  ablate   Change one part of a policy at a time: which guards against what

Break:
  run      Run one scenario under one policy, and draw what happens
  find     Look for a schedule in which something falls, or prove that there is none
  replay   Replay a schedule, step by step the same run

Learn:
  list     List what there is, a line each
  explain  Explain a scenario, a policy, a program, a property, a point, or a word of the reports

{options}{after-help}";

const EXAMPLES: &str = "\
Examples:
  locklab compare
  locklab compare --scenario '*-holder' --policy age --policy 'identity*'
  locklab compare --metrics --scenario '*-holder'
  locklab run stopped-holder --policy age
  locklab run stopped-holder --policy age --on-host
  locklab explain identity-guarded

Exit codes:
  0  all is as expected; for a single run, nothing fell
  1  a violation, or an expectation that is not met
  2  bad input or usage
  3  nothing ran, because nothing matched, or this machine does not allow it
  4  nothing can be said, where something was expected
  5  a schedule that no longer fits
  101  a fault of locklab, as a simulation with which Linux does not agree, or a proof
       that a random run contradicts";

/// Lock policies compared, scenario by scenario, in a simulated Linux
#[derive(Debug, Parser)]
#[command(name = "locklab", version, help_template = TEMPLATE, after_help = EXAMPLES)]
#[command(arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(compare::Args),
    Ablate(ablate::Args),
    Run(run::Args),
    Find(find::Args),
    Replay(replay::Args),
    List(list::Args),
    Explain(explain::Args),
}

/// The whole program.
pub fn main() -> ExitCode {
    silence_programs();
    let answer = match Cli::parse().command {
        Command::Compare(args) => compare::compare(&args),
        Command::Ablate(args) => ablate::ablate(&args),
        Command::Run(args) => run::run(&args),
        Command::Find(args) => find::find(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::List(args) => list::list(&args),
        Command::Explain(args) => explain::explain(&args),
    };
    let exit = match answer {
        Ok(answer) => deliver(&answer),
        Err(Refusal { message, exit }) => {
            complain(&message);
            exit
        }
    };
    exit.into()
}

/// A program's panic is its abort, which the trace shows: only our own panics
/// are reported.
fn silence_programs() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !Task::in_program() {
            report(info);
        }
    }));
}

fn deliver(answer: &Answer) -> Exit {
    for remark in &answer.remarks {
        complain(remark);
    }
    let mut stdout = anstream::stdout().lock();
    let written = stdout.write_all(answer.text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Ok(()) => answer.exit,
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => answer.exit,
        Err(error) => {
            complain(&format!("error: the answer cannot be written: {error}"));
            Exit::Fault
        }
    }
}

fn complain(message: &str) {
    // Nobody can be told that nobody can be told.
    let _: io::Result<()> = writeln!(anstream::stderr().lock(), "{}", message.trim_end());
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, TEMPLATE};

    #[test]
    fn arguments_make_sense() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_is_in_a_group_with_its_own_words() {
        for command in Cli::command().get_subcommands() {
            let about = command.get_about().expect("every command says what it is for");
            let line = format!("  {:8} {about}", command.get_name());
            assert!(TEMPLATE.contains(&line), "{line}");
        }
    }
}
