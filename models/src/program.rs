mod input;
mod keeper;
mod poster;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Fingerprint, Image};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Period, Policy, Polling};

pub use keeper::Keeper;
pub use poster::Poster;
pub use worker::Worker;

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
}

/// What a program is given besides its parameters.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The policy in its `lock` slot.
    pub lock: Arc<Policy>,
    /// How long it keeps trying to take the lock.
    pub patience: Duration,
}

impl Setting {
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
    /// Its parameters.
    pub parameters: &'static [Parameter],
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
            _ => return None,
        })
    }

    /// What there is to know of each program.
    pub fn all() -> &'static [ProgramInfo] {
        &[Worker::INFO, Poster::INFO, Keeper::INFO]
    }

    /// What a process executes that runs this program in `setting`.
    pub fn image(&self, setting: &Setting) -> Image {
        let setting = setting.clone();
        // All that the closures capture, parameters yet to be added included.
        let captured = (self, setting.lock.fingerprint().0, setting.patience);
        let arguments = Fingerprint::of(&captured).to_string();
        match self.clone() {
            Self::Worker(worker) => Image::new("worker", arguments, move |sys| {
                worker::run(sys, worker.clone(), setting.clone())
            }),
            Self::Poster(poster) => Image::new("poster", arguments, move |sys| {
                poster::run(sys, poster.clone(), setting.clone())
            }),
            Self::Keeper(keeper) => Image::new("keeper", arguments, move |sys| {
                keeper::run(sys, keeper.clone(), setting.clone())
            }),
        }
    }

    /// Every duration that the parameters declare.
    pub fn durations(&self) -> Vec<Duration> {
        match self {
            Self::Worker(worker) => worker.durations(),
            Self::Poster(poster) => poster.durations(),
            Self::Keeper(keeper) => keeper.durations(),
        }
    }

    /// The pause between two attempts to take a lock.
    pub fn poll_period(&self) -> Duration {
        match self {
            Self::Worker(worker) => worker.every.get(),
            Self::Poster(poster) => poster.every.get(),
            Self::Keeper(keeper) => keeper.every.get(),
        }
    }
}
