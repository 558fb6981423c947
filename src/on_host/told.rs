use std::time::Duration;

use locklab_sys::SmolStr;
use serde::Serialize;

/// A run that was forced upon real processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forced {
    /// How far Linux agreed.
    pub end: End,
    /// The steps and moves, in order, up to the end.
    pub lines: Vec<Line>,
    /// When several were inside one lock at once, on the real kernel.
    pub crowds: Vec<Crowd>,
    /// What was done to processes and files from outside.
    pub deeds: Deeds,
}

/// How a forced run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Linux agreed at each of so many steps.
    Agreed(u32),
    /// Linux did something else at this step or move.
    Differs {
        /// Its number, from 1.
        number: u32,
        /// What the simulation says, and what Linux does.
        how: String,
    },
    /// The real processes could not be made to go on as the schedule says.
    NotForced {
        /// The number of the step or move that could not be made, from 1.
        number: u32,
        /// What came in between.
        why: String,
    },
}

/// What is said of a process that init launches.
pub const LAUNCHED: &str = "is launched";

/// A step or a move, as it was made on the real kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// From 1, as in the trace.
    pub number: u32,
    /// Virtual time after it, since the world began.
    pub time_ns: u64,
    /// Whose step it is, or whom the move is about.
    pub process: Option<SmolStr>,
    /// The call, or the move.
    pub what: String,
    /// What Linux said, or how the move was made.
    pub linux: String,
    /// Whether Linux agreed.
    pub agrees: bool,
    /// The marks that the program said after it, fed with what Linux replied.
    pub marks: Vec<Told>,
}

/// A mark, as the real task said it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The mark's name.
    pub mark: &'static str,
    /// What it is about: of a lock, its path.
    pub subject: SmolStr,
    /// Who is inside a lock at once by it, when those are several.
    pub crowd: Vec<SmolStr>,
}

/// Several inside one lock at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crowd {
    /// The step after which it was so.
    pub number: u32,
    /// The path of the lock.
    pub lock: SmolStr,
    /// Who, in the order in which they entered.
    pub inside: Vec<SmolStr>,
}

/// What was done to processes and files from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Deeds {
    /// Who got `SIGSTOP` and was seen in state T.
    pub stopped: Vec<SmolStr>,
    /// Who got `SIGCONT`.
    pub continued: Vec<SmolStr>,
    /// Who got `SIGKILL`.
    pub killed: Vec<SmolStr>,
    /// The pids that were given to a stranger.
    pub reused: Vec<u32>,
    /// How much virtual time passed, by which the times of files were set back.
    #[serde(rename = "set_back_ns", serialize_with = "nanos")]
    pub set_back: Duration,
    /// How many sleeps were not slept.
    pub sleeps: u32,
}

fn nanos<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_nanos()).expect("584 years"))
}
