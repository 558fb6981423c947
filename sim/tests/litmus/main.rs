//! One call is one atomic step on a real kernel, too.
//!
//! Small programs of a few processes run at once, on different processors, and
//! nothing orders their calls. Every outcome, that is all replies and what is
//! found afterwards, must be one that the simulated kernel gives in some order
//! of the calls: all orders are walked beforehand. What Linux is known to do
//! besides stands with the program, and is told.
//!
//! `cargo test -p locklab-sim --test litmus -- --runs 100000 --seed 7` does more
//! runs of each program than it does by itself, `--only NAME` of one program;
//! `--all` tells each outcome. Where it cannot run it says so; `--must-run tmpfs`
//! and `--must-run ext4` make that a failure.

#[cfg(target_os = "linux")]
mod arena;
#[cfg(target_os = "linux")]
mod outcome;
#[cfg(target_os = "linux")]
#[path = "../common/place.rs"]
mod place;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod session;
#[cfg(target_os = "linux")]
mod tally;
#[cfg(target_os = "linux")]
mod walk;

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    session::hold(&session::Options::from(&arguments[1..]));
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("litmus: skipped, since this is no Linux");
}
