use super::Polling;

/// How many pauses a wait may still have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pauses(u32);

impl Pauses {
    /// So many that they are not counted, and a wait of whatever length is where it was.
    const WITHOUT_END: Self = Self(u32::MAX);

    pub fn of(polling: Polling) -> Self {
        let pauses = polling.patience.as_nanos() / polling.every.as_nanos().max(1);
        Self(u32::try_from(pauses).unwrap_or(u32::MAX))
    }

    /// Those after the next; `None` if there may be no next.
    pub fn after_next(self) -> Option<Self> {
        match self {
            Self::WITHOUT_END => Some(self),
            Self(left) => left.checked_sub(1).map(Self),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn pauses(patience: Duration) -> Pauses {
        Pauses::of(Polling { every: Duration::from_secs(1), patience })
    }

    #[test]
    fn patience_comes_to_an_end() {
        let two = pauses(Duration::from_millis(2_500));
        let last = two.after_next().and_then(Pauses::after_next);
        assert_eq!(last, Some(Pauses(0)));
        assert_eq!(last.and_then(Pauses::after_next), None);
    }

    #[test]
    fn patience_without_end_is_not_counted() {
        let all = pauses(Duration::MAX);
        assert_eq!(all.after_next(), Some(all));
    }
}
