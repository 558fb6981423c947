use std::hash::{Hash, Hasher};
use std::time::Duration;

use locklab_sys::{Clock, SmolStr};
use serde::Serialize;

use super::container::Containers;
use super::fs::{Durability, FileSystem, Room};
use super::pid::Pids;
use super::random;
use super::record::RecordLocks;
use super::reuse::reusing_clone;
use super::socket::Sockets;
use crate::part::{Owner, Part, Visitor, VisitorMut};

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

/// Who gets a pid that is used again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReusedBy {
    /// A process.
    #[default]
    Process,
    /// A thread of a process that has another pid. In a container, a process all the same.
    Thread,
}

/// What a machine is at the world's start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineConfig {
    /// Its name in schedules and traces, and its host name.
    pub name: SmolStr,
    /// How its file system numbers inodes.
    pub inode_numbers: InodeNumbers,
    /// The granularity of its file system's clock: a file time is the realtime
    /// clock rounded down to a multiple of this. Zero for none: as on Linux
    /// from 6.13, where a time that somebody has looked at is never given
    /// again. Before, it is a tick of 1, 4 or 10 ms; on ext3 1 s, on FAT 2 s.
    pub time_granularity: Duration,
    /// Whether it has FreeBSD's `funlinkat`, which no Linux has.
    pub funlinkat: bool,
    /// Pids walk up to here and wrap.
    pub pid_max: u32,
    /// The first pid given out.
    pub first_pid: u32,
    /// Who gets a pid that is used again.
    pub reused_by: ReusedBy,
    /// The realtime clock at the world's start, since 1970.
    pub realtime: Duration,
    /// The time since boot at the world's start.
    pub uptime: Duration,
    /// `fs.protected_hardlinks`: nobody links what he does not own and could not
    /// write. On, as almost everywhere.
    pub protected_hardlinks: bool,
    /// `fs.protected_symlinks`: in a sticky directory like `/tmp`, nobody follows
    /// another's link at the end of a path. On, as systemd has it.
    pub protected_symlinks: bool,
    /// `fs.protected_regular`: `O_CREAT` does not open another's file in a sticky
    /// directory like `/tmp`. 0 is off; 1 where all may write, as systemd has it; 2
    /// also where the group may.
    pub protected_regular: u8,
    /// Whether a boot finds `/run` empty, since it is a tmpfs. Until then, and for
    /// what has room or is synced, it is of one file system with the rest.
    pub run_is_tmpfs: bool,
    /// Whether a boot finds `/tmp` empty.
    pub tmp_is_tmpfs: bool,
    /// What its file system promises if it can lose its power.
    pub durability: Option<Durability>,
    /// How much room its disk has, if that is not endless.
    pub room: Option<Room>,
}

/// Switches that came later leave no trace where they are as by default, so that
/// none of them moves the seeds that are drawn from this.
impl Hash for MachineConfig {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { name, inode_numbers, pid_max, first_pid, realtime, uptime, .. } = self;
        (name, inode_numbers, pid_max, first_pid, realtime, uptime).hash(hasher);
        let standard = Self::default();
        let Self { protected_hardlinks, protected_symlinks, protected_regular, .. } = *self;
        let Self { time_granularity, funlinkat, durability, room, .. } = *self;
        if protected_hardlinks != standard.protected_hardlinks {
            ("protected-hardlinks", protected_hardlinks).hash(hasher);
        }
        if protected_symlinks != standard.protected_symlinks {
            ("protected-symlinks", protected_symlinks).hash(hasher);
        }
        if protected_regular != standard.protected_regular {
            ("protected-regular", protected_regular).hash(hasher);
        }
        if time_granularity != standard.time_granularity {
            ("time-granularity", time_granularity).hash(hasher);
        }
        if funlinkat != standard.funlinkat {
            ("funlinkat", funlinkat).hash(hasher);
        }
        if self.tmpfs() != standard.tmpfs() {
            ("tmpfs", self.tmpfs()).hash(hasher);
        }
        if durability != standard.durability {
            ("unsynced", durability).hash(hasher);
        }
        if self.reused_by != standard.reused_by {
            ("reused-by", self.reused_by).hash(hasher);
        }
        if room != standard.room {
            ("room", room).hash(hasher);
        }
    }
}

impl Default for MachineConfig {
    fn default() -> Self {
        Self {
            name: SmolStr::new_static("box"),
            inode_numbers: InodeNumbers::LowestFree,
            time_granularity: Duration::ZERO,
            funlinkat: false,
            pid_max: 32_768,
            first_pid: 1_000,
            reused_by: ReusedBy::Process,
            realtime: Duration::from_secs(1_700_000_000),
            uptime: Duration::from_secs(1_000),
            protected_hardlinks: true,
            protected_symlinks: true,
            protected_regular: 1,
            run_is_tmpfs: true,
            tmp_is_tmpfs: false,
            durability: None,
            room: None,
        }
    }
}

impl MachineConfig {
    /// Which of the boot directories are emptied by a boot.
    pub(super) fn tmpfs(&self) -> [bool; 2] {
        [self.run_is_tmpfs, self.tmp_is_tmpfs]
    }
}

/// Why a machine does not run though it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rest {
    /// It is suspended: its realtime and boottime clocks go on, its monotonic
    /// clock and whatever waits by it stand still. (clock_gettime(2))
    Asleep,
    /// It is a virtual machine, and paused: all its clocks stand still, and its
    /// realtime stays behind until somebody sets it.
    Paused,
}

/// What has become of a machine that has not simply run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Past {
    pub(super) boots: u32,
    /// Since the last of them.
    slept: Duration,
    pub(super) rest: Option<Rest>,
}

const TICKS_PER_SECOND: u64 = 100;

/// A machine that runs.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Machine {
    pub(super) hostname: SmolStr,
    pub(super) realtime: Duration,
    /// Since boot.
    uptime: Duration,
    pub(super) boot_id: u128,
    /// Whether there is such a call.
    pub(super) funlinkat: bool,
    pub(super) pids: Part<Pids>,
    pub(super) containers: Part<Containers>,
    pub(super) files: FileSystem,
    pub(super) sockets: Part<Sockets>,
    /// None for a machine that has run ever since the world began.
    pub(super) past: Option<Box<Past>>,
    pub(super) records: Part<RecordLocks>,
}

reusing_clone!(Machine {
    hostname,
    realtime,
    uptime,
    boot_id,
    funlinkat,
    pids,
    containers,
    files,
    sockets,
    past,
    records
});

impl Machine {
    pub(super) fn boot(config: &MachineConfig, index: usize, seed: u64) -> Self {
        Self {
            hostname: config.name.clone(),
            realtime: config.realtime,
            uptime: config.uptime,
            boot_id: random::boot_id(seed, index, 0),
            funlinkat: config.funlinkat,
            pids: Part::new(Pids::new(config.first_pid, config.pid_max)),
            containers: Part::default(),
            files: FileSystem::new(config),
            sockets: Part::default(),
            past: None,
            records: Part::default(),
        }
    }

    pub(super) fn visit(&self, visitor: &mut impl Visitor) {
        let Self {
            hostname,
            realtime,
            uptime,
            boot_id,
            funlinkat,
            pids,
            containers,
            files,
            sockets,
            past,
            records,
        } = self;
        visitor.rest(&(hostname, realtime, uptime, boot_id, funlinkat, past));
        visitor.part(pids, Owner::Nobody);
        visitor.part(containers, Owner::Nobody);
        visitor.part(sockets, Owner::Nobody);
        visitor.part(records, Owner::Nobody);
        files.visit(visitor);
    }

    pub(super) fn visit_mut(&mut self, visitor: &mut impl VisitorMut) {
        visitor.part(&mut self.pids);
        visitor.part(&mut self.containers);
        visitor.part(&mut self.sockets);
        visitor.part(&mut self.records);
        self.files.visit_mut(visitor);
    }

    pub(super) fn pass(&mut self, time: Duration) {
        if let Some(past) = &mut self.past {
            match past.rest {
                Some(Rest::Asleep) => past.slept += time,
                Some(Rest::Paused) => return,
                None => {}
            }
        }
        self.realtime += time;
        self.uptime += time;
    }

    /// Its clocks and its boot id begin again.
    pub(super) fn begin_again(&mut self, config: &MachineConfig, index: usize, seed: u64) {
        let boots = self.past.as_ref().map_or(0, |past| past.boots) + 1;
        self.past = Some(Box::new(Past { boots, ..Past::default() }));
        self.uptime = Duration::ZERO;
        self.boot_id = random::boot_id(seed, index, boots);
        self.pids.put(Pids::new(config.first_pid, config.pid_max));
        self.containers.put(Containers::default());
    }

    /// Whether it has neither containers nor sockets nor record locks, nor a disk that fails.
    pub(super) fn has_only_files(&self) -> bool {
        self.containers == Part::default()
            && self.sockets == Part::default()
            && self.records == Part::default()
            && self.files.is_ordinary()
    }

    /// Since boot.
    pub(super) fn uptime(&self) -> Duration {
        self.uptime
    }

    pub(super) fn set_uptime(&mut self, uptime: Duration) {
        self.uptime = uptime;
    }

    /// The uptime at this tick, as far into it as it now is; what it is if that is
    /// earlier.
    pub(super) fn uptime_at_tick(&self, tick: u64) -> Duration {
        let later = self.ticks().saturating_sub(tick);
        self.uptime - Duration::from_millis(later * 1000 / TICKS_PER_SECOND)
    }

    /// Whether its clocks that count from the boot differ.
    pub(super) fn has_slept(&self) -> bool {
        self.slept() > Duration::ZERO
    }

    fn slept(&self) -> Duration {
        self.past.as_ref().map_or(Duration::ZERO, |past| past.slept)
    }

    pub(super) fn clock(&self, clock: Clock) -> Duration {
        match clock {
            Clock::Realtime => self.realtime,
            Clock::Monotonic => self.uptime - self.slept(),
            Clock::Boottime => self.uptime,
        }
    }

    /// The time since boot as `/proc` counts it.
    pub(super) fn ticks(&self) -> u64 {
        let within = u64::from(self.uptime.subsec_millis()) * TICKS_PER_SECOND / 1000;
        self.uptime.as_secs() * TICKS_PER_SECOND + within
    }
}
