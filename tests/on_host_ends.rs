//! Whatever a forced run has started ends with it, however it ends.

#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use common::on_host::is_allowed;

/// A number that is as good as chance, and the same each time.
fn scatter(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761) >> 16
}

/// A file of policies has one at least.
const UNUSED: &str = r#"
[policy.unused]
title = "Nobody follows it"
rule = "The file's name is what matters."
publish = "link"
record = ["pid", "start"]
stale = "dead"
release = "own-bytes"
"#;

/// A run with a word in its arguments that nobody else has.
fn start(word: &str) -> Child {
    let policy_file = format!("{}/{word}.toml", env!("CARGO_TARGET_TMPDIR"));
    fs::write(&policy_file, UNUSED).unwrap();
    Command::new(env!("CARGO_BIN_EXE_locklab"))
        .args(["run", "compare-window", "--policy", "age", "--on-host"])
        .args(["--policy-file", &policy_file])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether it has a child by now, which is a machine's init; or has ended.
fn has_begun(run: &mut Child) -> bool {
    let pid = run.id();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    children.is_ok_and(|children| !children.is_empty()) || run.try_wait().unwrap().is_some()
}

/// The living processes whose arguments speak of a word.
fn speaking_of(word: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let arguments = fs::read(format!("/proc/{name}/cmdline")).ok()?;
        String::from_utf8_lossy(&arguments).contains(word).then_some(name)
    });
    processes.collect()
}

#[test]
fn nothing_is_left_of_a_run_that_is_interrupted_or_killed() {
    if !is_allowed("runs that are killed") {
        return;
    }
    let mut killed = 0;
    for number in 0..60 {
        let word = format!("ends-{}-{number}", std::process::id());
        let mut run = start(&word);
        while !has_begun(&mut run) {
            std::thread::yield_now();
        }
        // Anywhere between the first step and the last.
        for _ in 0..scatter(number) % 4_000 {
            let _ = fs::metadata("/proc/self/stat");
        }
        if number % 2 == 0 {
            run.kill().unwrap();
        } else {
            let interrupt = format!("kill -INT {}", run.id());
            Command::new("sh").args(["-c", &interrupt]).stderr(Stdio::null()).status().unwrap();
        }
        // Every process of the run has its stdout: there is an end when all are gone.
        let mut said = Vec::new();
        run.stdout.take().unwrap().read_to_end(&mut said).unwrap();
        let status = run.wait().unwrap();
        killed += u32::from(status.signal().is_some());
        assert_eq!(speaking_of(&word), [] as [String; 0], "{status}");
        fs::remove_file(format!("{}/{word}.toml", env!("CARGO_TARGET_TMPDIR"))).unwrap();
    }
    assert!(killed > 20, "only {killed} of 60 runs were killed on their way");
}
