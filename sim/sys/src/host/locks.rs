use std::os::fd::AsRawFd;

use rustix::fs::FlockOperation;

use super::{descriptor, known, raw, unit};
use crate::{Fd, FlockOp, HeldLock, LockCommand, LockKind, Pid, RecordLock, Reply, Ret};

pub(super) fn flock(fd: Fd, op: FlockOp) -> Reply {
    let operation = match op {
        FlockOp::Shared => FlockOperation::LockShared,
        FlockOp::Exclusive => FlockOperation::LockExclusive,
        FlockOp::TryShared => FlockOperation::NonBlockingLockShared,
        FlockOp::TryExclusive => FlockOperation::NonBlockingLockExclusive,
        FlockOp::Unlock => FlockOperation::Unlock,
    };
    unit(rustix::fs::flock(descriptor(fd)?, operation))
}

pub(super) fn fcntl(fd: Fd, command: LockCommand, lock: RecordLock) -> Reply {
    let number = match command {
        LockCommand::Set => libc::F_SETLK,
        LockCommand::SetWait => libc::F_SETLKW,
        LockCommand::Get => libc::F_GETLK,
        LockCommand::OfdSet => libc::F_OFD_SETLK,
        LockCommand::OfdSetWait => libc::F_OFD_SETLKW,
        LockCommand::OfdGet => libc::F_OFD_GETLK,
    };
    let kind = match lock.kind {
        LockKind::Read => libc::F_RDLCK,
        LockKind::Write => libc::F_WRLCK,
        LockKind::Unlock => libc::F_UNLCK,
    };
    let mut flock = libc::flock {
        l_type: kind as i16,
        l_whence: libc::SEEK_SET as i16,
        l_start: lock.start,
        l_len: lock.len,
        l_pid: 0,
    };
    raw::record_lock(descriptor(fd)?.as_raw_fd(), number, &mut flock).map_err(known)?;
    Ok(match command {
        LockCommand::Get | LockCommand::OfdGet => Ret::Lock(told(&flock)),
        _ => Ret::Unit,
    })
}

fn told(flock: &libc::flock) -> Option<HeldLock> {
    let kind = match i32::from(flock.l_type) {
        libc::F_UNLCK => return None,
        libc::F_RDLCK => LockKind::Read,
        _ => LockKind::Write,
    };
    let lock = RecordLock { kind, start: flock.l_start, len: flock.l_len };
    // Of a description it is -1.
    Some(HeldLock { lock, pid: flock.l_pid.try_into().ok().map(Pid) })
}
