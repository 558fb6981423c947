use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::Sys;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::input::absolute_path;
use super::{LOCK, Parameter, ProgramInfo, Setting};
use crate::{Handle, Owner, Period, Polling};

/// Takes the lock, works, releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Worker {
    /// The path of the lock. Default: `/run/lock`.
    #[serde(deserialize_with = "absolute_path")]
    pub path: SmolStr,
    /// How long the work inside takes. Default: 5 s.
    pub work: Period,
    /// How often it does all that. Default: once.
    pub rounds: u32,
    /// The pause between two rounds. Default: 1 s.
    pub rest: Period,
    /// The pause between two attempts to take the lock. Default: 1 s.
    pub every: Period,
    /// Whether it takes the lock once more while it is inside, as a function does that locks
    /// and is called by one that has locked already. Default: no.
    pub nested: bool,
}

/// What is as by default moves no seed: a worker that does not nest is told apart from others
/// by what could be told before any could.
impl Hash for Worker {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { path, work, rounds, rest, every, nested } = self;
        (path, work, rounds, rest, every).hash(state);
        if *nested {
            "nested".hash(state);
        }
    }
}

impl Default for Worker {
    fn default() -> Self {
        Self {
            path: "/run/lock".into(),
            work: Period::seconds(5),
            rounds: 1,
            rest: Period::seconds(1),
            every: Period::seconds(1),
            nested: false,
        }
    }
}

impl Worker {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "worker",
        summary: "takes the lock, works, releases",
        slots: &[LOCK],
        own_points: &[],
        parameters: &[
            Parameter { name: "path", default: "\"/run/lock\"", help: "the path of the lock" },
            Parameter { name: "work", default: "\"5s\"", help: "how long the work inside takes" },
            Parameter { name: "rounds", default: "1", help: "how often it does all that" },
            Parameter { name: "rest", default: "\"1s\"", help: "the pause between two rounds" },
            Parameter {
                name: "every",
                default: "\"1s\"",
                help: "the pause between two attempts to take the lock",
            },
            Parameter {
                name: "nested",
                default: "false",
                help: "whether it takes the lock once more while it is inside",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        [self.work, self.rest, self.every].map(Period::get).to_vec()
    }
}

/// What does not change from round to round.
struct Job {
    lock: Handle,
    polling: Polling,
    worker: Worker,
}

#[derive(Clone, Hash)]
struct Rounds {
    done: u32,
    refused: bool,
}

pub(super) async fn run(sys: Sys, worker: Worker, setting: Setting) -> u8 {
    let owner = Owner::learn(&sys, setting.policy(LOCK)).await;
    let lock = Handle::new(setting.policy(LOCK), &worker.path, &owner);
    let job = Job { lock, polling: setting.polling(worker.every), worker };
    let refused = sys.retry(&job, Rounds { done: 0, refused: false }, round).await;
    u8::from(refused)
}

async fn round(sys: &Sys, job: &Job, rounds: Rounds) -> ControlFlow<bool, Rounds> {
    let Rounds { done, mut refused } = rounds;
    if done == job.worker.rounds {
        return ControlFlow::Break(refused);
    }
    if done > 0 {
        sys.sleep(job.worker.rest.get()).await;
    }
    match job.lock.acquire(sys, job.polling).await {
        Some(claim) => {
            refused |= !work(sys, job).await;
            job.lock.release(sys, claim).await;
        }
        None => refused = true,
    }
    ControlFlow::Continue(Rounds { done: done + 1, refused })
}

/// Works, inside; whether it could.
async fn work(sys: &Sys, job: &Job) -> bool {
    let work = job.worker.work.get();
    if !job.worker.nested {
        job.lock.work(sys, work).await;
        return true;
    }
    let Some(claim) = job.lock.acquire(sys, job.polling).await else { return false };
    job.lock.work(sys, work).await;
    job.lock.release(sys, claim).await;
    true
}
