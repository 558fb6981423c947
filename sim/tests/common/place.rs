//! Where programs run for real.

use std::fmt;
use std::fs;
use std::path::Path;

use locklab_sim::kernel::{InodeNumbers, MachineConfig, Room};
use locklab_sys::host::{Disk, Machine};

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Tmpfs,
    /// One that is soon full.
    SmallTmpfs,
    Ext4,
}

/// Of the small one.
const ROOM: Room = Room { blocks: 1, inodes: 3 + 3 };

/// `EXT4_SUPER_MAGIC`.
const EXT4: i64 = 0xef53;

/// A directory of the build, on whatever disk that is.
const SCRATCH: &str = env!("CARGO_TARGET_TMPDIR");

impl Place {
    /// The same, as the model has it, with this kernel's switches.
    pub fn config(self) -> MachineConfig {
        MachineConfig {
            inode_numbers: match self {
                Self::Tmpfs | Self::SmallTmpfs => InodeNumbers::Fresh,
                Self::Ext4 => InodeNumbers::LowestFree,
            },
            room: (self == Self::SmallTmpfs).then_some(ROOM),
            protected_hardlinks: switch("protected_hardlinks") > 0,
            protected_symlinks: switch("protected_symlinks") > 0,
            protected_regular: switch("protected_regular"),
            ..MachineConfig::default()
        }
    }

    /// A real machine there; or what this one lacks for it.
    pub fn machine(self) -> Result<Machine, String> {
        if release() < Some([6, 9]) {
            return Err("Linux 6.9: before, a pidfd has no inode of its own".to_owned());
        }
        let disk = match self {
            Self::Tmpfs => Disk::Tmpfs,
            Self::SmallTmpfs => Disk::SmallTmpfs { pages: ROOM.blocks, inodes: ROOM.inodes },
            Self::Ext4 if is_ext4(SCRATCH) => Disk::Below(SCRATCH.into()),
            Self::Ext4 => return Err(format!("ext4 at {SCRATCH}")),
        };
        let machine = Machine::boot(&disk)?;
        if machine.shows_calls().expect("a machine has a process") {
            Ok(machine)
        } else {
            Err("a view of what system call a process is in".to_owned())
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tmpfs => "tmpfs",
            Self::SmallTmpfs => "small-tmpfs",
            Self::Ext4 => "ext4",
        })
    }
}

/// A switch of `fs.`, all of which say 0 where there are none.
fn switch(name: &str) -> u8 {
    let value = fs::read_to_string(format!("/proc/sys/fs/{name}"));
    value.ok().and_then(|value| value.trim().parse().ok()).unwrap_or_default()
}

fn is_ext4(path: impl AsRef<Path>) -> bool {
    rustix::fs::statfs(path.as_ref()).is_ok_and(|it| it.f_type == EXT4)
}

/// The first two numbers of this Linux's release.
pub fn release() -> Option<[u32; 2]> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let mut numbers = release.split('.').map_while(|part| part.parse().ok());
    Some([numbers.next()?, numbers.next()?])
}
