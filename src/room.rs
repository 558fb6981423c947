//! How far a search may go.

use locklab_sim::Cut;

use crate::count::{counted, thousands};

/// How far a search may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// It sees so many states.
    pub states: u64,
    /// It takes so many bytes, about.
    pub memory: u64,
}

impl Room {
    /// What a search may take where nothing else is said: a machine that is there to be
    /// worked on has more.
    pub const MEMORY: u64 = 4 << 30;
}

/// For so many states.
impl From<u64> for Room {
    fn from(states: u64) -> Self {
        Self { states, memory: Self::MEMORY }
    }
}

/// An amount of memory, in words.
pub(crate) fn mib(bytes: u64) -> String {
    format!("{} MiB", thousands(bytes >> 20))
}

/// Why a search has not seen all there is, in words.
pub(crate) fn told(cut: Cut, room: Room) -> String {
    match cut {
        Cut::States => format!("there are more than {}", counted(room.states, "state")),
        Cut::Memory => format!("all states would take more memory than {}", mib(room.memory)),
        Cut::Horizon => "some runs were cut off by the horizon".to_owned(),
        Cut::Steps => "some runs were cut off by the bound on steps".to_owned(),
        Cut::Interrupted => "the search was interrupted".to_owned(),
    }
}

/// Every reason of that kind.
pub(crate) fn cuts(room: Room) -> Vec<String> {
    let all = [Cut::States, Cut::Memory, Cut::Horizon, Cut::Steps, Cut::Interrupted];
    all.map(|cut| told(cut, room)).to_vec()
}
