use std::fmt;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use locklab_sys::{Image, SmolStr, Uid};
use serde::Serialize;

use crate::kernel::{IoCall, MachineConfig};
use crate::mishap::{Budgets, Mishap};

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
    /// Whether passing time may lead to every timer that is waited for, and not only to
    /// the next.
    pub every_timer: bool,
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
    /// Whether it is launched again after each boot of its machine, as long after it
    /// as it was after the boot before.
    pub every_boot: bool,
}

impl Launch {
    /// A process of the ordinary user, launched on the first machine when the
    /// world begins.
    pub fn new(name: impl Into<SmolStr>, image: Image) -> Self {
        let (machine, uid, start) = (0, Uid::USER, Duration::ZERO);
        Self { name: name.into(), machine, uid, container: None, start, every_boot: false, image }
    }
}

/// A fault of a story: something that happens to a process before its next
/// call at a point, or some time after it has come there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Fault {
    /// An index into [`Setup::processes`].
    pub process: usize,
    /// The point, as the program names it; of several, whichever it comes to.
    pub at: Points,
    /// Which arrival at the point, from 1.
    pub nth: u32,
    /// So long after that, wherever the process then is.
    pub after: Duration,
    /// What happens.
    pub action: Action,
}

/// One point or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Points(Vec<SmolStr>);

impl Points {
    /// These; `None` of none.
    pub fn new(points: Vec<SmolStr>) -> Option<Self> {
        (!points.is_empty()).then_some(Self(points))
    }

    /// Whether a point is one of them.
    pub fn contains(&self, point: &str) -> bool {
        self.0.iter().any(|it| it == point)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &SmolStr> {
        self.0.iter()
    }
}

impl From<&str> for Points {
    fn from(point: &str) -> Self {
        Self(vec![point.into()])
    }
}

/// As schedules call them.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("+"))
    }
}

/// One has the hash of its name, which it had before there could be several.
impl Hash for Points {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match &self.0[..] {
            [only] => only.hash(hasher),
            several => several.hash(hasher),
        }
    }
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
    /// Lets the process's next such call on a file fail with EIO.
    FailIo(IoCall),
    /// Something happens to the process's machine.
    Machine(Mishap),
    /// Kills the process; this long after, it is launched anew, with the pid it had.
    KillAndRestart(Duration),
}

/// Moves that a strategy may spend, each as often as its budget says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Adversary {
    /// Stops of a process; continuing it is free.
    pub stops: u32,
    /// Kills of a process.
    pub kills: u32,
    /// Passing of time while somebody could run; [`FREE`](Self::FREE) for as often as it
    /// likes.
    pub passes: u32,
    /// Dead pids given to a stranger.
    pub reuses: u32,
    /// Calls on files that fail with EIO.
    pub io_errors: u32,
    /// What happens to whole machines.
    pub mishaps: Budgets,
    /// The adversary wakes when this has happened; at once without it.
    pub after: Option<Awakening>,
}

/// As long as it is granted nothing that was added later, it has the hash that it
/// had before.
impl Hash for Adversary {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { stops, kills, passes, reuses, io_errors, mishaps, after } = self;
        (stops, kills, passes, reuses, after).hash(hasher);
        if (*io_errors, *mishaps) != Default::default() {
            (io_errors, mishaps).hash(hasher);
        }
    }
}

impl Adversary {
    /// The budget of what is not counted, and never spent.
    pub const FREE: u32 = u32::MAX;

    /// Whether there is nothing to spend.
    pub fn is_silent(&self) -> bool {
        self.budgets().iter().all(|(_, budget)| *budget == 0)
    }

    /// Each budget under its name, [`FREE`](Self::FREE) among them.
    pub fn budgets(&self) -> [(&'static str, u32); 11] {
        let Self { stops, kills, passes, reuses, io_errors, mishaps, after: _ } = self;
        [
            ("stops", *stops),
            ("kills", *kills),
            ("passes", *passes),
            ("reuses", *reuses),
            ("io-errors", *io_errors),
            ("sleeps", mishaps.sleeps),
            ("pauses", mishaps.pauses),
            ("reboots", mishaps.reboots),
            ("power-losses", mishaps.power_losses),
            ("clock-steps", mishaps.clock_steps),
            ("full-disks", mishaps.full_disks),
        ]
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
