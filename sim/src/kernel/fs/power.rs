//! `fsync`, and what of a file system a boot finds.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::Errno;

use super::description::DescriptionId;
use super::durable::{Durable, Survivor};
use super::inode::{Content, Ino, Inode, ROOT};
use super::target::Target;
use super::{BOOT_DIRECTORIES, Caller, FileSystem, IoCall};
use crate::kernel::{Effect, MachineConfig};

impl FileSystem {
    pub(in crate::kernel) fn fsync(
        &mut self,
        mut caller: Caller<'_>,
        id: DescriptionId,
    ) -> Result<(), Errno> {
        let Target::Inode(ino) = self.opened(id) else { return Err(Errno::EINVAL) };
        let Some(disk) = &mut self.disk else { return Ok(()) };
        let done = disk.check(&mut caller, IoCall::Fsync);
        if let Some(durable) = &mut disk.durable {
            match done {
                Ok(()) => durable.sync(&self.inodes, caller.time, ino),
                Err(_) => durable.give_up(ino),
            }
        }
        done
    }

    fn durable(&mut self) -> Option<(&mut Durable, &super::Inodes)> {
        let durable = self.disk.as_mut()?.durable.as_mut()?;
        Some((durable, &self.inodes))
    }

    #[cold]
    pub(super) fn before_change(&mut self, now: Duration) {
        if let Some((durable, inodes)) = self.durable() {
            durable.before_change(inodes, now);
        }
    }

    /// An inode whose owner, mode or times are about to change.
    pub(super) fn about_to_change(&mut self, caller: &Caller<'_>, ino: Ino) -> &mut Inode {
        if self.disk.is_some() {
            self.before_change(caller.time);
        }
        self.inodes.get_mut(ino)
    }

    pub(super) fn before_overwrite(&mut self, now: Duration, ino: Ino) {
        if let Some((durable, inodes)) = self.durable() {
            durable.before_overwrite(inodes, now, ino);
        }
    }

    #[cold]
    pub(super) fn before_truncation(&mut self, caller: &Caller<'_>, ino: Ino) {
        if let Some((durable, inodes)) = self.durable() {
            durable.before_truncation(inodes, caller.time, ino);
        }
    }

    #[cold]
    pub(super) fn before_replacement(&mut self, caller: &Caller<'_>, ino: Ino) {
        if let Some((durable, inodes)) = self.durable() {
            durable.before_replacement(inodes, caller.time, ino);
        }
    }

    /// Writes everything to the disk.
    pub(in crate::kernel) fn sync_all(&mut self) {
        if let Some((durable, inodes)) = self.durable() {
            durable.sync_all(inodes);
        }
    }

    /// A machine was not running for so long: nothing was written meanwhile.
    pub(in crate::kernel) fn postpone(&mut self, by: Duration) {
        if let Some((durable, _)) = self.durable() {
            durable.postpone(by);
        }
    }

    /// The machine boots anew, after a loss of power that leaves `survivor`, or
    /// else in good order. No process has anything open.
    ///
    /// # Panics
    ///
    /// When the power is lost of a machine without a [`Durability`].
    ///
    /// [`Durability`]: super::Durability
    pub(in crate::kernel) fn reboot(
        &mut self,
        config: &MachineConfig,
        now: Duration,
        survivor: Option<Survivor>,
        effects: &mut Vec<Effect>,
    ) {
        assert!(self.open.is_empty(), "whatever was open has died");
        let before = self.made();
        let left = match (survivor, self.durable()) {
            (Some(survivor), Some((durable, inodes))) => Some(durable.lose(inodes, now, survivor)),
            (Some(_), None) => panic!("who may lose power says what it keeps"),
            (None, disk) => disk.map(|(durable, inodes)| durable.switch_off(inodes)),
        };
        if let Some(left) = left {
            // Numbers that are always fresh remain so.
            self.inodes.table = left.table;
        }
        for ((name, ..), _) in BOOT_DIRECTORIES.iter().zip(config.tmpfs()).filter(|(_, it)| *it) {
            self.empty(name);
        }
        self.inodes.mount();
        self.sync_all();
        let after = self.made();
        for lost in before.iter().filter(|made| after.binary_search(made).is_err()) {
            let (path, ino, maker) = (lost.path.clone(), lost.ino, lost.maker);
            effects.push(Effect::NameLost { path, ino, maker });
        }
        for found in after.iter().filter(|made| before.binary_search(made).is_err()) {
            let (path, ino, maker) = (found.path.clone(), found.ino, found.maker);
            effects.push(Effect::NameFound { path, ino, maker });
        }
    }

    /// Empties a boot directory.
    fn empty(&mut self, name: &str) {
        let entry = self.entries(ROOT).iter().find(|entry| entry.name == name);
        let ino = entry.expect("boot directories keep their names").ino;
        if let Content::Directory { entries, .. } = &mut self.inodes.get_mut(ino).content {
            *entries = Arc::default();
        }
    }
}
