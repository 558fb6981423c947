use std::hash::{Hash, Hasher};
use std::time::Duration;

use locklab_sys::{Clock, SmolStr};
use serde::Serialize;

use super::container::Containers;
use super::fs::{FileSystem, Protections};
use super::pid::Pids;
use super::random;
use super::reuse::reusing_clone;
use super::socket::Sockets;

/// How a machine's file system numbers inodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InodeNumbers {
    /// The lowest free number, as ext4 does: a new file often has the number
    /// of the one just removed.
    #[default]
    LowestFree,
    /// Always a fresh number, as tmpfs does.
    Fresh,
}

/// What a machine is at the world's start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineConfig {
    /// Its name in schedules and traces, and its host name.
    pub name: SmolStr,
    /// How its file system numbers inodes.
    pub inode_numbers: InodeNumbers,
    /// Pids walk up to here and wrap.
    pub pid_max: u32,
    /// The first pid given out.
    pub first_pid: u32,
    /// The realtime clock at the world's start, since 1970.
    pub realtime: Duration,
    /// The time since boot at the world's start.
    pub uptime: Duration,
    /// `fs.protected_hardlinks`: nobody links what he does not own and could not
    /// write. On, as almost everywhere.
    pub protected_hardlinks: bool,
    /// `fs.protected_regular`: `O_CREAT` does not open another's file in a sticky
    /// directory like `/tmp`. 0 is off; 1 where all may write, as systemd has it; 2
    /// also where the group may.
    pub protected_regular: u8,
}

/// Switches that came later leave no trace where they are as by default, so that
/// none of them moves the seeds that are drawn from this.
impl Hash for MachineConfig {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { name, inode_numbers, pid_max, first_pid, realtime, uptime, .. } = self;
        (name, inode_numbers, pid_max, first_pid, realtime, uptime).hash(hasher);
        let standard = Self::default();
        let Self { protected_hardlinks, protected_regular, .. } = *self;
        if protected_hardlinks != standard.protected_hardlinks {
            ("protected-hardlinks", protected_hardlinks).hash(hasher);
        }
        if protected_regular != standard.protected_regular {
            ("protected-regular", protected_regular).hash(hasher);
        }
    }
}

impl Default for MachineConfig {
    fn default() -> Self {
        Self {
            name: SmolStr::new_static("box"),
            inode_numbers: InodeNumbers::LowestFree,
            pid_max: 32_768,
            first_pid: 1_000,
            realtime: Duration::from_secs(1_700_000_000),
            uptime: Duration::from_secs(1_000),
            protected_hardlinks: true,
            protected_regular: 1,
        }
    }
}

/// A machine that runs.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Machine {
    pub(super) hostname: SmolStr,
    pub(super) realtime: Duration,
    /// Since boot.
    uptime: Duration,
    pub(super) boot_id: u128,
    pub(super) pids: Pids,
    pub(super) containers: Containers,
    pub(super) files: FileSystem,
    pub(super) sockets: Sockets,
}

reusing_clone!(Machine { hostname, realtime, uptime, boot_id, pids, containers, files, sockets });

impl Machine {
    pub(super) fn boot(config: &MachineConfig, index: usize, seed: u64) -> Self {
        let protections = Protections {
            hardlinks: config.protected_hardlinks,
            regular: config.protected_regular,
        };
        Self {
            hostname: config.name.clone(),
            realtime: config.realtime,
            uptime: config.uptime,
            boot_id: random::boot_id(seed, index),
            pids: Pids::new(config.first_pid, config.pid_max),
            containers: Containers::default(),
            files: FileSystem::new(config.inode_numbers, protections, config.realtime),
            sockets: Sockets::default(),
        }
    }

    pub(super) fn pass(&mut self, time: Duration) {
        self.realtime += time;
        self.uptime += time;
    }

    pub(super) fn clock(&self, clock: Clock) -> Duration {
        match clock {
            Clock::Realtime => self.realtime,
            Clock::Monotonic | Clock::Boottime => self.uptime,
        }
    }

    /// The time since boot as `/proc` counts it.
    pub(super) fn ticks(&self) -> u64 {
        const TICKS_PER_SECOND: u64 = 100;
        let within = u64::from(self.uptime.subsec_millis()) * TICKS_PER_SECOND / 1000;
        self.uptime.as_secs() * TICKS_PER_SECOND + within
    }
}
