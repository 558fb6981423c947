mod child;

use std::hash::{Hash, Hasher};
use std::num::NonZeroU8;
use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Disposition, Errno, Fingerprint, Image, OpenFlags, Pid, Signal, Sys};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::input::{absolute_path, period_or_none};
use super::{LOCK, Parameter, ProgramInfo, Setting};
use crate::lock::Foreseen;
use crate::{Claim, Handle, Owner, Period, Polling};

pub use child::Child;

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
    /// What a child does that it forks once it is inside. Default: it forks none.
    pub child: Child,
    /// How many threads do all that, each for itself. Default: one.
    pub threads: NonZeroU8,
    /// How long after its start a signal comes that it handles, so that what it waits for then
    /// fails with EINTR. Default: none comes.
    #[serde(deserialize_with = "period_or_none")]
    pub alarm: Option<Period>,
}

/// What is as by default moves no seed: a worker that does no more than take the lock, work and
/// release is told apart from others by what could be told before any could do more.
impl Hash for Worker {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { path, work, rounds, rest, every, nested, peek, child, threads, alarm } = self;
        (path, work, rounds, rest, every).hash(state);
        if *nested {
            "nested".hash(state);
        }
        if *peek {
            "peek".hash(state);
        }
        if *child != Child::None {
            ("child", child).hash(state);
        }
        if *threads != NonZeroU8::MIN {
            ("threads", threads).hash(state);
        }
        if let Some(alarm) = alarm {
            ("alarm", alarm).hash(state);
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
            child: Child::None,
            threads: NonZeroU8::MIN,
            alarm: None,
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
            Parameter {
                name: "child",
                default: "\"none\"",
                help: "what a child does that it forks inside: \"lives-on\", for ten minutes, in another program; \"cleans-up\", releasing the lock as its parent would; \"enters\", taking it itself; \"dies-inside\", taking it instead of its parent, which never asks how it ended",
            },
            Parameter {
                name: "threads",
                default: "1",
                help: "how many threads do all that, each for itself",
            },
            Parameter {
                name: "alarm",
                default: "\"none\"",
                help: "how long after its start a signal comes that it handles, and what it waits for then fails with EINTR",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        let periods = [self.work, self.rest, self.every].map(Period::get);
        let alarm = self.alarm.map(Period::get);
        periods.into_iter().chain(self.child.durations()).chain(alarm).collect()
    }
}

/// What does not change from round to round.
#[derive(Clone)]
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
    let polling = setting.polling(worker.every);
    if worker.child == Child::DiesInside {
        Child::send_ahead(&sys, &lock, polling, worker.work.get()).await;
        return 0;
    }
    let job = Job { lock, polling, worker };
    job.set_alarm(&sys).await;
    let threads = start_threads(&sys, &job).await;
    let refused = do_rounds(&sys, &job).await;
    for thread in threads {
        sys.join(thread).await.surely("wait for", "a thread");
    }
    u8::from(refused)
}

/// Starts all threads but the first, which there is already.
async fn start_threads(sys: &Sys, job: &Job) -> Vec<Pid> {
    let mut threads = Vec::new();
    for _ in 1..job.worker.threads.get() {
        let image = job.thread();
        threads.push(sys.spawn_thread(image).await.surely("start", "a thread"));
    }
    threads
}

/// Does all rounds; whether the lock was not to be had in one of them.
async fn do_rounds(sys: &Sys, job: &Job) -> bool {
    sys.retry(job, Rounds { done: 0, refused: false }, round).await
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
            refused |= !work(sys, job, &claim).await;
            job.lock.release(sys, claim).await;
        }
        None => refused = true,
    }
    ControlFlow::Continue(Rounds { done: done + 1, refused })
}

/// Works, inside; whether it could.
async fn work(sys: &Sys, job: &Job, claim: &Claim) -> bool {
    if !job.worker.nested {
        job.do_work(sys, claim).await;
        return true;
    }
    let Some(claim) = job.lock.acquire(sys, job.polling).await else { return false };
    job.do_work(sys, &claim).await;
    job.lock.release(sys, claim).await;
    true
}

impl Job {
    /// Asks for the signal, if one is to come.
    async fn set_alarm(&self, sys: &Sys) {
        let Some(after) = self.worker.alarm else { return };
        let handle = Disposition::Handle { restart: false };
        sys.sigaction(Signal::Alrm, handle).await.surely("handle", "SIGALRM");
        sys.setitimer(after.get()).await.surely("set", "a timer");
    }

    /// What another thread does.
    fn thread(&self) -> Image {
        let captured = (self.lock.fingerprint().0, self.polling, &self.worker);
        let arguments = Fingerprint::of(&captured).to_string();
        let job = self.clone();
        Image::new("thread", arguments, move |sys| {
            let job = job.clone();
            async move {
                let lock = job.lock.in_thread(&sys).await;
                u8::from(do_rounds(&sys, &Job { lock, ..job }).await)
            }
        })
    }

    async fn do_work(&self, sys: &Sys, claim: &Claim) {
        if self.worker.peek {
            self.peek(sys).await;
        }
        let inside = child::Inside {
            lock: &self.lock,
            claim,
            polling: self.polling,
            work: self.worker.work.get(),
        };
        self.worker.child.fork(sys, &inside).await;
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
