//! What is on a machine's disk, and where that is.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::mount::MountFlags;
use smol_str::SmolStr;

use super::own;
use crate::Uid;

/// Where a machine keeps its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disk {
    /// In memory, gone with the machine: inode numbers are always fresh.
    Tmpfs,
    /// Likewise, with room for so many pages of content and so many inodes, three
    /// of which are there from the beginning.
    SmallTmpfs {
        /// Pages of 4 KiB.
        pages: u32,
        /// Inodes.
        inodes: u32,
    },
    /// In a new directory below this one, removed with the machine.
    Below(PathBuf),
}

/// A new directory on somebody's disk, to be removed with the machine.
pub(super) struct Folder {
    parent: OwnedFd,
    name: String,
}

impl Folder {
    fn new(parent: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = own(rustix::fs::open(parent, flags, Mode::empty())?)?;
        Ok(Self { name: unused_name(parent)?, parent: opened })
    }

    /// With all that is in it, whether it is the root by now or not.
    pub(super) fn remove(self) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty())?;
        rustix::process::fchdir(folder)?;
        empty(".")?;
        Ok(rustix::fs::unlinkat(&self.parent, self.name, AtFlags::REMOVEDIR)?)
    }
}

/// The directory that becomes the root.
pub(super) fn root_on(disk: &Disk) -> io::Result<(PathBuf, Option<Folder>)> {
    match disk {
        Disk::Tmpfs => Ok((tmpfs(None)?, None)),
        Disk::SmallTmpfs { pages, inodes } => {
            let limits = format!("size={},nr_inodes={inodes}", pages * 4096);
            let limits = CString::new(limits).expect("numbers have no zero bytes in them");
            Ok((tmpfs(Some(&limits))?, None))
        }
        Disk::Below(parent) => {
            let folder = Folder::new(parent)?;
            Ok((parent.join(&folder.name), Some(folder)))
        }
    }
}

/// A new file system in memory.
fn tmpfs(limits: Option<&CStr>) -> io::Result<PathBuf> {
    // Hidden from this process alone: nothing there is used any more.
    let over = std::env::temp_dir();
    rustix::mount::mount("tmpfs", &over, "tmpfs", MountFlags::empty(), limits)?;
    Ok(over)
}

/// Makes a directory that nobody else has.
fn unused_name(folder: &Path) -> io::Result<String> {
    let mut number = 0;
    loop {
        let name = format!("locklab-{}-{number}", std::process::id());
        match fs::create_dir(folder.join(&name)) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// What a machine boots with.
pub(super) fn furnish(has_users: bool) -> io::Result<()> {
    let give = |path, uid: Uid| std::os::unix::fs::chown(path, Some(uid.0), Some(uid.0));
    fs::set_permissions("/", PermissionsExt::from_mode(0o755))?;
    give("/", Uid::ROOT)?;
    for (name, mode) in [("/run", 0o755), ("/tmp", 0o1777)] {
        fs::create_dir(name)?;
        fs::set_permissions(name, PermissionsExt::from_mode(mode))?;
    }
    if has_users {
        give("/run", Uid::USER)?;
    }
    Ok(())
}

/// Leaves nothing but so many empty directories.
pub(super) fn make_rooms(count: usize) -> io::Result<()> {
    empty("/")?;
    (0..count).try_for_each(|number| fs::create_dir(room(number)))
}

/// The path of one of them.
pub(super) fn room(number: usize) -> SmolStr {
    format!("/{number}").into()
}

/// Removes all that is in a directory.
pub(super) fn empty(folder: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
