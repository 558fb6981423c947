//! A lock of one's own in Rust, in place of a policy: for rules that no table of parts can say.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use locklab_models::word::{mark, point};
use locklab_models::{
    Child, Kept, KernelLock, LetGo, Lock, OnExec, Policy, Program, Recheck, Reentry, Worker,
};
use locklab_sys::{Fingerprint, Image, SmolStr, Sys};

/// How to take a lock and give it back. Loops go through [`Sys::retry`], and nothing is known but
/// through [`Sys`]. An attempt begins with the point `acquire`, so that faults find it; the marks,
/// and the points `entered` and `leaving`, are said by whoever uses the lock.
pub trait OwnLock: Send + Sync + 'static {
    /// What is known of an acquisition until its release.
    type Claim: 'static;

    /// Takes the lock at `path`; `None` if it was not to be had in time.
    fn acquire(
        &self,
        sys: &Sys,
        path: &SmolStr,
        pauses: Pauses,
    ) -> impl Future<Output = Option<Self::Claim>>;

    /// Gives it back.
    fn release(&self, sys: &Sys, path: &SmolStr, claim: Self::Claim) -> impl Future<Output = ()>;

    /// How old something must be for the lock to do something about it: none unless it reads
    /// clocks or file times.
    fn ages(&self) -> Vec<Duration> {
        Vec::new()
    }
}

/// How often whoever waits may still pause. What has no end is not counted, so that who waits
/// for ever stands where it stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pauses {
    every: Duration,
    left: Option<u64>,
}

impl Pauses {
    /// As often as it takes to try for so long, [`Duration::MAX`] without end.
    fn new(every: Duration, patience: Duration) -> Self {
        let pauses = patience.as_nanos().checked_div(every.as_nanos()).unwrap_or(0);
        let is_counted = patience != Duration::MAX;
        let left = is_counted.then(|| u64::try_from(pauses).unwrap_or(u64::MAX));
        Self { every, left }
    }

    /// Pauses, and gives back what is left then; `None` at once where no pause is left.
    pub async fn pause(self, sys: &Sys) -> Option<Self> {
        let left = match self.left {
            Some(left) => Some(left.checked_sub(1)?),
            None => None,
        };
        sys.sleep(self.every).await;
        Some(Self { left, ..self })
    }
}

/// Makes what a contender runs that is a worker with such parameters and so much patience.
type MakeWorker = dyn Fn(&Worker, Duration) -> Image + Send + Sync;

/// A lock of one's own, under a name.
#[derive(Clone)]
pub struct Own {
    name: SmolStr,
    ages: Vec<Duration>,
    worker: Arc<MakeWorker>,
}

impl Own {
    /// The lock, under this name.
    pub fn new(name: &str, lock: impl OwnLock) -> Self {
        let (name, ages, lock) = (SmolStr::from(name), lock.ages(), Arc::new(lock));
        let called = name.clone();
        let worker = move |worker: &Worker, patience: Duration| {
            let job = Job { lock: Arc::clone(&lock), worker: worker.clone(), patience };
            let arguments = Fingerprint::of(&(&called, worker, patience)).to_string();
            Image::new("worker", arguments, move |sys| run(sys, job.clone()))
        };
        Self { name, ages, worker: Arc::new(worker) }
    }

    /// Its name.
    pub fn name(&self) -> &SmolStr {
        &self.name
    }

    /// A policy of this name, which stands for it where one must be named; nobody follows it.
    pub fn stand_in(&self) -> Policy {
        let (kernel, let_go, recheck) = (KernelLock::Flock, LetGo::Close, Recheck::None);
        let on_exec = OnExec::Kept;
        Policy {
            name: self.name.clone(),
            title: "A lock of one's own".to_owned(),
            rule: "It is told in Rust.".to_owned(),
            group: None,
            source: None,
            leaves_open: Vec::new(),
            lock: Lock::Kernel(Kept { kernel, let_go, recheck, on_exec }),
            reentry: Reentry::None,
        }
    }

    /// How old something must be for the lock to do something about it.
    pub(crate) fn ages(&self) -> impl Iterator<Item = Duration> {
        self.ages.iter().copied()
    }

    /// What a contender runs. Only a plain worker can do with a lock of one's own.
    pub(crate) fn image(&self, program: &Program, patience: Duration) -> Option<Image> {
        match program {
            Program::Worker(worker) if is_plain(worker) => Some((self.worker)(worker, patience)),
            _ => None,
        }
    }
}

/// Whether it does no more than take the lock, work and release.
fn is_plain(worker: &Worker) -> bool {
    let alone = worker.child == Child::None && worker.threads.get() == 1;
    alone && worker.alarm.is_none() && !worker.nested && !worker.peek
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Own").field(&self.name).finish()
    }
}

struct Job<L> {
    lock: Arc<L>,
    worker: Worker,
    patience: Duration,
}

impl<L> Clone for Job<L> {
    fn clone(&self) -> Self {
        let Self { lock, worker, patience } = self;
        Self { lock: Arc::clone(lock), worker: worker.clone(), patience: *patience }
    }
}

/// As the worker that follows a policy: takes the lock, works, releases.
async fn run<L: OwnLock>(sys: Sys, job: Job<L>) -> u8 {
    u8::from(sys.retry(&job, (0, false), round).await)
}

async fn round<L: OwnLock>(
    sys: &Sys,
    job: &Job<L>,
    (done, refused): (u32, bool),
) -> ControlFlow<bool, (u32, bool)> {
    let Job { lock, worker, patience } = job;
    if done == worker.rounds {
        return ControlFlow::Break(refused);
    }
    if done > 0 {
        sys.sleep(worker.rest.get()).await;
    }
    let path = &worker.path;
    sys.mark(mark::WAITING, path, 1);
    let pauses = Pauses::new(worker.every.get(), *patience);
    let Some(claim) = lock.acquire(sys, path, pauses).await else {
        sys.mark(mark::REFUSED, path, 1);
        return ControlFlow::Continue((done + 1, true));
    };
    sys.mark(mark::ENTERED, path, 1);
    sys.point(point::ENTERED);
    sys.sleep(worker.work.get()).await;
    sys.mark(mark::LEAVING, path, 1);
    sys.point(point::LEAVING);
    lock.release(sys, path, claim).await;
    sys.mark(mark::RELEASED, path, 1);
    ControlFlow::Continue((done + 1, refused))
}
