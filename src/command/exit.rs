use std::process::ExitCode;

/// How the program exits. Of several, the worst counts: the order is that of
/// the variants, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: all is as expected; for a single run, nothing fell.
    AsExpected,
    /// 3: nothing ran, because nothing matched, or this machine does not allow it.
    NothingRan,
    /// 4: nothing can be said, where something was expected.
    Inconclusive,
    /// 1: a violation, or an expectation that is not met.
    Violated,
    /// 5: a schedule that no longer fits.
    Stale,
    /// 2: bad input or usage.
    BadInput,
    /// 101: a fault of locklab, as a simulation with which Linux does not agree, or a proof
    /// that a random run contradicts; or its answer could not be written.
    Fault,
}

impl Exit {
    /// The number that the shell sees.
    pub const fn code(self) -> u8 {
        match self {
            Self::AsExpected => 0,
            Self::Violated => 1,
            Self::BadInput => 2,
            Self::NothingRan => 3,
            Self::Inconclusive => 4,
            Self::Stale => 5,
            Self::Fault => 101,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn of_several_the_worst_counts() {
        use Exit::{AsExpected, BadInput, Fault, Inconclusive, NothingRan, Stale, Violated};
        let best_first = [AsExpected, NothingRan, Inconclusive, Violated, Stale, BadInput, Fault];
        assert!(best_first.is_sorted());
        assert_eq!(best_first.map(Exit::code), [0, 3, 4, 1, 5, 2, 101]);
    }
}
