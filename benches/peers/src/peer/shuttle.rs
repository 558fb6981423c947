//! shuttle: a thread a keeper, a shuttle atomic for the claim, a shuttle mutex for the guard.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering as Outside};
use std::sync::{Arc, Mutex as OutsideMutex};

use ::shuttle::scheduler::{RandomScheduler, Schedule, Scheduler, Task, TaskId};
use ::shuttle::sync::atomic::{AtomicU8, Ordering::SeqCst};
use ::shuttle::sync::{Mutex, MutexGuard};
use ::shuttle::{Config, FailurePersistence, Runner, thread};

use crate::clock::processor_seconds;
use crate::protocol::{Case, Kind, Op, Step, Walk, Walked};

const DEAD: u8 = u8::MAX;

/// What keepers share. Each use is a place at which shuttle may go on with another.
struct Shared {
    claim: AtomicU8,
    guard: Mutex<()>,
    inside: AtomicU8,
}

/// What is counted, which shuttle does not see.
#[derive(Default)]
struct Count {
    steps: AtomicU64,
    choices: AtomicU64,
    falls: AtomicU64,
    has_fallen: AtomicBool,
    trace: Option<OutsideMutex<Vec<Step>>>,
}

struct Keeper {
    case: Case,
    me: u8,
    shared: Arc<Shared>,
    count: Arc<Count>,
}

impl Keeper {
    /// Takes note of a step that was just made.
    fn did(&self, op: Op) {
        self.count.steps.fetch_add(1, Outside::Relaxed);
        if let Some(trace) = &self.count.trace {
            let step = Step { keeper: usize::from(self.me) - 1, op };
            trace.lock().expect("nobody panics").push(step);
        }
    }

    fn keep(&self) {
        let is_in = (0..self.case.rounds).any(|_| {
            let guard = self.lock();
            let is_in = self.attempt();
            self.unlock(guard);
            is_in
        });
        if is_in {
            if self.shared.inside.fetch_add(1, SeqCst) > 0 {
                self.count.has_fallen.store(true, Outside::Relaxed);
            }
            self.did(Op::Enter);
            self.shared.inside.fetch_sub(1, SeqCst);
            self.did(Op::Leave);
            self.release();
        }
        // A thread may be kept waiting before it ends, too.
        self.did(Op::Exit);
    }

    fn attempt(&self) -> bool {
        if self.create() {
            return true;
        }
        if self.read() != DEAD || (self.case.kind != Kind::ByName && self.read() != DEAD) {
            return false;
        }
        self.unlink();
        self.create()
    }

    fn release(&self) {
        let guard = self.lock();
        if self.case.kind == Kind::ByName || self.read() == self.me {
            self.unlink();
        }
        self.unlock(guard);
    }

    fn lock(&self) -> Option<MutexGuard<'_, ()>> {
        let is_guarded = self.case.kind == Kind::Guarded;
        let guard = is_guarded.then(|| self.shared.guard.lock().expect("nobody panics"))?;
        self.did(Op::Lock);
        Some(guard)
    }

    fn unlock(&self, guard: Option<MutexGuard<'_, ()>>) {
        if let Some(guard) = guard {
            drop(guard);
            self.did(Op::Unlock);
        }
    }

    fn create(&self) -> bool {
        let is_mine = self.shared.claim.compare_exchange(0, self.me, SeqCst, SeqCst).is_ok();
        self.did(Op::Create);
        is_mine
    }

    fn read(&self) -> u8 {
        let owner = self.shared.claim.load(SeqCst);
        self.did(Op::Read);
        owner
    }

    fn unlink(&self) {
        self.shared.claim.store(0, SeqCst);
        self.did(Op::Unlink);
    }
}

/// One run.
fn run(case: Case, count: &Arc<Count>) {
    let shared = Arc::new(Shared {
        claim: AtomicU8::new(DEAD),
        guard: Mutex::new(()),
        inside: AtomicU8::new(0),
    });
    let keepers = (1..=case.keepers).map(|me| {
        let (shared, count) = (Arc::clone(&shared), Arc::clone(count));
        let keeper = Keeper { case, me: me as u8, shared, count };
        thread::spawn(move || keeper.keep())
    });
    let keepers: Vec<_> = keepers.collect();
    for keeper in keepers {
        keeper.join().expect("nobody panics");
    }
    if count.has_fallen.swap(false, Outside::Relaxed) {
        count.falls.fetch_add(1, Outside::Relaxed);
    }
}

/// shuttle's own random walk, which can be ended.
struct Until {
    /// Dropped before its last run it would tell of a failure.
    walk: ManuallyDrop<RandomScheduler>,
    count: Arc<Count>,
    /// When something has fallen.
    ends: bool,
}

impl Scheduler for Until {
    fn new_execution(&mut self) -> Option<Schedule> {
        let is_over = self.ends && self.count.falls.load(Outside::Relaxed) > 0;
        if is_over { None } else { self.walk.new_execution() }
    }

    fn next_task(
        &mut self,
        ready: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        self.count.choices.fetch_add(1, Outside::Relaxed);
        self.walk.next_task(ready, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.walk.next_u64()
    }
}

/// Random runs.
pub fn walk(walk: Walk) -> Walked {
    walk_counting(walk, &Arc::default())
}

fn walk_counting(walk: Walk, count: &Arc<Count>) -> Walked {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    let scheduler = Until {
        walk: ManuallyDrop::new(RandomScheduler::new_from_seed(walk.seed, walk.runs as usize)),
        count: Arc::clone(count),
        ends: walk.until_fall,
    };
    let of_runs = Arc::clone(count);
    let before = processor_seconds();
    let runs = Runner::new(scheduler, config).run(move || run(walk.case, &of_runs));
    Walked {
        seconds: processor_seconds() - before,
        runs: runs as u64,
        steps: count.steps.load(Outside::Relaxed),
        choices: count.choices.load(Outside::Relaxed),
        falls: count.falls.load(Outside::Relaxed),
    }
}

/// What the keepers do in a random run.
pub fn trace(case: Case, seed: u64) -> Vec<Step> {
    let count = Arc::new(Count { trace: Some(OutsideMutex::default()), ..Count::default() });
    walk_counting(Walk { case, seed, runs: 1, until_fall: false }, &count);
    let trace = count.trace.as_ref().expect("it was asked for");
    std::mem::take(&mut trace.lock().expect("nobody panics"))
}
