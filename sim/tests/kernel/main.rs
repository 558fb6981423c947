//! The simulated Linux, call by call.

mod calls;
mod clocks;
mod connecting;
mod containers;
mod disk;
mod durable;
mod errnos;
mod files;
mod flock;
mod interrupts;
mod lab;
mod machines;
mod modes;
mod names;
mod pidfds;
mod polling;
mod processes;
mod programs;
mod reference;
mod socket_modes;
mod sockets;
mod streams;
mod users;
mod value;
mod waiting;
mod wire;
