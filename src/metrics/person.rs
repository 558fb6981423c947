use locklab_models::word::point;
use locklab_sim::{TracedOutcome, TracedStep};
use locklab_sys::{Call, Errno, SmolStr};

/// A thread and a lock that it has to do with.
pub(super) struct Person {
    pub(super) lock: SmolStr,
    /// Its name in the trace; that of its process, if it is the only one.
    pub(super) thread: SmolStr,
    /// Whether its rule is one of those that are measured.
    pub(super) counts: bool,
    /// How deeply it is inside.
    pub(super) depth: u32,
    pub(super) releasing: bool,
    /// It has ended.
    pub(super) gone: bool,
    /// While it wants the lock.
    pub(super) wish: Option<Wish>,
}

/// An acquisition, until it succeeds or is given up.
pub(super) struct Wish {
    pub(super) since_ns: u64,
    /// Whether nobody and nothing stood in the way so far.
    pub(super) clear: bool,
    calls: u64,
    /// The calls before the first attempt, which prepare it.
    preparing: Option<u64>,
    /// The calls before the last attempt.
    before_attempt: u64,
    /// The calls before the attempt by which a claim of another was removed.
    before_removal: Option<u64>,
}

impl Person {
    pub(super) fn is_inside(&self) -> bool {
        self.depth > 0 && !self.gone
    }

    /// Whether it wants or has the lock, or has not done with it.
    pub(super) fn is_in_the_way(&self) -> bool {
        !self.gone && (self.depth > 0 || self.releasing || self.wish.is_some())
    }

    /// Whether it is a thread of this process.
    pub(super) fn is_of(&self, process: &str) -> bool {
        process_of(&self.thread) == process
    }
}

/// The process of a thread, by its name.
pub(super) fn process_of(thread: &str) -> &str {
    thread.split_once('#').map_or(thread, |(process, _)| process)
}

impl Wish {
    pub(super) fn new(since_ns: u64, clear: bool) -> Self {
        Self { since_ns, clear, calls: 0, preparing: None, before_attempt: 0, before_removal: None }
    }

    /// Takes a step of the one that wants the lock in. What is called while it blocks counts
    /// once, when it returns.
    pub(super) fn step(&mut self, step: &TracedStep) {
        if step.outcome == Some(TracedOutcome::Waits) {
            return;
        }
        if step.points.contains(&point::ACQUIRE) {
            self.preparing.get_or_insert(self.calls);
            self.before_attempt = self.calls;
        }
        self.calls += u64::from(step.call.as_ref().is_some_and(is_system_call));
        if let Some(TracedOutcome::Failed(errno)) = &step.outcome {
            // That a file is not there stands in nobody's way.
            self.clear &= *errno == Errno::ENOENT;
        }
    }

    /// It has removed a claim of another.
    pub(super) fn removed(&mut self) {
        self.clear = false;
        self.before_removal = Some(self.before_attempt);
    }

    /// Somebody else has to do with the lock, or gets in before it.
    pub(super) fn disturbed(&mut self, somebody_got_in: bool) {
        self.clear = false;
        if somebody_got_in {
            self.before_removal = None;
        }
    }

    /// How many calls it has made, if nothing stood in the way.
    pub(super) fn uncontended_calls(&self) -> Option<u64> {
        self.clear.then_some(self.calls)
    }

    /// How many calls it took to take the lock over, if that is what it was: those that
    /// prepared it, and those since the attempt that removed the other's claim began.
    pub(super) fn takeover_calls(&self) -> Option<u64> {
        let before = self.before_removal?;
        Some(self.preparing.unwrap_or(0) + self.calls - before)
    }
}

/// Cells of memory are none.
fn is_system_call(call: &Call) -> bool {
    !matches!(call, Call::CellRead { .. } | Call::CellWrite { .. } | Call::CellSwap { .. })
}
