//! What another process spends. For each there is a process between, since the system tells
//! only what all children of one have had at most.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::resource::{UsageWho, getrusage};

/// What it took, and what it printed.
pub struct Spent {
    /// Of the processor, from its start to its end.
    pub seconds: f64,
    /// The most memory that was its own, in kilobytes.
    pub kilobytes: u64,
    pub printed: String,
}

/// Runs a program on one core.
pub fn spend(program: &Path, arguments: &[String]) -> Result<Spent, String> {
    let said = Command::new(this_program()?)
        .arg("spend")
        .arg(program)
        .args(arguments)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let read = || {
        let (first, printed) = text.split_once('\n')?;
        let (seconds, kilobytes) = first.split_once(' ')?;
        let printed = printed.to_owned();
        Some(Spent { seconds: seconds.parse().ok()?, kilobytes: kilobytes.parse().ok()?, printed })
    };
    read().ok_or_else(|| {
        format!("{}: {text}{}", program.display(), String::from_utf8_lossy(&said.stderr))
    })
}

/// The process between: runs the program, prints what it took, and what it printed.
pub fn between(program: &[OsString]) -> Result<(), String> {
    let (program, arguments) = program.split_first().ok_or("no program")?;
    let mut command = Command::new(program);
    // What a verifier leaves behind stays in its folder.
    if let Some(folder) = Path::new(program).parent() {
        command.current_dir(folder);
    }
    let done = command.args(arguments).output().map_err(|error| error.to_string())?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let time = usage.user_time() + usage.system_time();
    let seconds = time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    println!("{seconds} {}", usage.max_rss());
    print!("{}", String::from_utf8_lossy(&done.stdout));
    Ok(())
}

pub fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| error.to_string())
}
