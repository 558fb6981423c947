use locklab_sys::Sys;
use smol_str::{SmolStr, format_smolstr};

use super::{Handle, Owner};
use crate::policy::{FileLock, Publish, Reentry, Release};

/// Where a file lock's claim stands, and by whose rule.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub lock: &'a FileLock,
    pub path: &'a SmolStr,
    pub owner: &'a Owner,
    /// Whether a claim that names the own pid is the own claim.
    pub own_pid: bool,
    /// Whether it is the guard of another claim: stories speak of the claim.
    pub is_guard: bool,
}

impl<'a> Place<'a> {
    pub fn new(handle: &'a Handle, lock: &'a FileLock) -> Self {
        let own_pid = handle.policy.reentry == Reentry::OwnPid;
        Self { lock, path: &handle.path, owner: &handle.owner, own_pid, is_guard: false }
    }

    /// Says where the process is, for a story to come in.
    pub fn point(&self, sys: &Sys, name: &'static str) {
        if !self.is_guard {
            sys.point(name);
        }
    }

    /// What only its owner knows of, until it is put at the path.
    pub fn private_path(&self) -> SmolStr {
        format_smolstr!("{}.{}", self.path, self.owner.pid())
    }

    /// Whether the release will ask for the inode of the own claim.
    pub fn remembers_inode(&self) -> bool {
        self.lock.release == Release::OwnInode
    }

    /// Whether the release will ask for a descriptor of the own claim.
    pub fn keeps_descriptor(&self) -> bool {
        self.lock.release == Release::OwnDescriptor
    }

    /// The file that carries the record.
    pub fn record_path(&self) -> SmolStr {
        match self.lock.publish {
            Publish::CreateThenWrite
            | Publish::Link
            | Publish::Symlink
            | Publish::RenameDirectory
            | Publish::Numbered => self.path.clone(),
            Publish::MkdirThenWrite => format_smolstr!("{}/owner", self.path),
        }
    }

    /// Whether claims of this rule say anything of their owner.
    pub fn signs(&self) -> bool {
        !self.lock.record.is_empty()
    }
}
