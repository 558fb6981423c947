//! How far a search may go.

use crate::count::thousands;

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
