use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Errno, Fd, OpenFlags, Sys};
use smol_str::SmolStr;
use tracing::debug;

use super::errors::Foreseen;
use super::file::Known;
use super::place::Place;
use crate::policy::Publish;
use crate::word::point;

/// A signed file or directory that only its owner knows of, to be put at the path.
pub(super) struct Private {
    pub path: SmolStr,
    pub known: Known,
}

/// One acquisition: what does not change from attempt to attempt.
pub(super) struct Contest<'a> {
    pub place: Place<'a>,
    pub record: Arc<[u8]>,
    pub private: Option<Private>,
    pub pause: Duration,
}

/// How an attempt to publish a claim ended.
pub(super) enum Published {
    /// The own claim stands at the path.
    Standing(Known),
    /// Another claim stands there.
    Refused,
    /// What was to be put there is gone: somebody has cleaned up.
    Homeless,
    /// The own claim was removed before it was signed.
    Removed,
    /// The own claim stands there and could not be signed, or none could be made:
    /// there is no room, or the disk fails. What stands is left there.
    Unsigned,
}

impl Place<'_> {
    /// Makes the private file that is linked to the path later; `None` without
    /// room for it.
    pub async fn sign_privately(&self, sys: &Sys, record: &Arc<[u8]>) -> Option<Private> {
        let path = self.private_path();
        // A file left here may be the second name of a dead claim, so it is
        // replaced and never written to.
        sys.unlink(path.clone()).await.unless([Errno::ENOENT], "remove", &path);
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
        let fd = sys.open(path.clone(), flags).await.unless([Errno::ENOSPC], "create", &path)?;
        let signed = self.sign_file(sys, fd, record).await;
        if signed.is_none() {
            sys.unlink(path.clone()).await.unless([Errno::ENOENT], "remove", &path);
        }
        signed.map(|known| Private { path, known })
    }

    /// Writes the record into a new file and closes it, unless it is kept open; how it is known
    /// again. `None` if it could not be written.
    async fn sign_file(&self, sys: &Sys, fd: Fd, record: &Arc<[u8]>) -> Option<Known> {
        let signed = !self.signs() || self.write_record(sys, fd, record).await;
        let mut known = Known::default();
        if signed && self.remembers_inode() {
            known.ino = Some(sys.fstat(fd).await.surely("look at", self.path).ino);
        }
        if signed && self.keeps_descriptor() {
            known.fd = Some(fd);
        } else {
            sys.close(fd).await.surely("close", self.path);
        }
        signed.then_some(known)
    }

    /// How a directory is known again, by name: it may be gone, or another's.
    pub async fn know_directory(&self, sys: &Sys, path: &SmolStr) -> Option<Known> {
        let mut known = Known::default();
        if self.remembers_inode() {
            let stat = sys.stat(path.clone()).await;
            known.ino = Some(stat.unless([Errno::ENOENT], "look at", path)?.ino);
        }
        if self.keeps_descriptor() {
            let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY;
            let opened = sys.open(path.clone(), flags).await;
            known.fd = Some(opened.unless([Errno::ENOENT, Errno::ENOTDIR], "open", path)?);
        }
        Some(known)
    }

    /// Whether the record could be written.
    async fn write_record(&self, sys: &Sys, fd: Fd, record: &Arc<[u8]>) -> bool {
        let written = sys.write(fd, Arc::clone(record)).await;
        let written = written.unless([Errno::ENOSPC, Errno::EIO], "write to", self.path);
        if written.is_none() {
            debug!(target: "locklab", "the record cannot be written: I give up, and leave what is there");
        }
        written.is_some()
    }
}

impl Contest<'_> {
    /// Puts the own claim at the path, if nothing stands there.
    pub async fn publish(&self, sys: &Sys) -> Published {
        match (self.place.lock.publish, &self.private) {
            (Publish::CreateThenWrite, _) => self.create(sys).await,
            (Publish::MkdirThenWrite, _) => self.mkdir(sys).await,
            (Publish::Link, Some(private)) => self.link(sys, private).await,
            (Publish::Link | Publish::Numbered, None) => {
                unreachable!("a private file was made first")
            }
            (Publish::Symlink, _) => self.symlink(sys).await,
            (Publish::Numbered, Some(private)) => self.take_free_number(sys, private).await,
            (Publish::RenameDirectory, Some(private)) => self.rename(sys, private).await,
            (Publish::RenameDirectory, None) => {
                unreachable!("a private directory was made first")
            }
        }
    }

    async fn create(&self, sys: &Sys) -> Published {
        let place = &self.place;
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
        let created = match sys.open(place.path.clone(), flags).await {
            Err(Errno::ENOSPC) => return Published::Unsigned,
            created => created.unless([Errno::EEXIST], "create", place.path),
        };
        let Some(fd) = created else { return Published::Refused };
        if place.signs() {
            place.point(sys, point::BEFORE_SIGNING);
        }
        match place.sign_file(sys, fd, &self.record).await {
            Some(known) => Published::Standing(known),
            None => Published::Unsigned,
        }
    }

    async fn link(&self, sys: &Sys, private: &Private) -> Published {
        let path = self.place.path;
        match sys.link(private.path.clone(), path.clone()).await {
            Err(Errno::ENOSPC) => Published::Unsigned,
            Err(Errno::ENOENT) => Published::Homeless,
            linked => match linked.unless([Errno::EEXIST], "link to", path) {
                Some(()) => Published::Standing(private.known),
                None => Published::Refused,
            },
        }
    }

    async fn rename(&self, sys: &Sys, private: &Private) -> Published {
        let path = self.place.path;
        let refused = [Errno::ENOTEMPTY, Errno::EEXIST, Errno::ENOTDIR];
        match sys.rename(private.path.clone(), path.clone()).await {
            Err(Errno::ENOENT) => Published::Homeless,
            renamed => match renamed.unless(refused, "rename to", path) {
                Some(()) => Published::Standing(private.known),
                None => Published::Refused,
            },
        }
    }

    async fn symlink(&self, sys: &Sys) -> Published {
        let (place, path) = (&self.place, self.place.path);
        let record = std::str::from_utf8(&self.record).expect("a record is text");
        let made = match sys.symlink(record, path.clone()).await {
            Err(Errno::ENOSPC) => return Published::Unsigned,
            made => made.unless([Errno::EEXIST], "link to", path),
        };
        if made.is_none() {
            return Published::Refused;
        }
        if !place.remembers_inode() {
            return Published::Standing(Known::default());
        }
        // By name, for a symbolic link cannot be held open: it may be gone.
        match place.stat(sys).await {
            Some(stat) => Published::Standing(Known { ino: Some(stat.ino), ..Known::default() }),
            None => self.removed(),
        }
    }

    async fn mkdir(&self, sys: &Sys) -> Published {
        let path = self.place.path;
        let made = match sys.mkdir(path.clone()).await {
            Err(Errno::ENOSPC) => return Published::Unsigned,
            made => made.unless([Errno::EEXIST], "create", path),
        };
        match made {
            Some(()) => self.sign_directory(sys).await,
            None => Published::Refused,
        }
    }

    /// Signs the own directory, by name as everything in a directory: it may mean
    /// nothing any more.
    async fn sign_directory(&self, sys: &Sys) -> Published {
        let place = &self.place;
        let Some(known) = place.know_directory(sys, place.path).await else {
            return self.removed();
        };
        if place.signs() {
            let path = place.record_path();
            place.point(sys, point::BEFORE_SIGNING);
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
            let created = match sys.open(path.clone(), flags).await {
                Err(Errno::ENOSPC) => return Published::Unsigned,
                created => created.unless([Errno::ENOENT, Errno::ENOTDIR], "create", &path),
            };
            let Some(fd) = created else { return self.removed() };
            let signed = place.write_record(sys, fd, &self.record).await;
            sys.close(fd).await.surely("close", &path);
            if !signed {
                return Published::Unsigned;
            }
        }
        Published::Standing(known)
    }

    fn removed(&self) -> Published {
        let path = self.place.path;
        debug!(target: "locklab", "my directory {path} was removed before it was signed");
        Published::Removed
    }
}
