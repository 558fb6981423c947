//! A claim that is a directory with its owner's entry in it, named after the owner.

use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_sys::{DirEntry, Errno, FileKind, OpenFlags, Sys};
use smol_str::{SmolStr, format_smolstr};
use tracing::debug;

use super::errors::Foreseen;
use super::file::Known;
use super::look::{Look, Seen};
use super::place::Place;
use super::publish::Private;
use super::record::Record;
use super::takeover::{Way, not_mine_to_remove};

/// What is removed from a directory.
struct Rubbish<'a> {
    path: &'a str,
    found: Arc<[DirEntry]>,
}

/// Why a private directory was not made.
enum NotFurnished {
    NoRoom,
    CleanedUp,
}

impl Place<'_> {
    /// Makes the private directory that is renamed to the path later, with the owner's entry
    /// in it; `None` without room for it.
    pub async fn furnish_privately(&self, sys: &Sys, record: &Arc<[u8]>) -> Option<Private> {
        let path = self.private_path();
        // Once more whenever somebody has cleaned up, which is not for ever.
        loop {
            match self.furnish(sys, &path, record).await {
                Ok(known) => return Some(Private { path, known }),
                Err(NotFurnished::CleanedUp) => {
                    debug!(target: "locklab", "my private directory is gone: once more");
                }
                Err(NotFurnished::NoRoom) => return None,
            }
        }
    }

    async fn furnish(
        &self,
        sys: &Sys,
        path: &SmolStr,
        record: &Arc<[u8]>,
    ) -> Result<Known, NotFurnished> {
        let mut made = sys.mkdir(path.clone()).await;
        if made == Err(Errno::EEXIST) {
            // Left by a dead process that had this pid.
            remove_tree(sys, path).await;
            made = sys.mkdir(path.clone()).await;
        }
        let made = made.unless([Errno::ENOSPC], "create", path);
        made.ok_or(NotFurnished::NoRoom)?;
        let entry = format_smolstr!("{path}/{}", entry_name(record));
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
        let fd = match sys.open(entry.clone(), flags).await {
            Err(Errno::ENOENT) => return Err(NotFurnished::CleanedUp),
            Err(Errno::ENOSPC) => {
                remove_tree(sys, path).await;
                return Err(NotFurnished::NoRoom);
            }
            opened => opened.surely("create", &entry),
        };
        sys.close(fd).await.surely("close", &entry);
        self.know_directory(sys, path).await.ok_or(NotFurnished::CleanedUp)
    }

    /// Looks at the directory; `None` if there is none, or nothing in it: then it is free.
    pub async fn look_at_entries(&self, sys: &Sys, look: Look) -> Option<Seen> {
        let Some(found) = list(sys, self.path).await else {
            // Of another kind, or gone, and perhaps there again: what stands there can tell.
            let stat = self.stat(sys).await?;
            if stat.kind == FileKind::Directory {
                return None;
            }
            return Some(Seen { stat: Some(stat), ..Seen::default() });
        };
        let read = |entry: &DirEntry| Record::parse(entry.name.as_bytes(), &self.lock.record);
        let owner = found.iter().find(|entry| read(entry).is_some()).or(found.first())?;
        let record = read(owner);
        let stat = if look.stat(record.as_ref()) { Some(self.stat(sys).await?) } else { None };
        let bytes = owner.name.as_bytes().into();
        Some(Seen { bytes, record, stat, number: None })
    }

    /// Removes an owner's entry by its own name, which nobody else's has, and the directory if
    /// nothing else is in it.
    pub async fn remove_entry(&self, sys: &Sys, record: &[u8]) -> Way {
        let entry = format_smolstr!("{}/{}", self.path, entry_name(record));
        let removed = sys.unlink(entry.clone()).await;
        if matches!(removed, Err(Errno::EACCES | Errno::EPERM)) {
            return not_mine_to_remove();
        }
        if removed.unless([Errno::ENOENT, Errno::ENOTDIR], "remove", &entry).is_none() {
            debug!(target: "locklab", "the entry is not there: nothing else is touched");
            return Way::Free;
        }
        self.remove_empty(sys).await
    }

    /// Removes whatever is in the directory, by the names that are found, and the directory.
    pub async fn remove_entries(&self, sys: &Sys) -> Way {
        if let Some(found) = list(sys, self.path).await {
            sys.retry(&Rubbish { path: self.path, found }, 0, remove_next).await;
        }
        self.remove_empty(sys).await
    }

    async fn remove_empty(&self, sys: &Sys) -> Way {
        match sys.rmdir(self.path.clone()).await {
            Err(Errno::ENOTEMPTY) => {
                debug!(target: "locklab", "somebody else is in the directory: left alone");
                Way::Barred
            }
            Err(Errno::ENOTDIR) => {
                debug!(target: "locklab", "a claim of another kind stands there: left alone");
                Way::Barred
            }
            Err(Errno::EACCES | Errno::EPERM) => not_mine_to_remove(),
            removed => {
                removed.unless([Errno::ENOENT], "remove", self.path);
                Way::Free
            }
        }
    }
}

/// Removes a private directory.
pub(super) async fn remove_tree(sys: &Sys, path: &SmolStr) {
    if let Some(found) = list(sys, path).await {
        sys.retry(&Rubbish { path, found }, 0, remove_next).await;
    }
    sys.rmdir(path.clone()).await.unless([Errno::ENOENT], "remove", path);
}

/// What is in a directory; `None` if there is no directory.
pub(super) async fn list(sys: &Sys, path: &SmolStr) -> Option<Arc<[DirEntry]>> {
    let opened = sys.open(path.clone(), OpenFlags::RDONLY | OpenFlags::DIRECTORY).await;
    let fd = opened.unless([Errno::ENOENT, Errno::ENOTDIR], "open", path)?;
    // One that has been removed since is empty.
    let found = sys.readdir(fd).await.unless([Errno::ENOENT], "list", path);
    sys.close(fd).await.surely("close", path);
    Some(found.unwrap_or_default())
}

async fn remove_next(sys: &Sys, rubbish: &Rubbish<'_>, nth: usize) -> ControlFlow<(), usize> {
    let Some(entry) = rubbish.found.get(nth) else { return ControlFlow::Break(()) };
    let path = format_smolstr!("{}/{}", rubbish.path, entry.name);
    let foreseen = [Errno::ENOENT, Errno::ENOTDIR, Errno::EISDIR, Errno::EACCES, Errno::EPERM];
    sys.unlink(path.clone()).await.unless(foreseen, "remove", &path);
    ControlFlow::Continue(nth + 1)
}

/// What an entry is called: as the record says it.
fn entry_name(record: &[u8]) -> &str {
    std::str::from_utf8(record).expect("a record, or a name, is text")
}
