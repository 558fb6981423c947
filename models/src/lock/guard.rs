//! Who keeps other takers out of a takeover.

use std::sync::Arc;

use locklab_sys::{Errno, Fd, FlockOp, OpenFlags, Sys};
use smol_str::format_smolstr;
use tracing::debug;

use super::errors::Foreseen;
use super::file::Own;
use super::look::{Look, Seen};
use super::place::Place;
use super::publish::{Contest, Published};
use super::takeover::{Judged, Way};
use super::watch::Watch;
use crate::policy::{Guard, Removal};

impl Contest<'_> {
    /// Takes over a claim that was judged, with other takers kept out as the rule says.
    pub async fn take_over_guarded(
        &self,
        sys: &Sys,
        removal: &Removal,
        judged: (&Seen, Option<&Watch>),
    ) -> Way {
        let place = &self.place;
        let path = format_smolstr!("{}.guard", place.path);
        match removal.guard {
            Guard::None => self.remove_judged(sys, removal, judged.0).await,
            Guard::Flock => {
                let guard = lock_guard(sys, &path).await;
                let way = self.look_again(sys, removal, judged).await;
                sys.close(guard).await.surely("close the guard of", place.path);
                way
            }
            Guard::SameClass => {
                let lock = place.lock.unguarded();
                let guard = Place { path: &path, lock: &lock, is_guard: true, ..*place };
                let Some(own) = guard.try_once(sys, self).await else {
                    debug!(target: "locklab", "another taker has the guard");
                    return Way::Barred;
                };
                let way = self.look_again(sys, removal, judged).await;
                guard.release(sys, &own).await;
                way
            }
        }
    }

    /// The second look, under the guard: what was judged before it may have
    /// been removed by whoever held the guard last. It must be the same claim:
    /// a look and a judgement are several calls, and another claim's owner may
    /// leave between them and be succeeded by a living one.
    async fn look_again(
        &self,
        sys: &Sys,
        removal: &Removal,
        (judged, watch): (&Seen, Option<&Watch>),
    ) -> Way {
        let place = &self.place;
        let look = Look::to_judge(place);
        let Some(seen) = place.look(sys, look).await else { return Way::Free };
        if seen.bytes != judged.bytes {
            debug!(target: "locklab", "another claim stands there now: left alone");
            return Way::Barred;
        }
        if place.may_take(sys, &seen, watch).await {
            self.remove_judged(sys, removal, &seen).await
        } else {
            Way::Barred
        }
    }
}

async fn lock_guard(sys: &Sys, path: &smol_str::SmolStr) -> Fd {
    let flags = OpenFlags::RDWR | OpenFlags::CREAT;
    let fd = sys.open(path.clone(), flags).await.surely("open", path);
    // A signal is no answer, and no failure: it is asked again, for as long as signals come.
    while sys.flock(fd, FlockOp::Exclusive).await.unless([Errno::EINTR], "lock", path).is_none() {
        debug!(target: "locklab", "a signal came while I waited for the guard: once more");
    }
    fd
}

impl Place<'_> {
    /// Takes a guard if it is free, or its claim may be taken over; it is not waited for.
    async fn try_once(&self, sys: &Sys, of: &Contest<'_>) -> Option<Own> {
        let record = Arc::clone(&of.record);
        let private = self.make_private(sys, &record).await.ok()?;
        let contest = Contest { place: *self, record, private, pause: of.pause };
        let own = contest.publish_or_take_over(sys).await;
        contest.tidy_up(sys, own.is_some()).await;
        own
    }
}

impl Contest<'_> {
    async fn publish_or_take_over(&self, sys: &Sys) -> Option<Own> {
        match self.publish(sys).await {
            Published::Standing(known) => return Some(self.own(known)),
            Published::Refused => {}
            Published::Unsigned | Published::Homeless | Published::Removed => return None,
        }
        // Who observes sees a guard for the first time whenever it looks.
        let judged = self.place.judge(sys, &mut None).await;
        let way = match (judged, &self.place.lock.removal) {
            (Judged::Way(way), _) => way,
            (Judged::Takeable(seen), Some(removal)) => {
                self.remove_judged(sys, removal, &seen).await
            }
            (Judged::Takeable(_), None) => Way::Barred,
        };
        match way {
            Way::Mine(own) => Some(own),
            Way::Barred => None,
            Way::Free => match self.publish(sys).await {
                Published::Standing(known) => Some(self.own(known)),
                _ => None,
            },
        }
    }
}
