use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_sys::{Errno, Sys};
use tracing::debug;

use super::Polling;
use super::entries::remove_tree;
use super::errors::Foreseen;
use super::pauses::Pauses;
use super::place::Place;
use super::publish::{Contest, Published};
use super::takeover::Way;
use super::watch::Watch;
use crate::policy::{Publish, RecordField, Release};
use crate::word::point;

/// What the owner remembers of its own claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Own {
    pub record: Arc<[u8]>,
    /// Only if the release will ask for it.
    pub ino: Option<u64>,
}

#[derive(Clone)]
struct Wanting {
    pauses: Pauses,
    /// This attempt follows the last one without a pause. The next one will
    /// not, so that two takers in step do not spin.
    at_once: bool,
    /// What a rule that observes has seen so far.
    watch: Option<Watch>,
}

/// What no rule but one that observes has is not in it: nothing of theirs moves.
impl Hash for Wanting {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { pauses, at_once, watch } = self;
        (pauses, at_once).hash(state);
        if let Some(watch) = watch {
            watch.hash(state);
        }
    }
}

impl Place<'_> {
    /// Polls for the lock.
    pub async fn contend(&self, sys: &Sys, polling: Polling) -> Option<Own> {
        let record = self.sign(sys).await;
        let private = match self.lock.publish {
            Publish::Link => Some(self.sign_privately(sys, &record).await?),
            Publish::RenameDirectory => Some(self.furnish_privately(sys, &record).await?),
            Publish::CreateThenWrite | Publish::MkdirThenWrite | Publish::Symlink => None,
        };
        let contest = Contest { place: *self, record, private, pause: polling.every };
        let wanting = Wanting { pauses: Pauses::of(polling), at_once: false, watch: None };
        let own = sys.retry(&contest, wanting, attempt).await;
        if let Some(private) = &contest.private {
            if self.lock.publish != Publish::RenameDirectory {
                let removed = sys.unlink(private.path.clone()).await;
                removed.unless([Errno::ENOENT], "remove", &private.path);
            } else if own.is_none() {
                remove_tree(sys, &private.path).await;
            }
        }
        own
    }

    /// The record of a new claim.
    async fn sign(&self, sys: &Sys) -> Arc<[u8]> {
        let mut record = self.owner.record;
        if self.lock.record.contains(&RecordField::Nonce) {
            let random = sys.getrandom(4).await;
            let random = random[..].try_into().expect("as many bytes as were asked for");
            record.nonce = Some(u32::from_be_bytes(random));
        }
        record.to_string().into_bytes().into()
    }

    /// Removes the own claim, or what the rule takes for it.
    pub async fn release(&self, sys: &Sys, own: &Own) {
        if self.lock.release == Release::OwnEntry {
            sys.point(point::BEFORE_RELEASE);
            self.remove_entry(sys, &own.record).await;
            return;
        }
        if !self.is_own(sys, own).await {
            debug!(target: "locklab", "the claim at {} is not mine: left alone", self.path);
            return;
        }
        sys.point(point::BEFORE_RELEASE);
        self.remove(sys).await;
    }

    async fn is_own(&self, sys: &Sys, own: &Own) -> bool {
        match self.lock.release {
            // An entry of one's own is found by its name.
            Release::Unlink | Release::OwnEntry => true,
            Release::OwnBytes => {
                let bytes = self.bytes(sys).await;
                bytes.is_some_and(|bytes| bytes == own.record)
            }
            Release::OwnInode => {
                let stat = self.stat(sys).await;
                stat.is_some_and(|stat| Some(stat.ino) == own.ino)
            }
        }
    }
}

async fn attempt(
    sys: &Sys,
    contest: &Contest<'_>,
    mut wanting: Wanting,
) -> ControlFlow<Option<Own>, Wanting> {
    sys.point(point::ACQUIRE);
    let way = match contest.publish(sys).await {
        Published::Standing { ino } => {
            return ControlFlow::Break(Some(Own { record: Arc::clone(&contest.record), ino }));
        }
        Published::Unsigned => return ControlFlow::Break(None),
        Published::Removed => Way::Free,
        Published::Refused => contest.place.take_over(sys, &mut wanting.watch).await,
    };
    if let Way::Mine(own) = way {
        return ControlFlow::Break(Some(own));
    }
    if matches!(way, Way::Free) && !wanting.at_once {
        return ControlFlow::Continue(Wanting { at_once: true, ..wanting });
    }
    let Some(pauses) = wanting.pauses.after_next() else { return ControlFlow::Break(None) };
    let watch = contest.place.sleep_watching(sys, contest.pause, wanting.watch).await;
    ControlFlow::Continue(Wanting { pauses, at_once: false, watch })
}
