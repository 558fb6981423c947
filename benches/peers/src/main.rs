//! One small protocol in locklab and in what there is besides, measured side by side.
//!
//! Run without arguments it prints one table of one run; with `--check` it measures
//! nothing, and says whether all peers still do the same work.

#[path = "../../../sim/tests/common/alone.rs"]
mod alone;
mod answer;
mod check;
mod clock;
mod known;
mod measure;
mod peer;
mod protocol;
mod spend;
#[path = "../../../sim/tests/common/takeover.rs"]
mod takeover;

use std::ffi::OsString;
use std::process::ExitCode;

use answer::Peer;
use clap::{Parser, Subcommand};
use protocol::{Case, KINDS, name};

/// Measures one small protocol in locklab and in its peers, side by side.
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Cli {
    /// Measure nothing: see whether all peers do the same work.
    #[arg(long)]
    check: bool,
    #[command(subcommand)]
    part: Option<Part>,
}

/// What this program asks of itself, in another process.
#[derive(Subcommand)]
enum Part {
    /// Print how many states a peer sees, and whether anything falls.
    #[command(hide = true)]
    Answer { peer: String, kind: String, keepers: u32, rounds: u32 },
    /// Run a program, and print what it takes before what it prints.
    #[command(hide = true)]
    Spend {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        program: Vec<OsString>,
    },
    /// Start, and end.
    #[command(hide = true)]
    Nothing,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.part {
        Some(Part::Answer { peer, kind, keepers, rounds }) => answer(&peer, &kind, keepers, rounds),
        Some(Part::Spend { program }) => spend::between(&program),
        Some(Part::Nothing) => Ok(()),
        None if cli.check => check::check(),
        None => measure::measure(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn answer(peer: &str, kind: &str, keepers: u32, rounds: u32) -> Result<(), String> {
    let peer = Peer::ALL.into_iter().find(|it| it.name() == peer && !it.is_spin());
    let kind = KINDS.into_iter().find(|it| name(*it) == kind);
    let (Some(peer), Some(kind)) = (peer, kind) else {
        return Err("no such peer, or no such kind".to_owned());
    };
    let case = Case { kind, keepers, rounds };
    if !Case::all_of(kind).contains(&case) {
        return Err(format!("not measured: {case:?}"));
    }
    let answer = answer::ask(peer, case);
    println!("{} {}", answer.states, answer.fell);
    Ok(())
}
