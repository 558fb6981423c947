use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, RenameFlags, SeekFrom, Timestamps, UTIME_NOW,
};
use rustix::io::FdFlags;
use rustix::time::Timespec;
use smol_str::SmolStr;

use super::{descriptor, known, leave, timespec, unit};
use crate::{DirEntry, Errno, Fd, FileKind, OpenFlags, RenameFlag, Reply, Ret, Stat, Uid};

/// More than the longest entry takes.
const READDIR_LEN: usize = 8192;

pub(super) fn raw_mode(mode: crate::Mode) -> Mode {
    Mode::from_raw_mode(mode.bits().into())
}

pub(super) fn open(path: &str, flags: OpenFlags, mode: crate::Mode) -> Reply {
    let fd = rustix::fs::open(path, open_flags(flags), raw_mode(mode)).map_err(known)?;
    leave(fd)
}

pub(super) fn read(fd: Fd, len: u32) -> Reply {
    let mut bytes = vec![0; len as usize];
    let read = rustix::io::read(descriptor(fd)?, &mut bytes[..]).map_err(known)?;
    bytes.truncate(read);
    Ok(Ret::Bytes(bytes.into()))
}

pub(super) fn write(fd: Fd, data: &[u8]) -> Reply {
    let written = rustix::io::write(descriptor(fd)?, data).map_err(known)?;
    Ok(Ret::Len(written as u32))
}

pub(super) fn set_close_on_exec(fd: Fd, on: bool) -> Reply {
    let flags = if on { FdFlags::CLOEXEC } else { FdFlags::empty() };
    unit(rustix::io::fcntl_setfd(descriptor(fd)?, flags))
}

pub(super) fn close_on_exec(fd: Fd) -> Reply {
    let flags = rustix::io::fcntl_getfd(descriptor(fd)?).map_err(known)?;
    Ok(Ret::CloseOnExec(flags.contains(FdFlags::CLOEXEC)))
}

pub(super) fn fstat(fd: Fd) -> Reply {
    let fd = descriptor(fd)?;
    let stat = rustix::fs::fstat(fd).map_err(known)?;
    Ok(Ret::Stat(told(&stat)))
}

pub(super) fn fsync(fd: Fd) -> Reply {
    unit(rustix::fs::fsync(descriptor(fd)?))
}

/// The whole directory, from its beginning, sorted as the model has it. More
/// calls than one, if it is large.
pub(super) fn readdir(fd: Fd) -> Reply {
    let fd = descriptor(fd)?;
    if FileType::from_raw_mode(rustix::fs::fstat(fd).map_err(known)?.st_mode) == FileType::Directory
    {
        rustix::fs::seek(fd, SeekFrom::Start(0)).map_err(known)?;
    }
    let mut names: Vec<DirEntry> = Vec::new();
    // Not `Dir`, which takes a directory that was removed for an empty one.
    let mut buffer = Vec::with_capacity(READDIR_LEN);
    let mut entries = RawDir::new(fd, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = entry.map_err(known)?;
        let name = entry.file_name().to_string_lossy();
        if name != "." && name != ".." {
            names.push(DirEntry { name: SmolStr::new(name), ino: entry.ino() });
        }
    }
    // At its end, some file systems have another error for `read` than the model.
    rustix::fs::seek(fd, SeekFrom::Start(0)).map_err(known)?;
    names.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Ret::Names(Arc::from(names)))
}

/// By the name that the descriptor has in `/proc`: `AT_EMPTY_PATH` wants a
/// privilege.
pub(super) fn link_fd(proc: impl AsFd, fd: Fd, new: &str) -> Reply {
    let fd = descriptor(fd).map_err(|_| Errno::ENOENT)?;
    let old = format!("self/fd/{}", fd.as_raw_fd());
    unit(rustix::fs::linkat(proc, old, CWD, new, AtFlags::SYMLINK_FOLLOW))
}

pub(super) fn futimens(fd: Fd, mtime: Option<Duration>) -> Reply {
    unit(rustix::fs::futimens(descriptor(fd)?, &timestamps(mtime)))
}

pub(super) fn chmod(path: &str, mode: crate::Mode) -> Reply {
    unit(rustix::fs::chmod(path, raw_mode(mode)))
}

pub(super) fn fchmod(fd: Fd, mode: crate::Mode) -> Reply {
    unit(rustix::fs::fchmod(descriptor(fd)?, raw_mode(mode)))
}

pub(super) fn chown(path: &str, uid: Uid) -> Reply {
    let (user, group) = (rustix::fs::Uid::from_raw(uid.0), rustix::fs::Gid::from_raw(uid.0));
    unit(rustix::fs::chown(path, Some(user), Some(group)))
}

pub(super) fn stat(path: &str) -> Reply {
    let stat = rustix::fs::stat(path).map_err(known)?;
    Ok(Ret::Stat(told(&stat)))
}

pub(super) fn lstat(path: &str) -> Reply {
    let stat = rustix::fs::lstat(path).map_err(known)?;
    Ok(Ret::Stat(told(&stat)))
}

pub(super) fn readlink(path: &str) -> Reply {
    let target = rustix::fs::readlink(path, Vec::new()).map_err(known)?;
    Ok(Ret::Path(SmolStr::new(target.to_string_lossy())))
}

pub(super) fn renameat2(old: &str, new: &str, flag: RenameFlag) -> Reply {
    let flag = match flag {
        RenameFlag::NoReplace => RenameFlags::NOREPLACE,
        RenameFlag::Exchange => RenameFlags::EXCHANGE,
    };
    unit(rustix::fs::renameat_with(CWD, old, CWD, new, flag))
}

pub(super) fn utimensat(path: &str, mtime: Option<Duration>, follow: bool) -> Reply {
    let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    unit(rustix::fs::utimensat(CWD, path, &timestamps(mtime), flags))
}

/// The access time goes the same way.
fn timestamps(mtime: Option<Duration>) -> Timestamps {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let time = mtime.map_or(now, timespec);
    Timestamps { last_access: time, last_modification: time }
}

fn told(stat: &rustix::fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Socket => FileKind::Socket,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Process,
    };
    let mtime = Duration::new(stat.st_mtime.cast_unsigned(), stat.st_mtime_nsec as u32);
    Stat {
        ino: stat.st_ino,
        kind,
        nlink: stat.st_nlink as u32,
        size: stat.st_size as u32,
        mtime,
        ctime: Duration::new(stat.st_ctime.cast_unsigned(), stat.st_ctime_nsec as u32),
        uid: Uid(stat.st_uid),
        mode: crate::Mode::new(stat.st_mode as u16),
    }
}

fn open_flags(flags: OpenFlags) -> OFlags {
    let access = match (flags.reads(), flags.writes()) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        _ => OFlags::RDONLY,
    };
    let pairs = [
        (OpenFlags::CREAT, OFlags::CREATE),
        (OpenFlags::EXCL, OFlags::EXCL),
        (OpenFlags::TRUNC, OFlags::TRUNC),
        (OpenFlags::DIRECTORY, OFlags::DIRECTORY),
        (OpenFlags::CLOEXEC, OFlags::CLOEXEC),
        (OpenFlags::NOFOLLOW, OFlags::NOFOLLOW),
        (OpenFlags::TMPFILE, OFlags::TMPFILE),
    ];
    let asked = pairs.into_iter().filter(|(flag, _)| flags.contains(*flag));
    asked.fold(access, |all, (_, flag)| all | flag)
}
