//! Files that grow old without anybody waiting.

use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, Timestamps, UTIME_OMIT};
use rustix::time::Timespec;

use super::{FIRST, LIMIT, clock_gettime};
use crate::Clock;

/// The ages of a machine's files, which are a leader's to say.
pub(super) struct Ages {
    /// When they were last right, by the realtime clock.
    right_at: Duration,
    /// The times that were given then, by inode, in nanoseconds.
    given: BTreeMap<u64, i64>,
}

/// Files are so much younger than a leader says, since from a look at a file to one at
/// the clock some time passes, and a rule asks whether an age is more than a limit.
const YOUNGER: Duration = Duration::from_millis(9);

/// The kernel's clock of file times lags by no more than this.
const LAG: Duration = Duration::from_millis(20);

impl Ages {
    /// Files that have just been made.
    pub(super) fn new() -> Self {
        Self { right_at: clock_gettime(Clock::Realtime), given: BTreeMap::new() }
    }

    /// Lets every file be older by `by` than it was the last time, however much time
    /// has really passed. What was written since counts as written then.
    pub(super) fn grow(&mut self, by: Duration, proc: BorrowedFd<'_>) -> io::Result<()> {
        let now = clock_gettime(Clock::Realtime);
        let mut files = Files {
            written: nanos(self.right_at - LAG)..=nanos(now),
            counts_as: nanos(self.right_at + YOUNGER),
            shift: nanos(now) - nanos(self.right_at) - nanos(by),
            given: &self.given,
            gives: BTreeMap::new(),
        };
        files.visit(proc)?;
        *self = Self { right_at: now, given: files.gives };
        Ok(())
    }
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).expect("nobody plays with centuries")
}

/// Times in nanoseconds.
struct Files<'a> {
    /// When whatever was written since the last time was written.
    written: RangeInclusive<i64>,
    /// What that counts as.
    counts_as: i64,
    /// By so much all times move forward.
    shift: i64,
    /// What was given the last time, and what is now.
    given: &'a BTreeMap<u64, i64>,
    gives: BTreeMap<u64, i64>,
}

impl Files<'_> {
    fn visit(&mut self, proc: BorrowedFd<'_>) -> io::Result<()> {
        let root = rustix::fs::stat("/")?;
        self.move_time(CWD, "/", &root, AtFlags::empty())?;
        self.visit_folder(CWD, "/")?;
        self.visit_open(proc, &root)
    }

    fn visit_folder(&mut self, parent: BorrowedFd<'_>, name: &str) -> io::Result<()> {
        let folder = open_folder(parent, name)?;
        for name in names(&folder)? {
            let stat = rustix::fs::statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            self.move_time(folder.as_fd(), &name, &stat, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                self.visit_folder(folder.as_fd(), &name)?;
            }
        }
        Ok(())
    }

    /// A file whose last name is gone lives on while somebody has it open.
    fn visit_open(&mut self, proc: BorrowedFd<'_>, root: &Stat) -> io::Result<()> {
        let proc = open_folder(proc, ".")?;
        for pid in names(&proc)?.iter().filter(|name| name.parse::<u32>().is_ok()) {
            // Whoever has just ended has nothing open.
            let Ok(open) = open_folder(proc.as_fd(), &format!("{pid}/fd")) else { continue };
            for fd in names(&open)? {
                if !fd.parse().is_ok_and(|number| (FIRST..LIMIT).contains(&number)) {
                    continue;
                }
                let Ok(stat) = rustix::fs::statat(&open, &fd, AtFlags::empty()) else { continue };
                if stat.st_dev == root.st_dev {
                    self.move_time(open.as_fd(), &fd, &stat, AtFlags::empty())?;
                }
            }
        }
        Ok(())
    }

    fn move_time(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &str,
        stat: &Stat,
        flags: AtFlags,
    ) -> io::Result<()> {
        // A file may have several names.
        if self.gives.contains_key(&stat.st_ino) {
            return Ok(());
        }
        const BILLION: i64 = 1_000_000_000;
        let mut mtime = stat.st_mtime * BILLION + stat.st_mtime_nsec as i64;
        if self.given.get(&stat.st_ino) != Some(&mtime) && self.written.contains(&mtime) {
            mtime = self.counts_as;
        }
        mtime += self.shift;
        self.gives.insert(stat.st_ino, mtime);
        let times = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec {
                tv_sec: mtime.div_euclid(BILLION),
                tv_nsec: mtime.rem_euclid(BILLION),
            },
        };
        Ok(rustix::fs::utimensat(parent, name, &times, flags)?)
    }
}

fn open_folder(parent: BorrowedFd<'_>, name: &str) -> io::Result<std::os::fd::OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?)
}

fn names(folder: impl AsFd) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    Ok(names)
}
