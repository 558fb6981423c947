//! Lock policies made of parts, and the programs that use them.
//!
//! A policy is data: a row of parts ([`PolicyRow`]) that makes sense as a
//! whole ([`Policy`]). [`Handle`] is that policy at run time. Everything here
//! asks through [`Sys`](locklab_sys::Sys) alone and cannot tell a simulated
//! kernel from a real one.

mod lock;
mod period;
mod policy;
mod program;
pub mod word;

pub use lock::{
    Claim, Handle, Owner, Polling, claim_number, lock_of_entry, name_with_pid, with_pids,
};
pub use period::{Moment, Period};
pub use policy::{
    Choice, Compare, Complaint, FileLock, Guard, Kept, KernelLock, LetGo, Lock, Mismatch, OnExec,
    Policy, PolicyRow, Publish, Recheck, RecordField, Reentry, Release, Removal, Stale, Takeover,
    Unsigned, VerifyField,
};
pub use program::{
    Answers, Busy, Child, Cleaner, Daemon, Dispatcher, Keeper, Looks, Notes, Parameter,
    PayloadGuard, Poster, Program, ProgramInfo, Setting, Stray, Worker,
};

/// The policies that have a name, as a policy file.
pub const NAMED_POLICIES: &str = include_str!("../policies.toml");
