//! The program as people run it.

use std::process::{Command, Output};

pub fn locklab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_locklab")).args(arguments).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
