//! What an observer remembers of a claim from one look to the next.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Clock, Sys};

use super::look::Seen;
use super::place::Place;
use crate::policy::Stale;

/// A record that an observer keeps an eye on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Watch {
    bytes: Arc<[u8]>,
    /// For how long it has been seen unchanged: a length, not a clock's reading, so that it
    /// means the same whenever that was.
    pub unchanged: Duration,
}

impl Place<'_> {
    /// How long a record must be unchanged, if the rule goes by that.
    fn observes(&self) -> Option<Duration> {
        match self.lock.stale {
            Stale::ObservedUnchanged(limit) => Some(limit.get()),
            _ => None,
        }
    }

    /// What is known of the claim that was seen just now; `before` is what was known of the
    /// one that was seen last.
    pub fn watch(&self, seen: &Seen, before: Option<Watch>) -> Option<Watch> {
        self.observes().filter(|_| seen.record.is_some())?;
        let same = before.filter(|watch| watch.bytes == seen.bytes);
        Some(same.unwrap_or(Watch { bytes: Arc::clone(&seen.bytes), unchanged: Duration::ZERO }))
    }

    /// Sleeps, and what is known of the claim after that, should it still be the same.
    pub async fn sleep_watching(
        &self,
        sys: &Sys,
        time: Duration,
        watch: Option<Watch>,
    ) -> Option<Watch> {
        let (Some(mut watch), Some(limit)) = (watch, self.observes()) else {
            sys.sleep(time).await;
            return None;
        };
        let before = sys.clock_gettime(Clock::Monotonic).await;
        sys.sleep(time).await;
        let passed = sys.clock_gettime(Clock::Monotonic).await.saturating_sub(before);
        // How much longer than the limit makes no difference.
        let enough = limit + Duration::from_nanos(1);
        watch.unchanged = (watch.unchanged + passed).min(enough);
        Some(watch)
    }
}
