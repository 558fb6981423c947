use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Errno, Fd, FlockOp, LockKind, OpenFlags, RecordLock, Sys};
use smol_str::SmolStr;

use super::Polling;
use super::errors::Foreseen;
use super::pauses::Pauses;
use crate::policy::KernelLock;
use crate::word::point;

/// All that the file can ever hold.
const WHOLE: RecordLock = RecordLock { kind: LockKind::Write, start: 0, len: 0 };

struct Wish {
    path: SmolStr,
    pause: Duration,
}

struct Contest<'a> {
    kernel: KernelLock,
    path: &'a str,
    fd: Fd,
    pause: Duration,
}

/// Polls for the lock of the file at `path`; the descriptor stands for it.
pub(super) async fn contend(
    sys: &Sys,
    kernel: KernelLock,
    path: &SmolStr,
    polling: Polling,
) -> Option<Fd> {
    let wish = Wish { path: path.clone(), pause: polling.every };
    let (fd, pauses) = sys.retry(&wish, Pauses::of(polling), open).await?;
    let contest = Contest { kernel, path, fd, pause: polling.every };
    let got = sys.retry(&contest, pauses, attempt).await;
    if !got {
        sys.close(fd).await.surely("close", path);
    }
    got.then_some(fd)
}

/// Opens the file, unless a directory stands there, a claim of another kind.
async fn open(sys: &Sys, wish: &Wish, pauses: Pauses) -> ControlFlow<Option<(Fd, Pauses)>, Pauses> {
    let flags = OpenFlags::RDWR | OpenFlags::CREAT;
    let opened = match sys.open(wish.path.clone(), flags).await {
        // Without room for an inode there will be no lock.
        Err(Errno::ENOSPC) => return ControlFlow::Break(None),
        opened => opened,
    };
    if let Some(fd) = opened.unless([Errno::EISDIR], "open", &wish.path) {
        return ControlFlow::Break(Some((fd, pauses)));
    }
    let Some(left) = pauses.after_next() else { return ControlFlow::Break(None) };
    sys.sleep(wish.pause).await;
    ControlFlow::Continue(left)
}

async fn attempt(sys: &Sys, contest: &Contest<'_>, pauses: Pauses) -> ControlFlow<bool, Pauses> {
    sys.point(point::ACQUIRE);
    // The kernel judges and takes over within the one call.
    sys.point(point::JUDGED);
    sys.point(point::BEFORE_TAKEOVER);
    let locked = match contest.kernel {
        KernelLock::Flock => sys.flock(contest.fd, FlockOp::TryExclusive).await,
        KernelLock::Fcntl => sys.setlk(contest.fd, WHOLE).await,
        KernelLock::Ofd => sys.ofd_setlk(contest.fd, WHOLE).await,
    };
    if locked.unless([Errno::EAGAIN], "lock", contest.path).is_some() {
        return ControlFlow::Break(true);
    }
    let Some(left) = pauses.after_next() else { return ControlFlow::Break(false) };
    sys.sleep(contest.pause).await;
    ControlFlow::Continue(left)
}

pub(super) async fn release(sys: &Sys, path: &str, fd: Fd) {
    sys.point(point::BEFORE_RELEASE);
    sys.close(fd).await.surely("close", path);
}
