//! Schedules as one line that replays.

use std::fmt;
use std::str::FromStr;

use locklab_sim::{BadSchedule, Schedule};
use locklab_sys::SmolStr;

use crate::arm::Arm;

/// The version that schedules carry: programs and kernel are part of the tool.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A schedule with all that it takes to replay it, as one shell-safe line.
///
/// `VERSION/SCENARIO/POLICY/HASHES/ARM.SEED/CHOICES/END`: the hashes are of
/// the scenario and the policy as parsed, the end is `STEPS.HASH`: how many steps
/// and moves, and the hash of the last state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleLine {
    /// The version of the tool that wrote it.
    pub version: SmolStr,
    /// The scenario's name.
    pub scenario: SmolStr,
    /// The policy's name.
    pub policy: SmolStr,
    /// The first digits of the scenario's fingerprint, and of the policy's.
    pub hashes: (SmolStr, SmolStr),
    /// The arm whose set-up it is.
    pub arm: Arm,
    /// The seed of what the kernel makes up.
    pub seed: u64,
    /// The choices.
    pub schedule: Schedule,
    /// After how many steps and moves it ends.
    pub steps: u32,
    /// The first digits of the fingerprint of the state it ends in.
    pub end: SmolStr,
}

impl fmt::Display for ScheduleLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, scenario, policy, hashes, arm, seed, schedule, steps, end } = self;
        let (of_scenario, of_policy) = hashes;
        write!(
            f,
            "{version}/{scenario}/{policy}/{of_scenario}.{of_policy}/{arm}.{seed}/{schedule}/{steps}.{end}"
        )
    }
}

/// Why a text is no schedule line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// It does not have the seven parts.
    Parts,
    /// This part is not what it should be.
    Part {
        /// Which part.
        name: &'static str,
        /// What stands there.
        found: String,
    },
    /// The choices are malformed.
    Choices(BadSchedule),
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parts => f.write_str(
                "not a schedule: it has the form VERSION/SCENARIO/POLICY/HASHES/ARM.SEED/CHOICES/END",
            ),
            Self::Part { name, found } => write!(f, "not a schedule: `{found}` is no {name}"),
            Self::Choices(bad) => write!(f, "not a schedule: {bad}"),
        }
    }
}

impl std::error::Error for BadLine {}

impl FromStr for ScheduleLine {
    type Err = BadLine;

    fn from_str(text: &str) -> Result<Self, BadLine> {
        let text = text.trim();
        let parts: Vec<&str> = text.splitn(6, '/').collect();
        let [version, scenario, policy, hashes, arm, rest] = parts[..] else {
            return Err(BadLine::Parts);
        };
        // Names of child processes contain slashes: what is last is the end.
        let (schedule, end) = rest.rsplit_once('/').ok_or(BadLine::Parts)?;
        let part = |name, found: &str| BadLine::Part { name, found: found.to_owned() };
        let (of_scenario, of_policy) =
            hashes.split_once('.').ok_or_else(|| part("pair of hashes", hashes))?;
        let (steps, end) = end.split_once('.').ok_or_else(|| part("end", end))?;
        let (arm_name, seed) = arm.split_once('.').ok_or_else(|| part("arm with its seed", arm))?;
        Ok(Self {
            version: version.into(),
            scenario: scenario.into(),
            policy: policy.into(),
            hashes: (of_scenario.into(), of_policy.into()),
            arm: arm_name.parse().map_err(|()| part("arm", arm_name))?,
            seed: seed.parse().map_err(|_| part("seed", seed))?,
            schedule: schedule.parse().map_err(BadLine::Choices)?,
            steps: steps.parse().map_err(|_| part("number of steps", steps))?,
            end: end.into(),
        })
    }
}
