//! What is measured in traces: made by hand, and of runs.

mod calls;
mod cli;
#[path = "../common/mod.rs"]
mod common;
mod ranking;
mod story;
mod times;
mod trace;
