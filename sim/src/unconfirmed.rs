use crate::kernel::{InodeNumbers, MachineConfig};
use crate::mishap::Mishap;
use crate::setup::{Action, Adversary, Fault};

/// What a run may rest on that no real kernel has confirmed: there is none at hand
/// that could be made to do it. What is said of it comes from documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "as_str says what they are")]
pub enum Unconfirmed {
    Sleep,
    Pause,
    Reboot,
    PowerLoss,
    ClockSet,
    FullDisk,
    IoError,
    SmallDisk,
    CoarseTimes,
    Funlinkat,
}

impl Unconfirmed {
    /// What it is, in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sleep => "a machine that sleeps",
            Self::Pause => "a paused virtual machine",
            Self::Reboot => "a reboot",
            Self::PowerLoss => "a loss of power",
            Self::ClockSet => "a clock that is set",
            Self::FullDisk => "a full disk",
            Self::IoError => "a disk that fails",
            Self::SmallDisk => "an ext4 that is soon full",
            Self::CoarseTimes => "coarse file times",
            Self::Funlinkat => "a call that Linux does not have",
        }
    }

    /// What machines are, and a story and an adversary may bring, each once.
    pub fn of(machines: &[MachineConfig], story: &[Fault], adversary: &Adversary) -> Vec<Self> {
        let mut found: Vec<Self> = machines.iter().flat_map(Self::by_machine).collect();
        found.extend(story.iter().filter_map(|fault| Self::by_action(fault.action)));
        let mishaps = adversary.mishaps;
        let granted = [
            (mishaps.sleeps, Self::Sleep),
            (mishaps.pauses, Self::Pause),
            (mishaps.reboots, Self::Reboot),
            (mishaps.power_losses, Self::PowerLoss),
            (mishaps.clock_steps, Self::ClockSet),
            (mishaps.full_disks, Self::FullDisk),
            (adversary.io_errors, Self::IoError),
        ];
        found.extend(granted.iter().filter(|(budget, _)| *budget > 0).map(|(_, it)| *it));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A tmpfs that is soon full is held against a real one.
    fn by_machine(machine: &MachineConfig) -> impl Iterator<Item = Self> {
        let is_ext4 = machine.inode_numbers == InodeNumbers::LowestFree;
        [
            (is_ext4 && machine.room.is_some(), Self::SmallDisk),
            (!machine.time_granularity.is_zero(), Self::CoarseTimes),
            (machine.funlinkat, Self::Funlinkat),
        ]
        .into_iter()
        .filter_map(|(rests, it)| rests.then_some(it))
    }

    fn by_action(action: Action) -> Option<Self> {
        Some(match action {
            Action::Machine(mishap) => match mishap {
                Mishap::Sleep(_) => Self::Sleep,
                Mishap::Pause(_) => Self::Pause,
                Mishap::Reboot => Self::Reboot,
                Mishap::PowerLoss(_) => Self::PowerLoss,
                Mishap::ClockForward(_) | Mishap::ClockBack(_) => Self::ClockSet,
                Mishap::FullDisk(_) => Self::FullDisk,
            },
            Action::FailIo(_) => Self::IoError,
            Action::Stop(_)
            | Action::Starve(_)
            | Action::Kill
            | Action::KillAndReuse(_)
            | Action::KillAndRestart(_) => return None,
        })
    }
}
