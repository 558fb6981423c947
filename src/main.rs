//! The `locklab` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    locklab::cli::main()
}
