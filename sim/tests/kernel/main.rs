//! The simulated Linux, call by call.

mod calls;
mod clocks;
mod errnos;
mod files;
mod flock;
mod lab;
mod names;
mod processes;
mod reference;
mod value;
mod waiting;
