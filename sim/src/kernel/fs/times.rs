use std::time::Duration;

use locklab_sys::{Errno, SmolStr};

use super::access::Access;
use super::inode::{Ino, Inode};
use super::stamp::Stamp;
use super::{Caller, FileSystem};
use crate::kernel::setback::Setback;

impl FileSystem {
    /// `follow`: not the modification time of a symbolic link itself.
    pub(in crate::kernel) fn utimensat(
        &mut self,
        caller: &Caller<'_>,
        path: &SmolStr,
        mtime: Option<Duration>,
        follow: bool,
    ) -> Result<(), Errno> {
        let ino = self.resolve(path, follow, caller.uid)?;
        self.touch(caller, ino, mtime)
    }

    /// To now it is set by whoever may write, to another time by the owner.
    pub(in crate::kernel) fn touch(
        &mut self,
        caller: &Caller<'_>,
        ino: Ino,
        mtime: Option<Duration>,
    ) -> Result<(), Errno> {
        let inode = self.inodes.get(ino);
        if !inode.is_owned_by(caller.uid) {
            match mtime {
                Some(_) => return Err(Errno::EPERM),
                None => inode.check(caller.uid, Access::WRITE)?,
            }
        }
        let mtime = mtime.map_or(caller.now, |mtime| Stamp::new(mtime, self.granularity));
        let inode = self.about_to_change(caller, ino);
        inode.mtime = mtime;
        inode.ctime = caller.now;
        Ok(())
    }

    /// Whether something becomes of it at times of its own: what is written is on the
    /// disk some time later.
    pub(in crate::kernel) fn keeps_time(&self) -> bool {
        self.disk.as_ref().is_some_and(|disk| disk.durable.is_some())
    }

    /// The times of everything.
    pub(in crate::kernel) fn all_times(&self) -> impl Iterator<Item = Duration> {
        self.inodes.iter().flat_map(|inode| [inode.mtime, inode.ctime]).map(Stamp::get)
    }

    /// All times, had they been noted by a clock that was set back.
    pub(in crate::kernel) fn set_back(&mut self, setback: &Setback) {
        for inode in self.inodes.parts_mut() {
            let [mtime, ctime] =
                [inode.mtime, inode.ctime].map(|stamp| Stamp::exact(setback.realtime(stamp.get())));
            inode.set(Inode { mtime, ctime, ..Inode::clone(inode) });
        }
    }

    /// What the file system's clock shows when the machine's shows `realtime`.
    pub(in crate::kernel) fn stamp(&self, realtime: Duration) -> Stamp {
        Stamp::new(realtime, self.granularity)
    }

    /// The times of what processes created and still lives: of the last
    /// modification, and of the last change if that is another.
    pub(in crate::kernel) fn times(&self) -> impl Iterator<Item = Duration> {
        let made = self.inodes.iter().filter(|inode| inode.maker.is_some());
        made.flat_map(|inode| {
            let changed = (inode.ctime != inode.mtime).then_some(inode.ctime);
            [Some(inode.mtime), changed].into_iter().flatten().map(Stamp::get)
        })
    }

    pub(in crate::kernel) fn granularity(&self) -> Duration {
        self.granularity
    }
}
