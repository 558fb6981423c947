//! A simulated Linux whose every choice belongs to a strategy.
//!
//! It knows nothing of locks. Programs ask through [`locklab_sys::Sys`]; a
//! [`World`] offers what may happen next; a [`Strategy`] chooses; [`Monitor`]s
//! watch; a [`Recorder`] writes down. [`run`] ties the five together.

pub mod kernel;

mod choice;
mod event;
mod limits;
mod mishap;
mod monitor;
mod note;
mod part;
mod random;
mod run;
mod schedule;
mod search;
mod seconds;
mod setup;
mod strategy;
mod trace;
mod unconfirmed;
mod world;

pub use choice::Choice;
pub use event::Event;
pub use limits::Limits;
pub use mishap::{Budgets, Mishap};
pub use monitor::{End, Fall, Fell, Monitor, Swap};
pub use note::Notes;
pub use run::{Finished, run};
pub use schedule::{BadSchedule, Schedule};
pub use search::{
    Alike, Allowed, Bounds, Cost, Cut, Explored, Found, Judged, Lasso, Memory, Others, Reductions,
    Search, Stage, Stuck,
};
pub use seconds::Seconds;
pub use setup::{Action, Adversary, Awakening, Fault, Launch, Points, Setup};
pub use strategy::{Pct, Random, Replay, Strategy, Turns};
pub use trace::{
    Recorder, Trace, TracedEvent, TracedFall, TracedOutcome, TracedProcess, TracedStep,
};
pub use unconfirmed::Unconfirmed;
pub use world::{CallOutcome, Offer, Performed, World};
