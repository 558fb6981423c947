//! Whether this machine allows real processes to be forced.

use std::io::Write as _;

use super::cli::{locklab, stderr};

/// Set where not to be allowed is a failure.
const MUST: &str = "LOCKLAB_MUST_FORCE";

/// Whether runs can be forced here; says so of what is skipped, if not.
pub fn is_allowed(skipped: &str) -> bool {
    let run = locklab(&["run", "stopped-holder", "--policy", "flock", "--on-host"]);
    if run.status.code() != Some(3) {
        return true;
    }
    let why = stderr(&run);
    let must = std::env::var_os(MUST).is_some();
    assert!(!must, "{skipped}: {why}");
    // What a test that passes prints is not shown.
    let told = format!("skipped, 1 of 1: {skipped}: {why}\n");
    std::io::stderr().write_all(told.as_bytes()).expect("standard error takes a line");
    false
}
