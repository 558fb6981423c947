use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Clock, DirEntry, Errno, FileKind, FlockOp, OpenFlags, Stat, Sys};
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};
use tracing::debug;

use super::input::absolute_path;
use super::{Parameter, ProgramInfo};
use crate::Period;
use crate::lock::Foreseen;
use crate::word::point;

/// Removes from a directory what is old, as `systemd-tmpfiles --clean` does
/// (tmpfiles.d(5)) by the time of the last change, whoever uses it. It leaves
/// alone what somebody has an `flock` on, and sockets (tmpreaper(8)); of a
/// directory it removes what is old in it, and then itself if it was old and is
/// empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Cleaner {
    /// The directory that it cleans. Default: `/tmp`.
    #[serde(deserialize_with = "absolute_path")]
    pub path: SmolStr,
    /// What has not changed for longer is old. Default: ten days.
    pub age: Period,
    /// Whether it asks for locks on files, too, as systemd does from version 254 on;
    /// before, it asked for those on directories only. Default: yes.
    pub asks_files: bool,
    /// How often it cleans. Default: once.
    pub rounds: u32,
    /// The pause between two rounds. Default: one day.
    pub every: Period,
}

const DAY: u64 = 24 * 60 * 60;

impl Default for Cleaner {
    fn default() -> Self {
        Self {
            path: "/tmp".into(),
            age: Period::seconds(10 * DAY),
            asks_files: true,
            rounds: 1,
            every: Period::seconds(DAY),
        }
    }
}

impl Cleaner {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "cleaner",
        summary: "removes what is old from a directory of temporary files",
        slots: &[],
        own_points: &[point::BEFORE_REMOVAL],
        parameters: &[
            Parameter { name: "path", default: "\"/tmp\"", help: "the directory" },
            Parameter {
                name: "age",
                default: "\"10days\"",
                help: "what has not changed for longer is old",
            },
            Parameter {
                name: "asks-files",
                default: "true",
                help: "whether it leaves alone files that somebody has an flock on, not only such directories",
            },
            Parameter { name: "rounds", default: "1", help: "how often it cleans" },
            Parameter { name: "every", default: "\"1day\"", help: "the pause between two rounds" },
        ],
    };

    pub(super) fn age(&self) -> Duration {
        self.age.get()
    }

    pub(super) fn durations(&self) -> Vec<Duration> {
        let every = (self.rounds > 1).then_some(self.every);
        [Some(self.age), every].into_iter().flatten().map(Period::get).collect()
    }
}

/// A directory that is being cleaned.
struct Room<'a> {
    cleaner: &'a Cleaner,
    path: SmolStr,
    found: Arc<[DirEntry]>,
}

pub(super) async fn run(sys: Sys, cleaner: Cleaner) -> u8 {
    sys.retry(&cleaner, 0, round).await;
    0
}

async fn round(sys: &Sys, cleaner: &Cleaner, done: u32) -> ControlFlow<(), u32> {
    if done == cleaner.rounds {
        return ControlFlow::Break(());
    }
    if done > 0 {
        sys.sleep(cleaner.every.get()).await;
    }
    if let Some(found) = list(sys, &cleaner.path).await {
        let room = Room { cleaner, path: cleaner.path.clone(), found };
        sys.retry(&room, 0, clean_outer).await;
    }
    ControlFlow::Continue(done + 1)
}

/// What is in a directory, unless it is gone or somebody has a lock on it.
async fn list(sys: &Sys, path: &SmolStr) -> Option<Arc<[DirEntry]>> {
    let opened = sys.open(path.clone(), OpenFlags::RDONLY | OpenFlags::DIRECTORY).await;
    let fd = opened.unless([Errno::ENOENT, Errno::ENOTDIR], "open", path)?;
    let flocked = sys.flock(fd, FlockOp::TryExclusive).await;
    let found = match flocked.unless([Errno::EAGAIN], "lock", path) {
        Some(()) => sys.readdir(fd).await.unless([Errno::ENOENT], "list", path),
        None => {
            debug!(target: "locklab", "somebody has a lock on {path}");
            None
        }
    };
    sys.close(fd).await.surely("close", path);
    found
}

async fn clean_outer(sys: &Sys, room: &Room<'_>, nth: usize) -> ControlFlow<(), usize> {
    let Some(path) = room.entry(nth) else { return ControlFlow::Break(()) };
    let Some(stat) = look(sys, &path).await else { return ControlFlow::Continue(nth + 1) };
    match stat.kind {
        FileKind::File | FileKind::Symlink => room.clean_file(sys, &path, &stat).await,
        FileKind::Directory => {
            // Cleaning it makes it look new.
            let is_old = room.is_old(sys, &stat).await;
            if let Some(found) = list(sys, &path).await {
                let inner = Room { cleaner: room.cleaner, path: path.clone(), found };
                sys.retry(&inner, 0, clean_inner).await;
                if is_old {
                    sys.point(point::BEFORE_REMOVAL);
                    let foreseen = [Errno::ENOENT, Errno::ENOTDIR, Errno::ENOTEMPTY];
                    sys.rmdir(path.clone()).await.unless(foreseen, "remove", &path);
                }
            }
        }
        _ => {}
    }
    ControlFlow::Continue(nth + 1)
}

/// Directories that lie deeper are not gone into.
async fn clean_inner(sys: &Sys, room: &Room<'_>, nth: usize) -> ControlFlow<(), usize> {
    let Some(path) = room.entry(nth) else { return ControlFlow::Break(()) };
    match look(sys, &path).await {
        Some(stat) if matches!(stat.kind, FileKind::File | FileKind::Symlink) => {
            room.clean_file(sys, &path, &stat).await;
        }
        _ => {}
    }
    ControlFlow::Continue(nth + 1)
}

async fn look(sys: &Sys, path: &SmolStr) -> Option<Stat> {
    sys.lstat(path.clone()).await.unless([Errno::ENOENT, Errno::ENOTDIR], "look at", path)
}

impl Room<'_> {
    fn entry(&self, nth: usize) -> Option<SmolStr> {
        let entry = self.found.get(nth)?;
        Some(format_smolstr!("{}/{}", self.path, entry.name))
    }

    async fn is_old(&self, sys: &Sys, stat: &Stat) -> bool {
        let now = sys.clock_gettime(Clock::Realtime).await;
        now.saturating_sub(stat.mtime) > self.cleaner.age.get()
    }

    async fn clean_file(&self, sys: &Sys, path: &SmolStr, stat: &Stat) {
        if !self.is_old(sys, stat).await {
            return;
        }
        // A symbolic link cannot be opened, nor locked.
        if !self.cleaner.asks_files || stat.kind == FileKind::Symlink {
            return remove(sys, path).await;
        }
        // The lock is kept over the removal: nobody takes it in between.
        let opened = sys.open(path.clone(), OpenFlags::RDONLY).await;
        let opened = opened.unless([Errno::ENOENT, Errno::ENOTDIR, Errno::ENXIO], "open", path);
        let Some(fd) = opened else { return };
        let flocked = sys.flock(fd, FlockOp::TryExclusive).await;
        match flocked.unless([Errno::EAGAIN], "lock", path) {
            Some(()) => remove(sys, path).await,
            None => debug!(target: "locklab", "somebody has a lock on {path}"),
        }
        sys.close(fd).await.surely("close", path);
    }
}

async fn remove(sys: &Sys, path: &SmolStr) {
    debug!(target: "locklab", "{path} is old");
    sys.point(point::BEFORE_REMOVAL);
    sys.unlink(path.clone()).await.unless(
        [Errno::ENOENT, Errno::ENOTDIR, Errno::EISDIR],
        "remove",
        path,
    );
}
