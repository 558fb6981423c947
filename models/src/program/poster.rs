use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::Sys;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use super::input::accounts;
use super::{LOCK, Parameter, ProgramInfo, Setting};
use crate::{Claim, Handle, Owner, Period, Polling};

/// Takes the lock of an account for each post.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Poster {
    /// The accounts, posted to in turn; each has a lock. Default: one, `a`.
    #[serde(deserialize_with = "accounts")]
    pub accounts: Vec<SmolStr>,
    /// How many posts it makes. Default: 2.
    pub posts: u32,
    /// How long a post takes. Default: 1 s.
    pub post: Period,
    /// The pause between two posts. Default: 1 s.
    pub pause: Period,
    /// Whether it also takes every account's lock for the whole run.
    /// Default: no.
    pub whole_run: bool,
    /// The pause between two attempts to take a lock. Default: 1 s.
    pub every: Period,
}

impl Default for Poster {
    fn default() -> Self {
        Self {
            accounts: vec!["a".into()],
            posts: 2,
            post: Period::seconds(1),
            pause: Period::seconds(1),
            whole_run: false,
            every: Period::seconds(1),
        }
    }
}

impl Poster {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "poster",
        summary: "takes the lock of an account for each post",
        slots: &[LOCK],
        own_points: &[],
        parameters: &[
            Parameter {
                name: "accounts",
                default: "[\"a\"]",
                help: "the accounts, posted to in turn; the lock of A is /run/account-A",
            },
            Parameter { name: "posts", default: "2", help: "how many posts it makes" },
            Parameter { name: "post", default: "\"1s\"", help: "how long a post takes" },
            Parameter { name: "pause", default: "\"1s\"", help: "the pause between two posts" },
            Parameter {
                name: "whole-run",
                default: "false",
                help: "whether it also takes every account's lock for the whole run",
            },
            Parameter {
                name: "every",
                default: "\"1s\"",
                help: "the pause between two attempts to take a lock",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        [self.post, self.pause, self.every].map(Period::get).to_vec()
    }

    pub(super) fn lock_paths(&self) -> Vec<SmolStr> {
        self.accounts.iter().map(|account| format_smolstr!("/run/account-{account}")).collect()
    }
}

struct Job {
    /// One an account.
    locks: Vec<Handle>,
    polling: Polling,
    poster: Poster,
}

#[derive(Clone, Hash)]
struct Posts {
    done: u32,
    refused: bool,
}

/// What is held for the whole run.
#[derive(Clone, Hash)]
struct WholeRun {
    /// Of the first so many accounts.
    claims: Vec<Claim>,
    refused: bool,
}

pub(super) async fn run(sys: Sys, poster: Poster, setting: Setting) -> u8 {
    let owner = Owner::learn(&sys, setting.policy(LOCK)).await;
    let lock = |path: &SmolStr| Handle::new(setting.policy(LOCK), path, &owner);
    let locks = poster.lock_paths().iter().map(lock).collect();
    let job = Job { locks, polling: setting.polling(poster.every), poster };
    let refused = if job.poster.whole_run {
        post_holding_all(&sys, &job).await
    } else {
        post_all(&sys, &job).await
    };
    u8::from(refused)
}

impl Job {
    /// Works while every account's lock is held.
    async fn work(&self, sys: &Sys, time: Duration) {
        let held: Vec<&Handle> = self.locks.iter().collect();
        Handle::work_in(sys, &held, time).await;
    }
}

/// Posts while it holds every account's lock; not at all if it was refused one.
async fn post_holding_all(sys: &Sys, job: &Job) -> bool {
    let whole_run = WholeRun { claims: Vec::new(), refused: false };
    let WholeRun { claims, mut refused } = sys.retry(job, whole_run, hold_next).await;
    if !refused {
        refused = post_all(sys, job).await;
    }
    sys.retry(job, claims, release_last).await;
    refused
}

async fn hold_next(sys: &Sys, job: &Job, run: WholeRun) -> ControlFlow<WholeRun, WholeRun> {
    let WholeRun { mut claims, .. } = run;
    let Some(lock) = job.locks.get(claims.len()) else {
        return ControlFlow::Break(WholeRun { claims, refused: false });
    };
    match lock.acquire(sys, job.polling).await {
        Some(claim) => {
            claims.push(claim);
            ControlFlow::Continue(WholeRun { claims, refused: false })
        }
        None => ControlFlow::Break(WholeRun { claims, refused: true }),
    }
}

async fn release_last(sys: &Sys, job: &Job, mut claims: Vec<Claim>) -> ControlFlow<(), Vec<Claim>> {
    let Some(claim) = claims.pop() else { return ControlFlow::Break(()) };
    job.locks[claims.len()].release(sys, claim).await;
    ControlFlow::Continue(claims)
}

/// Posts to one account after another; whether it was refused a lock.
async fn post_all(sys: &Sys, job: &Job) -> bool {
    sys.retry(job, Posts { done: 0, refused: false }, post).await
}

async fn post(sys: &Sys, job: &Job, posts: Posts) -> ControlFlow<bool, Posts> {
    let Posts { done, mut refused } = posts;
    if done == job.poster.posts {
        return ControlFlow::Break(refused);
    }
    if done > 0 {
        let pause = job.poster.pause.get();
        if job.poster.whole_run { job.work(sys, pause).await } else { sys.sleep(pause).await }
    }
    let lock = &job.locks[done as usize % job.locks.len()];
    match lock.acquire(sys, job.polling).await {
        Some(claim) => {
            let post = job.poster.post.get();
            if job.poster.whole_run {
                job.work(sys, post).await
            } else {
                lock.work(sys, post).await
            }
            lock.release(sys, claim).await;
        }
        None => refused = true,
    }
    ControlFlow::Continue(Posts { done: done + 1, refused })
}
