use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Errno, OpenFlags, Sys};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::input::absolute_path;
use super::{LOCK, Parameter, ProgramInfo, Setting};
use crate::lock::Foreseen;
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
    /// Whether it opens the file at the path and closes it before it works, as a function does
    /// that looks into the file and knows of no lock. Default: no.
    pub peek: bool,
}

/// What is as by default moves no seed: a worker that does no more than take the lock, work and
/// release is told apart from others by what could be told before any could do more.
impl Hash for Worker {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { path, work, rounds, rest, every, nested, peek } = self;
        (path, work, rounds, rest, every).hash(state);
        if *nested {
            "nested".hash(state);
        }
        if *peek {
            "peek".hash(state);
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
            peek: false,
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
            Parameter {
                name: "peek",
                default: "false",
                help: "whether it opens the file at the path and closes it before it works",
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
    if !job.worker.nested {
        job.do_work(sys).await;
        return true;
    }
    let Some(claim) = job.lock.acquire(sys, job.polling).await else { return false };
    job.do_work(sys).await;
    job.lock.release(sys, claim).await;
    true
}

impl Job {
    async fn do_work(&self, sys: &Sys) {
        if self.worker.peek {
            self.peek(sys).await;
        }
        self.lock.work(sys, self.worker.work.get()).await;
    }

    /// Looks whether there is anything in the file: there never is.
    async fn peek(&self, sys: &Sys) {
        let path = &self.worker.path;
        let opened = sys.open(path.clone(), OpenFlags::RDONLY).await;
        // Whoever took its claim for a dead one's may have removed it.
        if let Some(fd) = opened.unless([Errno::ENOENT], "open", path) {
            sys.close(fd).await.surely("close", path);
        }
    }
}
