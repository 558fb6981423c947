use std::sync::Arc;

use locklab_sys::{Errno, OpenFlags, SmolStr};

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
    ) -> Result<DescriptionId, Errno> {
        let creates = flags.contains(OpenFlags::CREAT);
        let place = self.walk(path)?;
        let ino = match place {
            Place { last: Last::Name(name), slash, dir } if creates => {
                if slash {
                    return Err(Errno::EISDIR);
                }
                match self.lookup(dir, name)? {
                    Some(ino) => self.open_present(&caller, ino, flags)?,
                    None => {
                        let exclusive = flags.contains(OpenFlags::EXCL);
                        self.create_file(caller, path, dir, name, exclusive)
                    }
                }
            }
            _ => {
                let ino = self.target(&place)?;
                self.open_present(&caller, ino, flags)?
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
        ino: Ino,
        flags: OpenFlags,
    ) -> Result<Ino, Errno> {
        let creates = flags.contains(OpenFlags::CREAT);
        let truncates = flags.contains(OpenFlags::TRUNC);
        if creates && flags.contains(OpenFlags::EXCL) {
            return Err(Errno::EEXIST);
        }
        let inode = self.inodes.get_mut(ino);
        match &mut inode.content {
            Content::Directory { .. } if creates || truncates || flags.writes() => {
                Err(Errno::EISDIR)
            }
            Content::File(_) | Content::Socket { .. } if flags.contains(OpenFlags::DIRECTORY) => {
                Err(Errno::ENOTDIR)
            }
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

    fn create_file(
        &mut self,
        caller: Caller<'_>,
        path: &SmolStr,
        dir: Ino,
        name: &str,
        exclusive: bool,
    ) -> Ino {
        let content = Content::File(Arc::default());
        let ino = self.inodes.create(content, caller.realtime, Some(caller.proc));
        self.add_name(caller, path, dir, name, ino, exclusive);
        ino
    }
}
