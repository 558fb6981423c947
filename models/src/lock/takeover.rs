use std::collections::BTreeSet;
use std::sync::Arc;

use locklab_sys::{Errno, Sys};
use tracing::debug;

use super::errors::Foreseen;
use super::file::{Known, Own};
use super::look::{Look, Seen};
use super::place::Place;
use super::publish::{Contest, Published};
use super::watch::Watch;
use crate::policy::{Compare, Publish, Removal, Takeover, VerifyField};
use crate::word::point;

/// What came of a claim in the way.
pub(super) enum Way {
    /// A moment ago nothing stood in the way: it is worth trying to publish again at once.
    Free,
    Barred,
    /// The claim there is taken for the own one.
    Mine(Own),
}

/// What a look at a claim in the way came to.
pub(super) enum Judged {
    /// It is no claim to take over.
    Way(Way),
    /// The rule lets this one be taken over.
    Takeable(Seen),
}

impl Contest<'_> {
    /// Takes over the claim in the way, if the rule lets it.
    pub async fn take_over(&self, sys: &Sys, watch: &mut Option<Watch>) -> Way {
        match (self.place.judge(sys, watch).await, &self.place.lock.removal) {
            (Judged::Way(way), _) => way,
            (Judged::Takeable(seen), Some(removal)) => {
                self.take_over_guarded(sys, removal, (&seen, watch.as_ref())).await
            }
            (Judged::Takeable(_), None) => unreachable!("nothing may be taken over by this rule"),
        }
    }

    pub async fn remove_judged(&self, sys: &Sys, removal: &Removal, judged: &Seen) -> Way {
        let place = &self.place;
        let compares = removal.compare != Some(Compare::After);
        if compares && !removal.verify.is_empty() {
            let look = Look::to_verify(&removal.verify);
            let Some(seen) = place.look(sys, look).await else { return Way::Free };
            if !seen.is_same(judged, &removal.verify) {
                debug!(target: "locklab", "the claim is not the one that was judged: left alone");
                return Way::Barred;
            }
            debug!(target: "locklab", "the claim is still the one that was judged");
        }
        place.point(sys, point::BEFORE_TAKEOVER);
        match removal.takeover {
            Takeover::Unlink => place.remove(sys).await,
            Takeover::RenameAside => place.move_aside(sys, removal, judged).await,
            Takeover::RenameOver => self.rename_over(sys).await,
            Takeover::OwnerEntry => place.remove_entry(sys, &judged.bytes).await,
            Takeover::NextGeneration => self.succeed_judged(sys, judged).await,
        }
    }

    /// The number after that of a claim that was judged.
    async fn succeed_judged(&self, sys: &Sys, judged: &Seen) -> Way {
        let (Some(private), Some(number)) = (&self.private, judged.number) else {
            return another_kind();
        };
        match self.succeed(sys, private, number).await {
            Published::Standing(known) => Way::Mine(self.own(known)),
            Published::Removed => Way::Free,
            Published::Refused | Published::Unsigned | Published::Homeless => Way::Barred,
        }
    }
}

impl Place<'_> {
    /// Whether the claim in the way may be taken over.
    pub async fn judge(&self, sys: &Sys, watch: &mut Option<Watch>) -> Judged {
        if self.lock.removal.is_none() && !self.own_pid {
            return Judged::Way(Way::Barred);
        }
        let look = Look::to_judge(self);
        let before = watch.take();
        let Some(seen) = self.look(sys, look).await else { return Judged::Way(Way::Free) };
        *watch = self.watch(&seen, before);
        if let Some(own) = self.adopt(&seen) {
            return Judged::Way(Way::Mine(own));
        }
        if self.lock.removal.is_none() || !self.may_take(sys, &seen, watch.as_ref()).await {
            return Judged::Way(Way::Barred);
        }
        self.point(sys, point::JUDGED);
        Judged::Takeable(seen)
    }

    /// The claim that was seen as the own one, if the rule takes it for that: by its pid alone,
    /// whoever had that when it was made.
    fn adopt(&self, seen: &Seen) -> Option<Own> {
        let pid = seen.record.as_ref().filter(|_| self.own_pid)?.pid;
        if pid != self.owner.record.pid {
            return None;
        }
        debug!(target: "locklab", "the claim names my own pid: I take it for mine");
        let ino = seen.stat.map(|stat| stat.ino);
        let known = Known { ino, fd: None, number: seen.number };
        Some(Own { record: Arc::clone(&seen.bytes), known })
    }

    /// Removes by name whatever claim stands at the path. A claim of another
    /// kind, a directory for a file or the reverse, cannot be removed so.
    pub async fn remove(&self, sys: &Sys) -> Way {
        match self.lock.publish {
            Publish::MkdirThenWrite => return self.remove_directory(sys).await,
            Publish::RenameDirectory => return self.remove_entries(sys).await,
            Publish::Numbered => unreachable!("a number is never removed to be taken over"),
            Publish::CreateThenWrite | Publish::Link | Publish::Symlink => {}
        }
        match sys.unlink(self.path.clone()).await {
            Err(Errno::EISDIR) => another_kind(),
            Err(Errno::EACCES | Errno::EPERM) => not_mine_to_remove(),
            removed => {
                removed.unless([Errno::ENOENT], "remove", self.path);
                Way::Free
            }
        }
    }

    async fn remove_directory(&self, sys: &Sys) -> Way {
        if self.signs() {
            let record = self.record_path();
            match sys.unlink(record.clone()).await {
                Err(Errno::EACCES | Errno::EPERM) => return not_mine_to_remove(),
                removed => removed.unless([Errno::ENOENT, Errno::ENOTDIR], "remove", &record),
            };
        }
        match sys.rmdir(self.path.clone()).await {
            Err(Errno::ENOTEMPTY) => {
                debug!(target: "locklab", "the directory has been signed again: left alone");
                Way::Barred
            }
            Err(Errno::ENOTDIR) => another_kind(),
            Err(Errno::EACCES | Errno::EPERM) => not_mine_to_remove(),
            removed => {
                removed.unless([Errno::ENOENT], "remove", self.path);
                Way::Free
            }
        }
    }
}

/// Another user's: whoever may not remove it has to wait.
pub(super) fn not_mine_to_remove() -> Way {
    debug!(target: "locklab", "I may not remove it: it is another user's");
    Way::Barred
}

pub(super) fn another_kind() -> Way {
    debug!(target: "locklab", "a claim of another kind stands there: left alone");
    Way::Barred
}

impl Seen {
    /// Whether it is as the one that was judged, in these respects.
    pub fn is_same(&self, judged: &Self, verify: &BTreeSet<VerifyField>) -> bool {
        verify.iter().all(|field| match field {
            VerifyField::Bytes => self.bytes == judged.bytes,
            VerifyField::Inode => {
                self.stat.map(|stat| stat.ino) == judged.stat.map(|stat| stat.ino)
            }
            VerifyField::Mtime => {
                self.stat.map(|stat| stat.mtime) == judged.stat.map(|stat| stat.mtime)
            }
        })
    }
}
