//! A claim that is moved aside before it is removed.

use std::collections::BTreeSet;

use locklab_sys::{Errno, RenameFlag, Sys};
use smol_str::format_smolstr;
use tracing::debug;

use super::errors::Foreseen;
use super::look::{Look, Seen};
use super::place::Place;
use super::takeover::Way;
use crate::policy::{Compare, Mismatch, Publish, Removal, VerifyField};

impl Place<'_> {
    /// Moves whatever claim stands at the path to a name of the own process's, and removes it
    /// there; or does with it what the rule says of one that is not the one that was judged.
    pub async fn move_aside(&self, sys: &Sys, removal: &Removal, judged: &Seen) -> Way {
        let path = format_smolstr!("{}.aside.{}", self.path, self.owner.pid());
        let aside = Place { path: &path, ..*self };
        match sys.rename(self.path.clone(), path.clone()).await {
            Err(Errno::ENOTEMPTY | Errno::EEXIST | Errno::EISDIR | Errno::ENOTDIR) => {
                debug!(target: "locklab", "{path} is still there: I remove that first");
                aside.remove(sys).await;
                return Way::Barred;
            }
            moved => {
                // One taker moves it, and no other.
                let Some(()) = moved.unless([Errno::ENOENT], "move aside", self.path) else {
                    return Way::Free;
                };
            }
        }
        let is_judged = match removal.compare {
            Some(Compare::After) => aside.is_still(sys, &removal.verify, judged).await,
            Some(Compare::Before) | None => true,
        };
        match removal.mismatch {
            _ if is_judged => {
                aside.remove(sys).await;
                Way::Free
            }
            Some(Mismatch::PutBack) => {
                aside.put_back(sys, self).await;
                Way::Barred
            }
            Some(Mismatch::Leave) | None => {
                debug!(target: "locklab", "what I have moved aside is another claim: it stays there");
                Way::Free
            }
        }
    }

    /// Whether the claim here is the one that was judged, as far as is compared. One of which
    /// nothing is left is as good.
    async fn is_still(&self, sys: &Sys, verify: &BTreeSet<VerifyField>, judged: &Seen) -> bool {
        let seen = self.look(sys, Look::to_verify(verify)).await;
        seen.is_none_or(|seen| seen.is_same(judged, verify))
    }

    /// Puts another's claim back to where it was found, unless something stands there.
    async fn put_back(&self, sys: &Sys, to: &Place<'_>) {
        let (aside, path) = (self.path, to.path);
        let back = match self.lock.publish {
            // A directory has one name.
            Publish::MkdirThenWrite | Publish::RenameDirectory => {
                let back = sys.renameat2(aside.clone(), path.clone(), RenameFlag::NoReplace).await;
                back.unless([Errno::EEXIST, Errno::ENOENT], "put back", path)
            }
            Publish::Numbered => unreachable!("a number is never moved aside"),
            Publish::CreateThenWrite | Publish::Link | Publish::Symlink => {
                let linked = sys.link(aside.clone(), path.clone()).await;
                let foreseen = [Errno::EEXIST, Errno::ENOENT, Errno::EPERM];
                let back = linked.unless(foreseen, "put back", path);
                if back.is_some() {
                    sys.unlink(aside.clone()).await.unless([Errno::ENOENT], "remove", aside);
                }
                back
            }
        };
        match back {
            Some(()) => debug!(target: "locklab", "it was another claim: I put it back"),
            None => debug!(target: "locklab", "it was another claim, and cannot be put back"),
        }
    }
}
