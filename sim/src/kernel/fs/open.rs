use std::sync::Arc;

use locklab_sys::{Errno, Mode, OpenFlags, SmolStr};

use super::access::Access;
use super::description::DescriptionId;
use super::inode::{Content, Ino};
use super::path::{Last, Place, check_path};
use super::target::Target;
use super::{Caller, FileSystem};

/// What Linux refuses of an `open` before it gives out a descriptor.
pub(in crate::kernel) fn check_open(path: &str, flags: OpenFlags) -> Result<(), Errno> {
    if flags.contains(OpenFlags::CREAT | OpenFlags::DIRECTORY) {
        return Err(Errno::EINVAL);
    }
    check_path(path)
}

impl FileSystem {
    pub(in crate::kernel) fn open(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        flags: OpenFlags,
        mode: Mode,
    ) -> Result<DescriptionId, Errno> {
        let creates = flags.contains(OpenFlags::CREAT);
        let place = self.walk(path, caller.uid)?;
        let ino = match place {
            Place { last: Last::Name(_), slash: true, .. } if creates => return Err(Errno::EISDIR),
            Place { last: Last::Name(name), dir, .. } if creates => match self.lookup(dir, name)? {
                Some(ino) => self.open_present(&caller, dir, ino, flags)?,
                None => {
                    self.may_add_to(dir, caller.uid)?;
                    let content = Content::File(Arc::default());
                    let ino = self.create(&caller, content, mode)?;
                    let exclusive = flags.contains(OpenFlags::EXCL);
                    self.add_name(caller, path, dir, name, ino, exclusive);
                    ino
                }
            },
            _ => {
                let ino = self.target(&place)?;
                self.open_present(&caller, place.dir, ino, flags)?
            }
        };
        let writes = flags.writes();
        // No access mode at all is 0, which is `O_RDONLY`.
        let reads = flags.reads() || !writes;
        Ok(self.open.open(Target::Inode(ino), reads, writes))
    }

    fn open_present(
        &mut self,
        caller: &Caller<'_>,
        dir: Ino,
        ino: Ino,
        flags: OpenFlags,
    ) -> Result<Ino, Errno> {
        let is_directory = self.inodes.get(ino).is_directory();
        let truncates = flags.contains(OpenFlags::TRUNC);
        if flags.contains(OpenFlags::CREAT) {
            if flags.contains(OpenFlags::EXCL) {
                return Err(Errno::EEXIST);
            }
            if is_directory {
                return Err(Errno::EISDIR);
            }
            self.may_create_over(dir, ino, caller.uid)?;
        }
        if is_directory && (truncates || flags.writes()) {
            return Err(Errno::EISDIR);
        }
        if !is_directory && flags.contains(OpenFlags::DIRECTORY) {
            return Err(Errno::ENOTDIR);
        }
        if truncates && self.disk.is_some() && !flags.contains(OpenFlags::DIRECTORY) {
            self.before_truncation(caller, ino);
        }
        let inode = self.inodes.get_mut(ino);
        inode.check(caller.uid, Access::asked_by(flags))?;
        match &mut inode.content {
            Content::Socket { .. } => Err(Errno::ENXIO),
            Content::File(data) if truncates => {
                *data = Arc::default();
                // Linux does so even when the file was empty already.
                inode.mtime = caller.realtime;
                Ok(ino)
            }
            _ => Ok(ino),
        }
    }
}
