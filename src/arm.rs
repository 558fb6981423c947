//! The ways of running a scenario.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A way of running a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// The story without its faults and changes: nothing may fall.
    Baseline,
    /// The story as told: each task runs until it blocks.
    Story,
    /// A random run: the adversary instead of the story's faults.
    Sampled,
    /// Every run there is, within bounds: the adversary instead of the story's faults.
    Exhaustive,
    /// The story, but nobody is stopped in it: instead, one contender is stopped once,
    /// somewhere. Who waits never gives up.
    OneStop,
}

impl Arm {
    const ALL: [Self; 5] =
        [Self::Baseline, Self::Story, Self::Sampled, Self::Exhaustive, Self::OneStop];

    /// Its name in schedules and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Story => "story",
            Self::Sampled => "sampled",
            Self::Exhaustive => "exhaustive",
            Self::OneStop => "one-stop",
        }
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Arm {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|arm| arm.name() == text).ok_or(())
    }
}
