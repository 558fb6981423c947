use std::fmt;

use serde::{Deserialize, Serialize};

/// The signals that `kill` can send here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// Signal 0: only asks whether the signal could be sent.
    Probe,
    /// `SIGSTOP`.
    Stop,
    /// `SIGCONT`.
    Cont,
    /// `SIGKILL`.
    Kill,
    /// `SIGALRM`: ends a process that has not chosen otherwise.
    Alrm,
}

impl Signal {
    /// The memory cell that a handler sets to 1; none for what cannot be handled.
    pub const fn cell(self) -> Option<&'static str> {
        match self {
            Self::Alrm => Some("SIGALRM"),
            Self::Cont => Some("SIGCONT"),
            Self::Probe | Self::Stop | Self::Kill => None,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Probe => "0",
            Self::Stop => "STOP",
            Self::Cont => "CONT",
            Self::Kill => "KILL",
            Self::Alrm => "ALRM",
        })
    }
}

/// What a process does at a signal (signal(7)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disposition {
    /// `SIG_DFL`: what the signal does by itself.
    #[default]
    Default,
    /// `SIG_IGN`.
    Ignore,
    /// A handler, which sets the [memory cell](Signal::cell) of the signal.
    Handle {
        /// `SA_RESTART`: a call that waited and can begin again does so,
        /// instead of failing with EINTR.
        restart: bool,
    },
}

impl fmt::Display for Disposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Default => "SIG_DFL",
            Self::Ignore => "SIG_IGN",
            Self::Handle { restart: false } => "handler",
            Self::Handle { restart: true } => "handler SA_RESTART",
        })
    }
}
