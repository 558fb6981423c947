//! Keeper takeover, in the words that all peers share.
//!
//! A dead process's claim stands at a path. Each keeper, for up to some rounds: (guarded:
//! locks the guard) creates its own claim; if one stands there it reads whose it is; is it
//! the dead one's, it (compare and guarded: reads again, and) unlinks it and creates its own.
//! Who has created one (guarded: unlocks the guard,) enters, leaves, and releases: (guarded:
//! locks the guard,) (compare and guarded: reads, and goes on if the claim is its own,)
//! unlinks (guarded: and unlocks). Then it exits. Each of these is one step.

pub use crate::takeover::Kind;

/// What a keeper does in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Lock,
    Unlock,
    Create,
    Read,
    Unlink,
    Enter,
    Leave,
    Exit,
}

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// From nought.
    pub keeper: usize,
    pub op: Op,
}

/// Who takes part, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub kind: Kind,
    pub keepers: u32,
    pub rounds: u32,
}

/// No peer has room for more.
pub const KEEPERS_MAX: usize = 4;

pub const KINDS: [Kind; 3] = [Kind::ByName, Kind::Compare, Kind::Guarded];

/// As it is said on the command line and in tables.
pub fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::ByName => "by-name",
        Kind::Compare => "compare",
        Kind::Guarded => "guarded",
    }
}

impl Case {
    /// Two to four keepers, of one round and of two.
    pub fn all_of(kind: Kind) -> [Self; 6] {
        [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)].map(|(keepers, rounds)| Self {
            kind,
            keepers,
            rounds,
        })
    }

    /// Whether two are inside at once in some run.
    pub fn falls(self) -> bool {
        self.kind != Kind::Guarded
    }
}

/// Random runs to be made, each to its end.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    pub case: Case,
    pub seed: u64,
    /// At most so many.
    pub runs: u64,
    /// Not one more than it takes for two to be inside at once.
    pub until_fall: bool,
}

/// Random runs that were made.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    pub runs: u64,
    /// Those of the protocol alone.
    pub steps: u64,
    /// What was chosen besides steps, too: who is launched, who begins to wait, who is joined.
    pub choices: u64,
    /// In how many two were inside at once.
    pub falls: u64,
    /// Of the processor.
    pub seconds: f64,
}
