//! How many states each peer is known to see. Whatever changes one has changed the work.

use crate::protocol::{Case, Kind};

pub struct Known {
    /// To locklab, as it searches by default.
    pub locklab: u64,
    /// To stateright, and to Spin when it leaves nothing out.
    pub bare: u64,
    /// To Spin with its partial-order reduction.
    pub reduced: u64,
}

pub fn states(case: Case) -> Known {
    let (locklab, bare, reduced) = match (case.kind, case.keepers, case.rounds) {
        (Kind::ByName, 2, 1) => (143, 128, 120),
        (Kind::ByName, 2, 2) => (163, 146, 138),
        (Kind::ByName, 3, 1) => (2_294, 1_783, 1_555),
        (Kind::ByName, 3, 2) => (3_098, 2_461, 2_188),
        (Kind::ByName, 4, 1) => (34_503, 22_958, 18_644),
        (Kind::ByName, 4, 2) => (55_175, 38_728, 32_480),
        (Kind::Compare, 2, 1) => (228, 185, 183),
        (Kind::Compare, 2, 2) => (252, 207, 205),
        (Kind::Compare, 3, 1) => (5_271, 3_101, 2_996),
        (Kind::Compare, 3, 2) => (6_543, 4_073, 3_959),
        (Kind::Compare, 4, 1) => (123_522, 48_457, 45_339),
        (Kind::Compare, 4, 2) => (169_306, 75_239, 71_327),
        (Kind::Guarded, 2, 1) => (99, 111, 87),
        (Kind::Guarded, 2, 2) => (141, 149, 123),
        (Kind::Guarded, 3, 1) => (651, 793, 439),
        (Kind::Guarded, 3, 2) => (1_299, 1_483, 919),
        (Kind::Guarded, 4, 1) => (3_977, 4_885, 1_865),
        (Kind::Guarded, 4, 2) => (10_537, 12_441, 5_749),
        _ => unreachable!("nobody asks for {case:?}"),
    };
    Known { locklab, bare, reduced }
}
