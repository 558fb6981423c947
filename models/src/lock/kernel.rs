use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Errno, Fd, FlockOp, LockKind, OpenFlags, RecordLock, Sys};
use smol_str::SmolStr;
use tracing::debug;

use super::Polling;
use super::errors::Foreseen;
use super::pauses::Pauses;
use crate::policy::{Kept, KernelLock, LetGo, OnExec, Recheck};
use crate::word::point;

struct Contest<'a> {
    kept: Kept,
    path: &'a SmolStr,
    pause: Duration,
}

#[derive(Clone, Hash)]
struct Wanting {
    /// The file, once it is open.
    file: Option<Fd>,
    pauses: Pauses,
}

/// Polls for the lock of the file at `path`; the descriptor stands for it.
pub(super) async fn contend(sys: &Sys, kept: Kept, path: &SmolStr, polling: Polling) -> Option<Fd> {
    let contest = Contest { kept, path, pause: polling.every };
    sys.retry(&contest, Wanting { file: None, pauses: Pauses::of(polling) }, step).await
}

async fn step(
    sys: &Sys,
    contest: &Contest<'_>,
    wanting: Wanting,
) -> ControlFlow<Option<Fd>, Wanting> {
    match wanting.file {
        None => contest.open(sys, wanting.pauses).await,
        Some(fd) => contest.attempt(sys, fd, wanting.pauses).await,
    }
}

impl Contest<'_> {
    /// Opens the file, unless a directory stands there, a claim of another kind, or another
    /// user's file that this one may not write to.
    async fn open(&self, sys: &Sys, pauses: Pauses) -> ControlFlow<Option<Fd>, Wanting> {
        let mut flags = OpenFlags::RDWR | OpenFlags::CREAT;
        if self.kept.on_exec == OnExec::Closed {
            flags = flags | OpenFlags::CLOEXEC;
        }
        let opened = match sys.open(self.path.clone(), flags).await {
            // Without room for an inode there will be no lock.
            Err(Errno::ENOSPC) => return ControlFlow::Break(None),
            opened => opened,
        };
        if let Some(fd) = opened.unless([Errno::EISDIR, Errno::EACCES], "open", self.path) {
            return ControlFlow::Continue(Wanting { file: Some(fd), pauses });
        }
        let Some(left) = pauses.after_next() else { return ControlFlow::Break(None) };
        sys.sleep(self.pause).await;
        ControlFlow::Continue(Wanting { file: None, pauses: left })
    }

    async fn attempt(&self, sys: &Sys, fd: Fd, pauses: Pauses) -> ControlFlow<Option<Fd>, Wanting> {
        sys.point(point::ACQUIRE);
        // The kernel judges and takes over within the one call.
        sys.point(point::JUDGED);
        sys.point(point::BEFORE_TAKEOVER);
        let locked = lock(sys, self.kept.kernel, fd).await;
        if locked.unless([Errno::EAGAIN], "lock", self.path).is_some() {
            if self.kept.recheck == Recheck::None || self.is_at_path(sys, fd).await {
                return ControlFlow::Break(Some(fd));
            }
            debug!(target: "locklab", "the path stands for another file by now: once more");
            sys.close(fd).await.surely("close", self.path);
            return ControlFlow::Continue(Wanting { file: None, pauses });
        }
        let Some(left) = pauses.after_next() else {
            sys.close(fd).await.surely("close", self.path);
            return ControlFlow::Break(None);
        };
        sys.sleep(self.pause).await;
        ControlFlow::Continue(Wanting { file: Some(fd), pauses: left })
    }

    /// Whether the path stands for the file that was locked, whose number nobody else is given
    /// while it is open.
    async fn is_at_path(&self, sys: &Sys, fd: Fd) -> bool {
        let own = sys.fstat(fd).await.surely("look at", self.path);
        let found = sys.stat(self.path.clone()).await;
        let found = found.unless([Errno::ENOENT], "look at", self.path);
        found.is_some_and(|found| found.ino == own.ino)
    }
}

/// The lock as the kernel is asked for it, of the whole file where it could be of a range.
const fn whole(kind: LockKind) -> RecordLock {
    RecordLock { kind, start: 0, len: 0 }
}

async fn lock(sys: &Sys, kernel: KernelLock, fd: Fd) -> Result<(), Errno> {
    match kernel {
        KernelLock::Flock => sys.flock(fd, FlockOp::TryExclusive).await,
        KernelLock::Fcntl => sys.setlk(fd, whole(LockKind::Write)).await,
        KernelLock::Ofd => sys.ofd_setlk(fd, whole(LockKind::Write)).await,
    }
}

async fn unlock(sys: &Sys, kernel: KernelLock, fd: Fd, path: &str) {
    let unlocked = match kernel {
        KernelLock::Flock => sys.flock(fd, FlockOp::Unlock).await,
        KernelLock::Fcntl => sys.setlk(fd, whole(LockKind::Unlock)).await,
        KernelLock::Ofd => sys.ofd_setlk(fd, whole(LockKind::Unlock)).await,
    };
    unlocked.surely("unlock", path);
}

pub(super) async fn release(sys: &Sys, kept: Kept, path: &SmolStr, fd: Fd) {
    if kept.let_go == LetGo::UnlockUnlink {
        unlock(sys, kept.kernel, fd, path).await;
    }
    sys.point(point::BEFORE_RELEASE);
    match kept.let_go {
        LetGo::Close => {}
        LetGo::Unlock => unlock(sys, kept.kernel, fd, path).await,
        LetGo::Unlink | LetGo::UnlockUnlink => {
            // Somebody was quicker, or a claim of another kind stands there, or it is another
            // user's file: then it is left there.
            let foreseen = [Errno::ENOENT, Errno::EISDIR, Errno::EACCES, Errno::EPERM];
            sys.unlink(path.clone()).await.unless(foreseen, "remove", path);
        }
    }
    sys.close(fd).await.surely("close", path);
}
