//! The simulated Linux, call by call.

mod calls;
mod clocks;
mod connecting;
mod errnos;
mod files;
mod flock;
mod interrupts;
mod lab;
mod names;
mod pidfds;
mod polling;
mod processes;
mod programs;
mod reference;
mod sockets;
mod streams;
mod value;
mod waiting;
mod wire;
