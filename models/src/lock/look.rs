use std::collections::BTreeSet;
use std::sync::Arc;

use locklab_sys::{Errno, Fd, OpenFlags, Stat, Sys};
use smol_str::SmolStr;

use super::errors::Foreseen;
use super::place::Place;
use super::record::Record;
use crate::policy::{Publish, Release, Removal, Unsigned, VerifyField};

/// Longer than any record.
const RECORD_LEN_MAX: u32 = 256;

/// What one look at a claim is for: each of these is a call or more.
#[derive(Clone, Copy)]
pub(super) struct Look {
    record: bool,
    stat: bool,
    stat_if_unsigned: bool,
}

/// What a look at a claim found.
#[derive(Default)]
pub(super) struct Seen {
    pub bytes: Arc<[u8]>,
    pub record: Option<Record>,
    pub stat: Option<Stat>,
    /// Which number it is, where claims are numbers.
    pub number: Option<u64>,
}

impl Look {
    /// To judge a claim, and to compare it later.
    pub fn to_judge(place: &Place<'_>) -> Self {
        let lock = place.lock;
        let compares_stat = |it: &Removal| it.verify.iter().any(|field| field.is_of_stat());
        Self {
            record: !lock.record.is_empty(),
            stat: lock.stale.asks_file_time()
                || lock.removal.as_ref().is_some_and(compares_stat)
                || (place.own_pid && lock.release == Release::OwnInode),
            stat_if_unsigned: matches!(lock.unsigned, Some(Unsigned::DebrisAfter(_))),
        }
    }

    /// Whether the file's own data are asked for, where this is its record.
    pub fn stat(&self, record: Option<&Record>) -> bool {
        self.stat || (self.stat_if_unsigned && record.is_none())
    }

    /// To compare a claim with the one that was judged.
    pub fn to_verify(verify: &BTreeSet<VerifyField>) -> Self {
        Self {
            record: verify.contains(&VerifyField::Bytes),
            stat: verify.iter().any(|field| field.is_of_stat()),
            stat_if_unsigned: false,
        }
    }
}

impl Place<'_> {
    /// Looks at the claim; `None` if there is none (any more).
    pub async fn look(&self, sys: &Sys, look: Look) -> Option<Seen> {
        match self.lock.publish {
            _ if !look.record => {
                let stat = self.stat(sys).await?;
                Some(Seen { stat: Some(stat), ..Seen::default() })
            }
            Publish::CreateThenWrite | Publish::Link => {
                self.look_at_file(sys, look, self.path).await
            }
            Publish::Numbered => self.look_at_number(sys, look).await,
            Publish::MkdirThenWrite => self.look_at_directory(sys, look).await,
            Publish::Symlink => self.look_at_symlink(sys, look).await,
            Publish::RenameDirectory => self.look_at_entries(sys, look).await,
        }
    }

    async fn look_at_symlink(&self, sys: &Sys, look: Look) -> Option<Seen> {
        let bytes: Arc<[u8]> = match sys.readlink(self.path.clone()).await {
            // No symbolic link: a claim of another kind.
            Err(Errno::EINVAL) => Arc::default(),
            target => target.unless([Errno::ENOENT], "read", self.path)?.as_bytes().into(),
        };
        let record = Record::parse(&bytes, &self.lock.record);
        let stat = if look.stat(record.as_ref()) { Some(self.stat(sys).await?) } else { None };
        Some(Seen { bytes, record, stat, number: None })
    }

    pub async fn look_at_file(&self, sys: &Sys, look: Look, path: &SmolStr) -> Option<Seen> {
        let opened = sys.open(path.clone(), OpenFlags::RDONLY).await;
        let fd = opened.unless([Errno::ENOENT], "open", path)?;
        let bytes = self.read_record(sys, fd).await;
        let record = Record::parse(&bytes, &self.lock.record);
        let stat = if look.stat(record.as_ref()) {
            Some(sys.fstat(fd).await.surely("look at", path))
        } else {
            None
        };
        sys.close(fd).await.surely("close", path);
        Some(Seen { bytes, record, stat, number: None })
    }

    async fn look_at_directory(&self, sys: &Sys, look: Look) -> Option<Seen> {
        let path = self.record_path();
        let opened = sys.open(path.clone(), OpenFlags::RDONLY).await;
        let Some(fd) = opened.unless([Errno::ENOENT, Errno::ENOTDIR], "open", &path) else {
            // Unsigned, of another kind, or gone: only what stands there can tell.
            let stat = self.stat(sys).await?;
            return Some(Seen { stat: Some(stat), ..Seen::default() });
        };
        let bytes = self.read_record(sys, fd).await;
        sys.close(fd).await.surely("close", &path);
        let record = Record::parse(&bytes, &self.lock.record);
        let stat = if look.stat(record.as_ref()) { Some(self.stat(sys).await?) } else { None };
        Some(Seen { bytes, record, stat, number: None })
    }

    /// Of what stands at the path; `None` if nothing does.
    pub async fn stat(&self, sys: &Sys) -> Option<Stat> {
        let stat = match self.lock.publish {
            Publish::Symlink => sys.lstat(self.path.clone()).await,
            _ => sys.stat(self.path.clone()).await,
        };
        stat.unless([Errno::ENOENT], "look at", self.path)
    }

    /// What the claim at the path says, if there is one.
    pub async fn bytes(&self, sys: &Sys) -> Option<Arc<[u8]>> {
        let path = self.record_path();
        if self.lock.publish == Publish::Symlink {
            let target = sys.readlink(path.clone()).await;
            let target = target.unless([Errno::ENOENT, Errno::EINVAL], "read", &path)?;
            return Some(target.as_bytes().into());
        }
        let opened = sys.open(path.clone(), OpenFlags::RDONLY).await;
        let fd = opened.unless([Errno::ENOENT, Errno::ENOTDIR], "open", &path)?;
        let bytes = self.read_record(sys, fd).await;
        sys.close(fd).await.surely("close", &path);
        Some(bytes)
    }

    /// What a claim says; nothing if it is a directory, a claim of another kind.
    async fn read_record(&self, sys: &Sys, fd: Fd) -> Arc<[u8]> {
        let read = sys.read(fd, RECORD_LEN_MAX).await;
        read.unless([Errno::EISDIR], "read", self.path).unwrap_or_default()
    }
}
