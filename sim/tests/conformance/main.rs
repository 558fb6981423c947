//! The simulated kernel and a real one answer alike.
//!
//! Small programs of several processes, made at random, run on both: each call
//! is made when the one before has returned or waits. Replies agree call by
//! call, up to the numbers of inodes and what is of the machine: times, start
//! ticks, random bytes, the boot id. Real processes have the pids of simulated ones.
//!
//! `cargo test -p locklab-sim --test conformance -- --cases 100000 --seed 7`
//! tries more programs, and others, than it does by itself. Where it cannot run it
//! says so; `--must-run tmpfs`, `--must-run small-tmpfs`, `--must-run ext4` and
//! `--must-run users` make that a failure.

#[cfg(target_os = "linux")]
mod counts;
#[cfg(target_os = "linux")]
mod inodes;
#[cfg(target_os = "linux")]
mod order;
#[cfg(target_os = "linux")]
#[path = "../common/place.rs"]
mod place;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod reuse;
#[cfg(target_os = "linux")]
mod starts;
#[cfg(target_os = "linux")]
mod trial;

#[cfg(target_os = "linux")]
use place::Place;

#[cfg(target_os = "linux")]
fn main() {
    locklab_sys::host::follow_if_told();
    let arguments: Vec<String> = std::env::args().collect();
    let cases = number(&arguments, "--cases").unwrap_or(u64::from(trial::CASES));
    let cases: u32 = cases.try_into().expect("so many programs are never done");
    let seed = number(&arguments, "--seed").unwrap_or(0);
    let mut has_users = true;
    for place in [Place::Tmpfs, Place::SmallTmpfs, Place::Ext4] {
        match place.machine() {
            Ok(machine) => {
                if has_users && !machine.has_users() {
                    has_users = false;
                    skip(&arguments, "users", "users and containers", "root");
                }
                reuse::check(place, &machine);
                trial::run(place, &machine, cases, seed);
            }
            Err(obstacle) => {
                let name = place.to_string();
                skip(&arguments, &name, &format!("conformance on {name}"), &obstacle);
            }
        }
    }
}

/// Says what is skipped, if that is allowed.
#[cfg(target_os = "linux")]
fn skip(arguments: &[String], name: &str, what: &str, obstacle: &str) {
    let must_run = arguments.windows(2).any(|words| words == ["--must-run", name]);
    assert!(!must_run, "{what}: cannot run, for lack of {obstacle}");
    println!("{what}: skipped, for lack of {obstacle}");
}

/// The number that follows a word.
#[cfg(target_os = "linux")]
fn number(arguments: &[String], word: &str) -> Option<u64> {
    let at = arguments.iter().position(|it| it == word)?;
    let given = arguments.get(at + 1).and_then(|it| it.parse().ok());
    Some(given.unwrap_or_else(|| panic!("{word} takes a number")))
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("conformance: skipped, since this is no Linux");
}
