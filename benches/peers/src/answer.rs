//! The whole answer: every state of a case, as each peer sees it.

use crate::known::states;
use crate::peer::spin::Verifier;
use crate::peer::{locklab, stateright};
use crate::protocol::Case;
use locklab_sim::Reductions;

/// Who can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    Locklab,
    Stateright,
    Spin,
    /// With its partial-order reduction.
    SpinReduced,
}

impl Peer {
    pub const ALL: [Self; 4] = [Self::Locklab, Self::Stateright, Self::Spin, Self::SpinReduced];

    pub fn name(self) -> &'static str {
        match self {
            Self::Locklab => "locklab",
            Self::Stateright => "stateright",
            Self::Spin => "Spin",
            Self::SpinReduced => "Spin, reduced",
        }
    }

    pub fn is_spin(self) -> bool {
        matches!(self, Self::Spin | Self::SpinReduced)
    }
}

/// What a peer has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub states: u64,
    /// Whether two were inside at once in some of them.
    pub fell: bool,
}

/// What a peer of this process answers.
pub fn ask(peer: Peer, case: Case) -> Answer {
    let (states, fell) = match peer {
        Peer::Locklab => {
            let explored = locklab::search(case, Reductions::TIMED);
            assert!(explored.is_complete(), "{case:?}: {:?}", explored.cut);
            (explored.states, explored.falls[0].is_some())
        }
        Peer::Stateright => stateright::search(case),
        Peer::Spin | Peer::SpinReduced => unreachable!("Spin is no part of this process"),
    };
    Answer { states, fell }
}

impl Answer {
    /// What `ask` gave in another process, or a verifier has printed.
    pub fn read(peer: Peer, printed: &str) -> Option<Self> {
        if peer.is_spin() {
            return Verifier::read(printed).map(|(states, fell)| Self { states, fell });
        }
        let (states, fell) = printed.trim().split_once(' ')?;
        Some(Self { states: states.parse().ok()?, fell: fell.parse().ok()? })
    }

    /// Whether it is the answer that is known.
    pub fn check(self, peer: Peer, case: Case) -> Result<(), String> {
        let known = states(case);
        let states = match peer {
            Peer::Locklab => known.locklab,
            Peer::Stateright | Peer::Spin => known.bare,
            Peer::SpinReduced => known.reduced,
        };
        let expected = Self { states, fell: case.falls() };
        if self == expected {
            return Ok(());
        }
        Err(format!("{}, {case:?}: {self:?}, expected was {expected:?}", peer.name()))
    }
}
