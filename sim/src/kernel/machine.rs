use std::time::Duration;

use locklab_sys::{Clock, SmolStr};
use serde::Serialize;

use super::fs::FileSystem;
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
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct MachineConfig {
    /// Its name in schedules and traces.
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
        }
    }
}

/// A machine that runs.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Machine {
    pub(super) realtime: Duration,
    /// Since boot.
    uptime: Duration,
    pub(super) boot_id: u128,
    pub(super) pids: Pids,
    pub(super) files: FileSystem,
    pub(super) sockets: Sockets,
}

reusing_clone!(Machine { realtime, uptime, boot_id, pids, files, sockets });

impl Machine {
    pub(super) fn boot(config: &MachineConfig, index: usize, seed: u64) -> Self {
        Self {
            realtime: config.realtime,
            uptime: config.uptime,
            boot_id: random::boot_id(seed, index),
            pids: Pids::new(config.first_pid, config.pid_max),
            files: FileSystem::new(config.inode_numbers, config.realtime),
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
