mod busy;
mod cleaner;
mod daemon;
mod dispatcher;
mod guard;
mod input;
mod keeper;
mod poster;
mod spacing;
mod stray;
mod wire;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Fingerprint, Image};
use serde::{Deserialize, Deserializer, Serialize};

use crate::word::point;
use crate::{Period, Policy, Polling};

pub use busy::Busy;
pub use cleaner::Cleaner;
pub use daemon::{Answers, Daemon};
pub use dispatcher::Dispatcher;
pub use guard::PayloadGuard;
pub use keeper::Keeper;
pub use poster::Poster;
pub use spacing::{Looks, Notes};
pub use stray::Stray;
pub use worker::{Child, Worker};

/// The slot of a lock policy.
const LOCK: &str = "lock";

/// A program with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// Takes the lock, works, releases.
    Worker(Worker),
    /// Takes the lock of an account for each post.
    Poster(Poster),
    /// A singleton that schedules on a tick.
    Keeper(Keeper),
    /// Has a daemon start a worker, if there is a free slot for one.
    Dispatcher(Dispatcher),
    /// Listens, lists, and starts workers as its own children.
    Daemon(Daemon),
    /// Judges one payload.
    Guard(PayloadGuard),
    /// Computes in bursts.
    Busy(Busy),
    /// Removes old files.
    Cleaner(Cleaner),
    /// Leaves a file in a directory.
    Stray(Stray),
}

/// What a program is given besides its parameters.
#[derive(Clone, Debug)]
pub struct Setting {
    /// A policy for each of its slots: [`ProgramInfo::slots`].
    pub slots: Vec<(&'static str, Arc<Policy>)>,
    /// How long it keeps trying to take a lock, [`Duration::MAX`] without end.
    pub patience: Duration,
}

impl Setting {
    /// The policy in a slot.
    fn policy(&self, slot: &str) -> &Arc<Policy> {
        let filled = self.slots.iter().find(|(name, _)| *name == slot);
        &filled.unwrap_or_else(|| panic!("nobody has filled the slot `{slot}`")).1
    }

    fn polling(&self, every: Period) -> Polling {
        Polling { every: every.get(), patience: self.patience }
    }
}

/// What there is to know of a program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramInfo {
    /// The name under which it is asked for.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The slots that a policy can fill.
    pub slots: &'static [&'static str],
    /// The points that it comes to, besides those of its locks.
    pub own_points: &'static [&'static str],
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

impl ProgramInfo {
    /// Every point that it may come to.
    pub fn points(&self) -> impl Iterator<Item = &'static str> + Clone {
        let of_locks = if self.slots.contains(&LOCK) { point::OF_LOCKS } else { &[] };
        of_locks.iter().chain(self.own_points).copied()
    }
}

/// A parameter of a program.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The key in a scenario file.
    pub name: &'static str,
    /// What it is when it is not given, as TOML.
    pub default: &'static str,
    /// What it means.
    pub help: &'static str,
}

impl Program {
    /// The program called `program`, its parameters read from `deserializer`;
    /// `None` if there is no such program.
    pub fn deserialize_named<'de, D: Deserializer<'de>>(
        program: &str,
        deserializer: D,
    ) -> Option<Result<Self, D::Error>> {
        Some(match program {
            "worker" => Worker::deserialize(deserializer).map(Self::Worker),
            "poster" => Poster::deserialize(deserializer).map(Self::Poster),
            "keeper" => Keeper::deserialize(deserializer).map(Self::Keeper),
            "dispatcher" => Dispatcher::deserialize(deserializer).map(Self::Dispatcher),
            "daemon" => Daemon::deserialize(deserializer).map(Self::Daemon),
            "guard" => PayloadGuard::deserialize(deserializer).map(Self::Guard),
            "busy" => Busy::deserialize(deserializer).map(Self::Busy),
            "cleaner" => Cleaner::deserialize(deserializer).map(Self::Cleaner),
            "stray" => Stray::deserialize(deserializer).map(Self::Stray),
            _ => return None,
        })
    }

    /// What there is to know of each program.
    pub fn all() -> &'static [ProgramInfo] {
        &[
            Worker::INFO,
            Poster::INFO,
            Keeper::INFO,
            Dispatcher::INFO,
            Daemon::INFO,
            PayloadGuard::INFO,
            Busy::INFO,
            Cleaner::INFO,
            Stray::INFO,
        ]
    }

    /// What there is to know of this one.
    pub fn info(&self) -> &'static ProgramInfo {
        match self {
            Self::Worker(_) => &Worker::INFO,
            Self::Poster(_) => &Poster::INFO,
            Self::Keeper(_) => &Keeper::INFO,
            Self::Dispatcher(_) => &Dispatcher::INFO,
            Self::Daemon(_) => &Daemon::INFO,
            Self::Guard(_) => &PayloadGuard::INFO,
            Self::Busy(_) => &Busy::INFO,
            Self::Cleaner(_) => &Cleaner::INFO,
            Self::Stray(_) => &Stray::INFO,
        }
    }

    /// What a process executes that runs this program in `setting`.
    pub fn image(&self, setting: &Setting) -> Image {
        let setting = setting.clone();
        // All that the closures capture, parameters yet to be added included.
        let slots = setting.slots.iter().map(|(slot, policy)| (*slot, policy.fingerprint().0));
        let captured = (self, slots.collect::<Vec<_>>(), setting.patience);
        let arguments = Fingerprint::of(&captured).to_string();
        // One program a closure, started anew for each process and each re-run.
        match self.clone() {
            Self::Worker(it) => Image::new("worker", arguments, move |sys| {
                worker::run(sys, it.clone(), setting.clone())
            }),
            Self::Poster(it) => Image::new("poster", arguments, move |sys| {
                poster::run(sys, it.clone(), setting.clone())
            }),
            Self::Keeper(it) => Image::new("keeper", arguments, move |sys| {
                keeper::run(sys, it.clone(), setting.clone())
            }),
            Self::Dispatcher(it) => Image::new("dispatcher", arguments, move |sys| {
                dispatcher::run(sys, it.clone(), setting.clone())
            }),
            Self::Daemon(it) => {
                Image::new("daemon", arguments, move |sys| daemon::run(sys, it.clone()))
            }
            Self::Guard(it) => {
                Image::new("guard", arguments, move |sys| guard::run(sys, it.clone()))
            }
            Self::Busy(it) => Image::new("busy", arguments, move |sys| busy::run(sys, it.clone())),
            Self::Cleaner(it) => {
                Image::new("cleaner", arguments, move |sys| cleaner::run(sys, it.clone()))
            }
            Self::Stray(it) => {
                Image::new("stray", arguments, move |sys| stray::run(sys, it.clone()))
            }
        }
    }

    /// Every duration that the parameters declare.
    pub fn durations(&self) -> Vec<Duration> {
        match self {
            Self::Worker(worker) => worker.durations(),
            Self::Poster(poster) => poster.durations(),
            Self::Keeper(keeper) => keeper.durations(),
            Self::Dispatcher(dispatcher) => dispatcher.durations(),
            Self::Daemon(daemon) => daemon.durations(),
            Self::Guard(guard) => guard.durations(),
            Self::Busy(busy) => busy.durations(),
            Self::Cleaner(cleaner) => cleaner.durations(),
            Self::Stray(_) => Vec::new(),
        }
    }

    /// How old something must be for the program to do something about it. `None` of one
    /// that makes more of times than how old something is: that keeps a clock's reading.
    pub fn ages(&self) -> Option<Vec<Duration>> {
        match self {
            Self::Worker(_) | Self::Keeper(_) | Self::Busy(_) | Self::Stray(_) => Some(Vec::new()),
            Self::Poster(poster) => poster.ages(),
            Self::Cleaner(cleaner) => Some(vec![cleaner.age()]),
            Self::Dispatcher(_) | Self::Daemon(_) | Self::Guard(_) => None,
        }
    }

    /// The pause between two attempts to take a lock, if it takes any.
    pub fn poll_period(&self) -> Option<Duration> {
        match self {
            Self::Worker(worker) => Some(worker.every.get()),
            Self::Poster(poster) => Some(poster.every.get()),
            Self::Keeper(keeper) => Some(keeper.every.get()),
            Self::Dispatcher(dispatcher) => Some(dispatcher.every.get()),
            Self::Daemon(_)
            | Self::Guard(_)
            | Self::Busy(_)
            | Self::Cleaner(_)
            | Self::Stray(_) => None,
        }
    }
}
