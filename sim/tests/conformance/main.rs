//! The simulated kernel and a real one answer alike.
//!
//! Small programs of three processes, made at random, run on both: each call
//! is made when the one before has returned or waits. Replies agree call by
//! call, up to the names of pids and inodes, and what is of the machine: times,
//! random bytes, the boot id.
//!
//! `cargo test -p locklab-sim --test conformance -- --cases 100000 --seed 7`
//! tries more programs, and others, than it does by itself; with `--must-run` it
//! fails where it cannot run, instead of saying so.

#[cfg(target_os = "linux")]
mod counts;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod names;
#[cfg(target_os = "linux")]
mod op;
#[cfg(target_os = "linux")]
mod puppet;
#[cfg(target_os = "linux")]
mod trial;

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, first, root] = &arguments[..]
        && first == puppet::ARGUMENT
    {
        return puppet::run(root);
    }
    match host::obstacle() {
        None => {
            let cases = number(&arguments, "--cases").unwrap_or(u64::from(trial::CASES));
            let cases = cases.try_into().expect("so many cases are never done");
            trial::run(cases, number(&arguments, "--seed").unwrap_or(0));
        }
        Some(obstacle) => {
            assert!(!arguments.iter().any(|it| it == "--must-run"), "cannot run: {obstacle}");
            println!("conformance: skipped, for {obstacle}");
        }
    }
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
