use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::kernel::Survivor;
use crate::seconds::Seconds;

/// What happens to a whole machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mishap {
    /// It is suspended for this long.
    Sleep(Duration),
    /// It is a virtual machine, and paused for this long.
    Pause(Duration),
    /// It boots anew, in good order.
    Reboot,
    /// It loses its power, or its kernel panics, and it boots anew.
    PowerLoss(Survivor),
    /// Its realtime clock is set forward.
    ClockForward(Duration),
    /// Its realtime clock is set back.
    ClockBack(Duration),
    /// Its disk has no more room for this long.
    FullDisk(Duration),
}

/// How often each may happen where a strategy likes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Budgets {
    /// Suspensions, each up to some critical instant.
    pub sleeps: u32,
    /// Pauses of a virtual machine, likewise.
    pub pauses: u32,
    /// Reboots in good order.
    pub reboots: u32,
    /// Losses of power.
    pub power_losses: u32,
    /// Steps of a realtime clock, by an [hour](Mishap::STEP) forward or back.
    pub clock_steps: u32,
    /// Disks without room, [for a while](Mishap::WHILE_FULL).
    pub full_disks: u32,
}

impl Mishap {
    /// How far an adversary sets a clock: as a wrong daylight saving does.
    pub const STEP: Duration = Duration::from_secs(60 * 60);

    /// How long an adversary keeps a disk full.
    pub const WHILE_FULL: Duration = Duration::from_secs(10);

    /// The budget that it is taken from.
    pub fn budget(self, budgets: &mut Budgets) -> &mut u32 {
        match self {
            Self::Sleep(_) => &mut budgets.sleeps,
            Self::Pause(_) => &mut budgets.pauses,
            Self::Reboot => &mut budgets.reboots,
            Self::PowerLoss(_) => &mut budgets.power_losses,
            Self::ClockForward(_) | Self::ClockBack(_) => &mut budgets.clock_steps,
            Self::FullDisk(_) => &mut budgets.full_disks,
        }
    }
}

/// As schedules call it.
impl fmt::Display for Mishap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Sleep(time) => write!(f, "sleep.{}", Seconds(time)),
            Self::Pause(time) => write!(f, "pause.{}", Seconds(time)),
            Self::Reboot => f.write_str("reboot"),
            Self::PowerLoss(survivor) => write!(f, "power-loss.{}", survivor.as_str()),
            Self::ClockForward(time) => write!(f, "clock-forward.{}", Seconds(time)),
            Self::ClockBack(time) => write!(f, "clock-back.{}", Seconds(time)),
            Self::FullDisk(time) => write!(f, "full-disk.{}", Seconds(time)),
        }
    }
}
