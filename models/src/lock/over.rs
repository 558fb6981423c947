//! A claim that takes another's place without the path ever being free.

use std::sync::Arc;

use locklab_sys::{Errno, Sys};
use tracing::debug;

use super::errors::Foreseen;
use super::file::{Known, Own};
use super::publish::Contest;
use super::takeover::{Way, another_kind, not_mine_to_remove};
use crate::policy::Publish;

impl Contest<'_> {
    /// Renames the own claim over whatever claim stands at the path.
    pub async fn rename_over(&self, sys: &Sys) -> Way {
        let place = &self.place;
        let known = match (&self.private, place.lock.publish) {
            (Some(private), _) => private.known,
            (None, Publish::Symlink) => match self.link_privately(sys).await {
                Some(known) => known,
                None => return Way::Barred,
            },
            (None, _) => match place.sign_privately(sys, &self.record).await {
                Some(private) => private.known,
                None => return Way::Barred,
            },
        };
        let path = place.private_path();
        match sys.rename(path.clone(), place.path.clone()).await {
            Err(Errno::EISDIR) => another_kind(),
            Err(Errno::EACCES | Errno::EPERM) => not_mine_to_remove(),
            // Somebody has cleaned up.
            Err(Errno::ENOENT) => Way::Free,
            renamed => {
                renamed.surely("rename to", place.path);
                debug!(target: "locklab", "my claim is in its place");
                Way::Mine(Own { record: Arc::clone(&self.record), known })
            }
        }
    }

    /// Makes the link that says whose it is beside the path; `None` without room for it.
    async fn link_privately(&self, sys: &Sys) -> Option<Known> {
        let place = &self.place;
        let path = place.private_path();
        sys.unlink(path.clone()).await.unless([Errno::ENOENT], "remove", &path);
        let record = std::str::from_utf8(&self.record).expect("a record is text");
        let made = sys.symlink(record, path.clone()).await;
        made.unless([Errno::ENOSPC], "link to", &path)?;
        let ino = match place.remembers_inode() {
            true => {
                Some(sys.lstat(path.clone()).await.unless([Errno::ENOENT], "look at", &path)?.ino)
            }
            false => None,
        };
        Some(Known { ino, ..Known::default() })
    }
}
