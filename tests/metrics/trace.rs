//! Traces made by hand.

use locklab::metrics::Metrics;
use locklab_models::word::{mark, point};
use locklab_sim::{Trace, TracedEvent, TracedOutcome, TracedStep};
use locklab_sys::{Call, Errno, ExitStatus, Ret, SmolStr};

pub const LOCK: &str = "/run/lock";

/// A trace that grows.
pub struct Story(Trace);

impl Story {
    pub fn new() -> Self {
        Self(Trace {
            schema_version: 1,
            processes: Vec::new(),
            steps: Vec::new(),
            end: None,
            falls_at_end: Vec::new(),
        })
    }

    /// Of everybody.
    pub fn metrics(&self) -> Metrics {
        Metrics::of(&self.0, &|_| true)
    }

    /// Of the acquisitions of one process alone.
    pub fn metrics_of(&self, process: &str) -> Metrics {
        Metrics::of(&self.0, &|it| it == process)
    }

    /// A move of the world at `at` seconds.
    pub fn happens(&mut self, at: u64, events: Vec<TracedEvent>) -> &mut Self {
        self.push(at, None, None, events)
    }

    /// What somebody says, with the return of a call that nobody counts.
    pub fn says(&mut self, at: u64, who: &str, what: &'static str) -> &mut Self {
        self.happens(at, vec![says(who, what, LOCK)])
    }

    /// Of another lock.
    pub fn says_of(&mut self, at: u64, who: &str, what: &'static str, lock: &str) -> &mut Self {
        self.happens(at, vec![says(who, what, lock)])
    }

    /// Somebody wants the lock, and gets it.
    pub fn gets_in(&mut self, at: u64, who: &str) -> &mut Self {
        self.says(at, who, mark::WAITING).says(at, who, mark::ENTERED)
    }

    /// Somebody leaves, and has done so.
    pub fn leaves(&mut self, at: u64, who: &str) -> &mut Self {
        self.says(at, who, mark::LEAVING).says(at, who, mark::RELEASED)
    }

    pub fn dies(&mut self, at: u64, who: &str) -> &mut Self {
        let status = ExitStatus::Killed;
        self.happens(at, vec![TracedEvent::Ended { process: who.into(), status }])
    }

    /// A call that returns at once.
    pub fn calls(&mut self, at: u64, who: &str, call: Call) -> &mut Self {
        let done = TracedOutcome::Returned(Ret::Unit);
        self.push(at, Some(who), Some((call, done)), Vec::new())
    }

    pub fn fails(&mut self, at: u64, who: &str, call: Call, errno: Errno) -> &mut Self {
        self.push(at, Some(who), Some((call, TracedOutcome::Failed(errno))), Vec::new())
    }

    /// A call that waits: its return is a step of its own.
    pub fn blocks(&mut self, at: u64, who: &str, call: Call) -> &mut Self {
        self.push(at, Some(who), Some((call, TracedOutcome::Waits)), Vec::new())
    }

    /// The last step's call was the first of an attempt.
    pub fn at_acquire(&mut self) -> &mut Self {
        self.0.steps.last_mut().unwrap().points.push(point::ACQUIRE);
        self
    }

    /// What came of the last step.
    pub fn and(&mut self, event: TracedEvent) -> &mut Self {
        self.0.steps.last_mut().unwrap().events.push(event);
        self
    }

    fn push(
        &mut self,
        at: u64,
        who: Option<&str>,
        called: Option<(Call, TracedOutcome)>,
        events: Vec<TracedEvent>,
    ) -> &mut Self {
        let (call, outcome) = called.unzip();
        self.0.steps.push(TracedStep {
            number: self.0.steps.len() as u32 + 1,
            time_ns: at * 1_000_000_000,
            choice: "any".into(),
            process: who.map(SmolStr::from),
            points: Vec::new(),
            call,
            outcome,
            events,
            notes: Vec::new(),
            falls: Vec::new(),
        });
        self
    }
}

pub fn says(who: &str, name: &'static str, lock: &str) -> TracedEvent {
    TracedEvent::Mark { process: who.into(), name, subject: lock.into(), value: 1 }
}

pub fn claim_of(maker: &str) -> TracedEvent {
    let (path, maker) = (LOCK.into(), SmolStr::from(maker));
    TracedEvent::NameAdded { path, ino: 5, by: maker.clone(), maker, exclusive: true }
}

pub fn removes(by: &str, maker: &str) -> TracedEvent {
    TracedEvent::NameRemoved { path: LOCK.into(), ino: 5, maker: maker.into(), by: by.into() }
}

pub const fn seconds(number: u64) -> u64 {
    number * 1_000_000_000
}

pub fn unlink() -> Call {
    Call::Unlink { path: LOCK.into() }
}
