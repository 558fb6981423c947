use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_sys::{Errno, Fd, Sys};
use tracing::debug;

use super::Polling;
use super::entries::remove_tree;
use super::errors::Foreseen;
use super::pauses::Pauses;
use super::place::Place;
use super::publish::{Contest, Private, Published};
use super::takeover::Way;
use super::watch::Watch;
use crate::policy::{Publish, RecordField, Release};
use crate::word::point;

/// What the owner remembers of its own claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Own {
    pub record: Arc<[u8]>,
    pub known: Known,
}

/// How the owner knows its own claim again, besides by what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// Only if the release will ask for it.
    pub ino: Option<u64>,
    /// Kept open, if the release will ask for it.
    pub fd: Option<Fd>,
    /// Which number it is, where claims are numbers.
    pub number: Option<u64>,
}

/// A descriptor is in it only if one is kept, and a number only if there is one: nothing of the
/// other rules' moves.
impl Hash for Own {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { record, known: Known { ino, fd, number } } = self;
        (record, ino).hash(state);
        if let Some(fd) = fd {
            fd.hash(state);
        }
        if let Some(number) = number {
            ("number", number).hash(state);
        }
    }
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

/// How a contest ended.
#[derive(Clone)]
enum End {
    Owned(Own),
    Refused,
    /// What is private was cleaned up.
    Homeless(Wanting),
}

/// As it was when there were two ends.
impl Hash for End {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Owned(own) => Some(own).hash(state),
            Self::Refused => None::<&Own>.hash(state),
            Self::Homeless(wanting) => ("homeless", wanting).hash(state),
        }
    }
}

/// There is no room for what is private.
pub(super) struct NoRoom;

impl Contest<'_> {
    /// The own claim, as its owner will know it again.
    pub fn own(&self, known: Known) -> Own {
        Own { record: Arc::clone(&self.record), known }
    }

    /// Removes what is private, as far as it has not become the claim.
    pub async fn tidy_up(&self, sys: &Sys, owned: bool) {
        let Some(private) = &self.private else { return };
        if self.place.lock.publish != Publish::RenameDirectory {
            let removed = sys.unlink(private.path.clone()).await;
            removed.unless([Errno::ENOENT], "remove", &private.path);
        } else if !owned {
            remove_tree(sys, &private.path).await;
        }
        if let Some(fd) = private.known.fd.filter(|_| !owned) {
            sys.close(fd).await.surely("close", &private.path);
        }
    }
}

impl Place<'_> {
    /// Polls for the lock.
    pub async fn contend(&self, sys: &Sys, polling: Polling) -> Option<Own> {
        let record = self.sign(sys).await;
        let mut wanting = Wanting { pauses: Pauses::of(polling), at_once: false, watch: None };
        // Once more whenever somebody has cleaned up what is private, which is not for ever.
        loop {
            let private = self.make_private(sys, &record).await.ok()?;
            let record = Arc::clone(&record);
            let contest = Contest { place: *self, record, private, pause: polling.every };
            let end = sys.retry(&contest, wanting, attempt).await;
            contest.tidy_up(sys, matches!(end, End::Owned(_))).await;
            match end {
                End::Owned(own) => return Some(own),
                End::Refused => return None,
                End::Homeless(left) => wanting = left,
            }
        }
    }

    /// Makes what is private, if the rule begins with that.
    pub async fn make_private(
        &self,
        sys: &Sys,
        record: &Arc<[u8]>,
    ) -> Result<Option<Private>, NoRoom> {
        let made = match self.lock.publish {
            Publish::Link | Publish::Numbered => self.sign_privately(sys, record).await,
            Publish::RenameDirectory => self.furnish_privately(sys, record).await,
            Publish::CreateThenWrite | Publish::MkdirThenWrite | Publish::Symlink => {
                return Ok(None);
            }
        };
        made.map(Some).ok_or(NoRoom)
    }

    /// The record of a new claim.
    async fn sign(&self, sys: &Sys) -> Arc<[u8]> {
        let mut record = self.owner.record.clone();
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
            self.point(sys, point::BEFORE_RELEASE);
            self.remove_entry(sys, &own.record).await;
            return;
        }
        if let Some(number) = own.known.number {
            self.point(sys, point::BEFORE_RELEASE);
            self.let_go_of(sys, number).await;
            return;
        }
        if self.is_own(sys, own).await {
            self.point(sys, point::BEFORE_RELEASE);
            self.remove(sys).await;
        } else {
            debug!(target: "locklab", "the claim at {} is not mine: left alone", self.path);
        }
        if let Some(fd) = own.known.fd {
            sys.close(fd).await.surely("close", self.path);
        }
    }

    async fn is_own(&self, sys: &Sys, own: &Own) -> bool {
        match self.lock.release {
            // An entry of one's own is found by its name, and so is a number.
            Release::Unlink | Release::OwnEntry | Release::OwnNumber => true,
            Release::OwnBytes => {
                let bytes = self.bytes(sys).await;
                bytes.is_some_and(|bytes| bytes == own.record)
            }
            Release::OwnInode => {
                let stat = self.stat(sys).await;
                stat.is_some_and(|stat| Some(stat.ino) == own.known.ino)
            }
            Release::OwnDescriptor => {
                let fd = own.known.fd.expect("a rule that asks a descriptor has kept it");
                let mine = sys.fstat(fd).await.surely("look at", self.path);
                self.stat(sys).await.is_some_and(|stat| stat.ino == mine.ino)
            }
        }
    }
}

async fn attempt(
    sys: &Sys,
    contest: &Contest<'_>,
    mut wanting: Wanting,
) -> ControlFlow<End, Wanting> {
    sys.point(point::ACQUIRE);
    let way = match contest.publish(sys).await {
        Published::Standing(known) => {
            return ControlFlow::Break(End::Owned(contest.own(known)));
        }
        Published::Unsigned => return ControlFlow::Break(End::Refused),
        Published::Homeless => return ControlFlow::Break(End::Homeless(wanting)),
        Published::Removed => Way::Free,
        Published::Refused => contest.take_over(sys, &mut wanting.watch).await,
    };
    if let Way::Mine(own) = way {
        return ControlFlow::Break(End::Owned(own));
    }
    if matches!(way, Way::Free) && !wanting.at_once {
        return ControlFlow::Continue(Wanting { at_once: true, ..wanting });
    }
    let Some(pauses) = wanting.pauses.after_next() else { return ControlFlow::Break(End::Refused) };
    let watch = contest.place.sleep_watching(sys, contest.pause, wanting.watch).await;
    ControlFlow::Continue(Wanting { pauses, at_once: false, watch })
}
