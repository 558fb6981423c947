//! What a leader does to a machine's processes and files from outside.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::age::Ages;
use super::machine::{Machine, Order, PATIENCE};
use super::{Host, processes};
use crate::{Call, Pid, Reply, Ret, Signal, Uid};

/// What init does for a leader.
#[derive(Serialize, Deserialize)]
pub(super) enum Deed {
    /// Sends a signal.
    Signal { pid: Pid, signal: Signal },
    /// Lets all files be older by so much than the last time.
    Age { by: Duration },
}

impl Deed {
    pub(super) fn perform(&self, host: &Host, ages: &mut Ages) -> io::Result<Ret> {
        match self {
            Self::Signal { pid, signal } => Ok(processes::kill(*pid, *signal)?),
            Self::Age { by } => ages.grow(*by, host.proc.as_fd()).map(|()| Ret::Unit),
        }
    }
}

impl Machine {
    /// Init sends a signal to the process with this [outer pid](super::Puppet::outer_pid).
    /// What comes of it may take a while.
    ///
    /// # Errors
    ///
    /// As `kill` says.
    pub fn signal(&self, pid: Pid, signal: Signal) -> io::Result<()> {
        self.bring_about(Deed::Signal { pid, signal })
    }

    /// Lets every file be older by so much than the last time, or than at the last
    /// [reset](Self::reset), and by nothing for the time that has really passed, so
    /// that nobody has to wait for a file to grow old. What was written since counts
    /// as written then. No age is more than that; it is less by some milliseconds.
    ///
    /// # Errors
    ///
    /// When init fails to do so.
    pub fn age(&self, by: Duration) -> io::Result<()> {
        self.bring_about(Deed::Age { by })
    }

    fn bring_about(&self, deed: Deed) -> io::Result<()> {
        let reply: Reply = self.tell(&Order::Outside(deed), None)?;
        reply.map(|_| ()).map_err(io::Error::from)
    }

    /// Whether one can see here in which system call a process is: without that,
    /// nobody can be [seen waiting](super::Puppet::is_seen_waiting).
    ///
    /// # Errors
    ///
    /// When there is no process to be had.
    pub fn shows_calls(&self) -> io::Result<bool> {
        let puppet = self.launch(Uid::ROOT, None)?;
        puppet.order(&Call::Getpid)?;
        Ok(puppet.reply(PATIENCE)?.is_some() && puppet.is_seen_idle())
    }
}
