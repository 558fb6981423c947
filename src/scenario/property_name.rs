use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// What a scenario can ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PropertyName {
    /// Two processes are never inside at once.
    MutualExclusion,
    /// Nobody removes the claim of a live process that is inside.
    LiveHolder,
    /// A release removes no claim but the releaser's own.
    OwnRelease,
    /// A dead holder is succeeded within the scenario's bound.
    PromptTakeover,
    /// Whoever should get in does.
    Progress,
    /// A slot that a dispatcher counts as free is free.
    SlotCountedOnce,
    /// What a dispatcher was told is started, is.
    NoLostDispatch,
    /// No worker is started for a job on which another works.
    NoDoubleStart,
    /// Two posts to an account lie as far apart as they must.
    SpacedPosts,
}

impl PropertyName {
    /// Every property.
    pub const ALL: [Self; 9] = [
        Self::MutualExclusion,
        Self::LiveHolder,
        Self::OwnRelease,
        Self::PromptTakeover,
        Self::Progress,
        Self::SlotCountedOnce,
        Self::NoLostDispatch,
        Self::NoDoubleStart,
        Self::SpacedPosts,
    ];

    /// Its name in files and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MutualExclusion => "mutual-exclusion",
            Self::LiveHolder => "live-holder",
            Self::OwnRelease => "own-release",
            Self::PromptTakeover => "prompt-takeover",
            Self::Progress => "progress",
            Self::SlotCountedOnce => "slot-counted-once",
            Self::NoLostDispatch => "no-lost-dispatch",
            Self::NoDoubleStart => "no-double-start",
            Self::SpacedPosts => "spaced-posts",
        }
    }

    /// Whether what falls has happened, and not only fails to happen in time.
    pub const fn is_safety(self) -> bool {
        !matches!(self, Self::Progress | Self::PromptTakeover)
    }

    /// What it says, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::MutualExclusion => "two processes are never inside at once",
            Self::LiveHolder => "nobody removes the claim of a live process that is inside",
            Self::OwnRelease => "a release removes no claim but the releaser's own",
            Self::PromptTakeover => "a dead holder is succeeded within the scenario's bound",
            Self::Progress => "whoever should get in does",
            Self::SlotCountedOnce => "a slot that a dispatcher counts as free is free",
            Self::NoLostDispatch => "what a dispatcher was told is started, is",
            Self::NoDoubleStart => "no worker is started for a job on which another works",
            Self::SpacedPosts => "two posts to an account lie as far apart as they must",
        }
    }
}

impl fmt::Display for PropertyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// There is no property of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchProperty;

impl FromStr for PropertyName {
    type Err = NoSuchProperty;

    fn from_str(name: &str) -> Result<Self, NoSuchProperty> {
        Self::ALL.into_iter().find(|property| property.as_str() == name).ok_or(NoSuchProperty)
    }
}
