use smol_str::{SmolStr, format_smolstr};

use super::{Handle, Owner};
use crate::policy::{FileLock, Publish};

/// Where a file lock's claim stands, and by whose rule.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub lock: &'a FileLock,
    pub path: &'a SmolStr,
    pub owner: &'a Owner,
}

impl<'a> Place<'a> {
    pub fn new(handle: &'a Handle, lock: &'a FileLock) -> Self {
        Self { lock, path: &handle.path, owner: &handle.owner }
    }

    /// The file that carries the record.
    pub fn record_path(&self) -> SmolStr {
        match self.lock.publish {
            Publish::CreateThenWrite | Publish::Link => self.path.clone(),
            Publish::MkdirThenWrite => format_smolstr!("{}/owner", self.path),
        }
    }

    /// Whether claims of this rule say anything of their owner.
    pub fn signs(&self) -> bool {
        !self.lock.record.is_empty()
    }
}
