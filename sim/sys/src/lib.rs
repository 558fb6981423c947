//! System calls as data.
//!
//! A program is an ordinary `async` function that asks through [`Sys`]. Each
//! method puts a [`Call`] into the task's slot and waits; a driver takes the
//! call out, performs it, and puts the [`Reply`] back. The program cannot tell
//! which driver that was: a policy is written and compiled once.
//!
//! Everything a program learns comes as a reply. A task is thereby a
//! deterministic function of the replies it has been given, and can be re-run
//! from them ([`Task`]).

mod argument;
mod automaton;
mod call;
mod cursor;
mod errno;
mod fingerprint;
#[cfg(target_os = "linux")]
pub mod host;
mod image;
mod kept;
mod lock;
mod mixer;
mod node;
mod renaming;
mod reply;
mod retry;
mod shift;
mod signal;
mod slot;
mod stance;
mod sys;
mod task;
mod trail;
mod user;

pub use argument::{Clock, Direction, Fd, OpenFlags, Pid, RenameFlag, Shutdown};
pub use automaton::Automaton;
pub use call::Call;
pub use cursor::{Cursor, Role};
pub use errno::Errno;
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use image::{Image, Program};
pub use kept::Locals;
pub use lock::{FlockOp, HeldLock, LockCommand, LockKind, RecordLock};
pub use renaming::{Renaming, Renamings, Text};
pub use reply::{
    DirEntry, ExitStatus, FileKind, PeerCred, ProcStat, ProcState, ProcStatus, Reply, Ret, Stat,
};
pub use shift::Shift;
pub use signal::{Disposition, Signal};
pub use slot::Happening;
pub use smol_str::SmolStr;
pub use stance::Progress;
pub use sys::Sys;
pub use task::Task;
pub use user::{Mode, Uid};
