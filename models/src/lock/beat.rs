//! A holder that shows that it is at work.

use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Errno, Sys};

use super::Handle;
use super::errors::Foreseen;
use crate::policy::{Lock, Publish, Stale};

/// A holder that works touches its claim so many times, or more, in the time after which it
/// is taken for dead.
const BEATS: u32 = 3;

/// Work of a holder of some locks that share a rule.
struct Work<'a> {
    held: &'a [&'a Handle],
    between_beats: Duration,
}

impl Handle {
    /// Works for so long, and touches the claim now and then if the rule says so.
    pub async fn work(&self, sys: &Sys, time: Duration) {
        Self::work_in(sys, &[self], time).await;
    }

    /// Works for so long while all of `held`, which have one rule, are held.
    pub(crate) async fn work_in(sys: &Sys, held: &[&Self], time: Duration) {
        let Some(between_beats) = held.first().and_then(|lock| lock.between_beats()) else {
            return sys.sleep(time).await;
        };
        sys.retry(&Work { held, between_beats }, time, work).await;
    }

    /// Touches the claim, if the rule says that a holder does: by its name, whosever it is now.
    pub async fn beat(&self, sys: &Sys) {
        let Lock::File(lock) = &self.policy.lock else { return };
        if !matches!(lock.stale, Stale::Heartbeat(_)) {
            return;
        }
        let touched = match lock.publish {
            Publish::Symlink => sys.lutimes(self.path.clone(), None).await,
            _ => sys.utimensat(self.path.clone(), None).await,
        };
        let foreseen = [Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES, Errno::EPERM];
        touched.unless(foreseen, "touch", &self.path);
    }

    /// How long a holder works before it touches its claim once more, if it ever does.
    fn between_beats(&self) -> Option<Duration> {
        match &self.policy.lock {
            Lock::File(lock) => match lock.stale {
                Stale::Heartbeat(limit) => Some(limit.get() / BEATS),
                _ => None,
            },
            Lock::Kernel(_) => None,
        }
    }
}

async fn work(sys: &Sys, work: &Work<'_>, left: Duration) -> ControlFlow<(), Duration> {
    let now = left.min(work.between_beats);
    sys.sleep(now).await;
    sys.retry(work, 0, beat_next).await;
    if now == left { ControlFlow::Break(()) } else { ControlFlow::Continue(left - now) }
}

async fn beat_next(sys: &Sys, work: &Work<'_>, nth: usize) -> ControlFlow<(), usize> {
    let Some(lock) = work.held.get(nth) else { return ControlFlow::Break(()) };
    lock.beat(sys).await;
    ControlFlow::Continue(nth + 1)
}
