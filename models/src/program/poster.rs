use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::Sys;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use super::input::{accounts, period_or_none};
use super::spacing::{History, Looks, Notes, is_due};
use super::{LOCK, Parameter, ProgramInfo, Setting};
use crate::word::{mark, point};
use crate::{Claim, Handle, Owner, Period, Polling};

/// Takes the lock of an account for each post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// How far apart two posts to an account must be. Default: there is no such rule.
    #[serde(deserialize_with = "period_or_none")]
    pub spacing: Option<Period>,
    /// When it looks how long ago the last one was. Default: inside.
    pub looks: Looks,
    /// When it notes that it has posted. Default: inside.
    pub notes: Notes,
}

/// What is as by default moves no seed: a poster without spacing is told apart from others by
/// what could be told before there was any.
impl Hash for Poster {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { accounts, posts, post, pause, whole_run, every, spacing, looks, notes } = self;
        (accounts, posts, post, pause, whole_run, every).hash(state);
        if spacing.is_some() {
            (spacing, looks, notes).hash(state);
        }
    }
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
            spacing: None,
            looks: Looks::Inside,
            notes: Notes::Inside,
        }
    }
}

impl Poster {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "poster",
        summary: "takes the lock of an account for each post",
        slots: &[LOCK],
        own_points: &[point::BEFORE_NOTE],
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
            Parameter {
                name: "spacing",
                default: "\"none\"",
                help: "how far apart two posts to an account must be",
            },
            Parameter {
                name: "looks",
                default: "\"inside\"",
                help: "when it looks how long ago the last one was: \"inside\" the lock, \"before-lock\", or once, \"at-start\"",
            },
            Parameter {
                name: "notes",
                default: "\"inside\"",
                help: "when it notes that it has posted: \"inside\" the lock, or \"after-release\"",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        let all = [self.post, self.pause, self.every].into_iter().chain(self.spacing);
        all.map(Period::get).collect()
    }

    /// How long ago a post must be for another; `None` of one that keeps the time of one.
    pub(super) fn ages(&self) -> Option<Vec<Duration>> {
        let Some(spacing) = self.spacing else { return Some(Vec::new()) };
        (self.looks != Looks::AtStart).then(|| vec![spacing.get()])
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
    let at_start = job.poster.spacing.is_some() && job.poster.looks == Looks::AtStart;
    let read = if at_start { sys.retry(job, Vec::new(), read_next).await } else { Vec::new() };
    sys.retry(&Run { job, read }, Posts { done: 0, refused: false }, post).await
}

type Read = Vec<Option<Duration>>;

/// Reads when the last post was to the next account.
async fn read_next(sys: &Sys, job: &Job, mut read: Read) -> ControlFlow<Read, Read> {
    let Some(account) = job.poster.accounts.get(read.len()) else {
        return ControlFlow::Break(read);
    };
    read.push(History::of(account).last(sys).await);
    ControlFlow::Continue(read)
}

struct Run<'a> {
    job: &'a Job,
    /// When the last post was to each account, if that is read at the start; else nothing.
    read: Read,
}

async fn post(sys: &Sys, run: &Run<'_>, posts: Posts) -> ControlFlow<bool, Posts> {
    let Posts { done, mut refused } = posts;
    let Job { locks, polling, poster } = run.job;
    if done == poster.posts {
        return ControlFlow::Break(refused);
    }
    if done > 0 {
        let pause = poster.pause.get();
        if poster.whole_run { run.job.work(sys, pause).await } else { sys.sleep(pause).await }
    }
    let nth = done as usize % locks.len();
    let done = done + 1;
    let looks_before = poster.looks == Looks::BeforeLock;
    if looks_before && !run.is_due(sys, nth).await {
        return ControlFlow::Continue(Posts { done, refused });
    }
    match locks[nth].acquire(sys, *polling).await {
        Some(claim) => {
            let is_due = looks_before || run.is_due(sys, nth).await;
            if is_due {
                let post = poster.post.get();
                match poster.whole_run {
                    true => run.job.work(sys, post).await,
                    false => locks[nth].work(sys, post).await,
                }
                run.say_posted(sys, nth);
                run.note(sys, nth, Notes::Inside).await;
            }
            locks[nth].release(sys, claim).await;
            if is_due {
                run.note(sys, nth, Notes::AfterRelease).await;
            }
        }
        None => refused = true,
    }
    ControlFlow::Continue(Posts { done, refused })
}

impl Run<'_> {
    /// Whether a post to an account may go out now.
    async fn is_due(&self, sys: &Sys, nth: usize) -> bool {
        let Some(spacing) = self.job.poster.spacing else { return true };
        let last = match self.read.get(nth) {
            Some(last) => *last,
            None => History::of(&self.job.poster.accounts[nth]).last(sys).await,
        };
        is_due(sys, last, spacing).await
    }

    /// A post has gone out.
    fn say_posted(&self, sys: &Sys, nth: usize) {
        if let Some(spacing) = self.job.poster.spacing {
            let seconds = i64::try_from(spacing.get().as_secs()).expect("ten years at most");
            sys.mark(mark::POSTED, self.job.locks[nth].path(), seconds);
        }
    }

    /// Notes that a post went out, if now is when this poster does.
    async fn note(&self, sys: &Sys, nth: usize, when: Notes) {
        if self.job.poster.spacing.is_some() && self.job.poster.notes == when {
            sys.point(point::BEFORE_NOTE);
            History::of(&self.job.poster.accounts[nth]).note(sys).await;
        }
    }
}
