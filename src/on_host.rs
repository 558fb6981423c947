//! A simulated run, forced step by step upon real processes of a real Linux.
//!
//! [`Plan`] is what the simulation did, with all that it takes to do it again.
//! [`force`] does it again: each task's program runs a second time, fed with the
//! replies of the real kernel, and makes its calls from a real process with the same
//! pid. Where a reply is another than the simulation's, up to what is each machine's
//! own, Linux does not agree.

mod obstacle;
mod plan;
mod told;

// The one place that asks for a Linux.
#[cfg_attr(not(target_os = "linux"), path = "on_host/nowhere.rs")]
mod real;

pub use obstacle::Obstacle;
pub use plan::{Act, Called, Deed, Life, Newborn, Plan};
pub use real::force;
pub use told::{Crowd, Deeds, End, Forced, LAUNCHED, Line, Told};
