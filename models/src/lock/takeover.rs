use std::collections::BTreeSet;
use std::sync::Arc;

use locklab_sys::{Errno, Fd, FlockOp, OpenFlags, Sys};
use smol_str::format_smolstr;
use tracing::debug;

use super::errors::Foreseen;
use super::file::{Known, Own};
use super::look::{Look, Seen};
use super::place::Place;
use super::watch::Watch;
use crate::policy::{Compare, Guard, Publish, Removal, Takeover, VerifyField};
use crate::word::point;

/// What came of a claim in the way.
pub(super) enum Way {
    /// A moment ago nothing stood in the way: it is worth trying to publish again at once.
    Free,
    Barred,
    /// The claim there is taken for the own one.
    Mine(Own),
}

impl Place<'_> {
    /// Removes the claim in the way, if the rule lets it be taken over.
    pub async fn take_over(&self, sys: &Sys, watch: &mut Option<Watch>) -> Way {
        if self.lock.removal.is_none() && !self.own_pid {
            return Way::Barred;
        }
        let look = Look::to_judge(self);
        let before = watch.take();
        let Some(seen) = self.look(sys, look).await else { return Way::Free };
        *watch = self.watch(&seen, before);
        if let Some(own) = self.adopt(&seen) {
            return Way::Mine(own);
        }
        let Some(removal) = &self.lock.removal else { return Way::Barred };
        if !self.may_take(sys, &seen, watch.as_ref()).await {
            return Way::Barred;
        }
        sys.point(point::JUDGED);
        match removal.guard {
            Guard::None => self.remove_judged(sys, removal, &seen).await,
            Guard::Flock => {
                let guard = self.lock_guard(sys).await;
                let way = self.look_again(sys, removal, look, (&seen, watch.as_ref())).await;
                sys.close(guard).await.surely("close the guard of", self.path);
                way
            }
        }
    }

    /// The claim that was seen as the own one, if the rule takes it for that: by its pid alone,
    /// whoever had that when it was made.
    fn adopt(&self, seen: &Seen) -> Option<Own> {
        let pid = seen.record.as_ref().filter(|_| self.own_pid)?.pid;
        if pid != self.owner.record.pid {
            return None;
        }
        debug!(target: "locklab", "the claim names my own pid: I take it for mine");
        let known = Known { ino: seen.stat.map(|stat| stat.ino), fd: None };
        Some(Own { record: Arc::clone(&seen.bytes), known })
    }

    async fn lock_guard(&self, sys: &Sys) -> Fd {
        let path = format_smolstr!("{}.guard", self.path);
        let flags = OpenFlags::RDWR | OpenFlags::CREAT;
        let fd = sys.open(path.clone(), flags).await.surely("open", &path);
        sys.flock(fd, FlockOp::Exclusive).await.surely("lock", &path);
        fd
    }

    /// The second look, under the guard: what was judged before it may have
    /// been removed by whoever held the guard last. It must be the same claim:
    /// a look and a judgement are several calls, and another claim's owner may
    /// leave between them and be succeeded by a living one.
    async fn look_again(
        &self,
        sys: &Sys,
        removal: &Removal,
        look: Look,
        (judged, watch): (&Seen, Option<&Watch>),
    ) -> Way {
        let Some(seen) = self.look(sys, look).await else { return Way::Free };
        if seen.bytes != judged.bytes {
            debug!(target: "locklab", "another claim stands there now: left alone");
            return Way::Barred;
        }
        if self.may_take(sys, &seen, watch).await {
            self.remove_judged(sys, removal, &seen).await
        } else {
            Way::Barred
        }
    }

    async fn remove_judged(&self, sys: &Sys, removal: &Removal, judged: &Seen) -> Way {
        let compares = removal.compare != Some(Compare::After);
        if compares && !removal.verify.is_empty() {
            let look = Look::to_verify(&removal.verify);
            let Some(seen) = self.look(sys, look).await else { return Way::Free };
            if !seen.is_same(judged, &removal.verify) {
                debug!(target: "locklab", "the claim is not the one that was judged: left alone");
                return Way::Barred;
            }
            debug!(target: "locklab", "the claim is still the one that was judged");
        }
        sys.point(point::BEFORE_TAKEOVER);
        match removal.takeover {
            Takeover::Unlink => self.remove(sys).await,
            Takeover::RenameAside => self.move_aside(sys, removal, judged).await,
            Takeover::OwnerEntry => self.remove_entry(sys, &judged.bytes).await,
        }
    }

    /// Removes by name whatever claim stands at the path. A claim of another
    /// kind, a directory for a file or the reverse, cannot be removed so.
    pub async fn remove(&self, sys: &Sys) -> Way {
        match self.lock.publish {
            Publish::MkdirThenWrite => return self.remove_directory(sys).await,
            Publish::RenameDirectory => return self.remove_entries(sys).await,
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

fn another_kind() -> Way {
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
