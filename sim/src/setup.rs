use std::time::Duration;

use locklab_sys::{Image, SmolStr, Uid};
use serde::Serialize;

use crate::kernel::MachineConfig;

/// Everything that a world begins with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The machines, in the order of their ids.
    pub machines: Vec<MachineConfig>,
    /// The processes that init launches, in order.
    pub processes: Vec<Launch>,
    /// The faults that are to happen, as told.
    pub story: Vec<Fault>,
    /// What a strategy may spend where it likes.
    pub adversary: Adversary,
    /// Every duration that a program or policy declares: together with the
    /// file times they make the instants to which passing time may lead.
    pub durations: Vec<Duration>,
}

/// A process that init launches.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Its name in schedules and traces.
    pub name: SmolStr,
    /// An index into [`Setup::machines`].
    pub machine: usize,
    /// Whose it is.
    pub uid: Uid,
    /// The container it runs in, if it does: who is launched into one that does
    /// not run starts it, and is its pid 1.
    pub container: Option<SmolStr>,
    /// When it is launched, since the world began.
    pub start: Duration,
    /// What it runs.
    pub image: Image,
}

impl Launch {
    /// A process of the ordinary user, launched on the first machine when the
    /// world begins.
    pub fn new(name: impl Into<SmolStr>, image: Image) -> Self {
        let (machine, uid, start) = (0, Uid::USER, Duration::ZERO);
        Self { name: name.into(), machine, uid, container: None, start, image }
    }
}

/// A fault of a story: something that happens to a process before its next
/// call at a point, or some time after it has come there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Fault {
    /// An index into [`Setup::processes`].
    pub process: usize,
    /// The point, as the program names it.
    pub at: SmolStr,
    /// Which arrival at the point, from 1.
    pub nth: u32,
    /// So long after that, wherever the process then is.
    pub after: Duration,
    /// What happens.
    pub action: Action,
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Stops the process for this long.
    Stop(Duration),
    /// Lets the process have no processor for this long, though it could run.
    Starve(Duration),
    /// Kills the process.
    Kill,
    /// Kills the process; this long after, a stranger has its pid.
    KillAndReuse(Duration),
    /// Sets the realtime clock of the process's machine forward.
    ClockForward(Duration),
    /// Sets the realtime clock of the process's machine back.
    ClockBack(Duration),
}

/// Moves that a strategy may spend, each as often as its budget says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Adversary {
    /// Stops of a process; continuing it is free.
    pub stops: u32,
    /// Kills of a process.
    pub kills: u32,
    /// Passing of time while somebody could run.
    pub passes: u32,
    /// Dead pids given to a stranger.
    pub reuses: u32,
    /// The adversary wakes when this has happened; at once without it.
    pub after: Option<Awakening>,
}

impl Adversary {
    /// Whether there is nothing to spend.
    pub fn is_silent(&self) -> bool {
        self.stops == 0 && self.kills == 0 && self.passes == 0 && self.reuses == 0
    }
}

/// What wakes an adversary: a process says a mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Awakening {
    /// An index into [`Setup::processes`].
    pub process: usize,
    /// The mark's name.
    pub mark: SmolStr,
}
