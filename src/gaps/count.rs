use std::fmt;

use super::Gaps;

/// How many gaps there are, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// At so many places one stop suffices.
    Places {
        /// At least.
        min: u64,
        /// At most.
        max: u64,
    },
    /// Something falls though nobody is stopped.
    NoStopNeeded,
}

/// What a change of a rule has made of its gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// There were some, and are none.
    Closed,
    /// There are fewer.
    Narrowed,
    /// There were none, and are some.
    Opened,
    /// There are more.
    Widened,
}

impl Gaps {
    /// How many there are; nothing if not even the places are known.
    pub fn count(&self) -> Option<Count> {
        if self.unstopped.is_some() {
            return Some(Count::NoStopNeeded);
        }
        let min = self.open.len() as u64;
        self.reason.is_none().then_some(Count::Places { min, max: min + self.unclear })
    }
}

impl Count {
    const NONE: Self = Self::Places { min: 0, max: 0 };

    /// What has become of them; nothing if there are as many, or nobody knows.
    pub fn trend_to(self, after: Self) -> Option<Trend> {
        if after.is_surely_less_than(self) {
            Some(if after == Self::NONE { Trend::Closed } else { Trend::Narrowed })
        } else if self.is_surely_less_than(after) {
            Some(if self == Self::NONE { Trend::Opened } else { Trend::Widened })
        } else {
            None
        }
    }

    fn is_surely_less_than(self, other: Self) -> bool {
        match (self, other) {
            (Self::Places { max, .. }, Self::Places { min, .. }) => max < min,
            (Self::Places { .. }, Self::NoStopNeeded) => true,
            (Self::NoStopNeeded, _) => false,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Places { min, max } if min == max => write!(f, "{min}"),
            Self::Places { min, max } => write!(f, "{min} to {max}"),
            Self::NoStopNeeded => f.write_str("no stop needed"),
        }
    }
}

impl fmt::Display for Trend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "closed",
            Self::Narrowed => "narrowed, not closed",
            Self::Opened => "opened",
            Self::Widened => "widened",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_no_trend() {
        let places = |min, max| Count::Places { min, max };
        for (before, after, trend) in [
            (places(4, 4), places(1, 1), Some(Trend::Narrowed)),
            (places(4, 4), places(1, 3), Some(Trend::Narrowed)),
            (places(4, 4), places(1, 4), None),
            (places(1, 1), places(0, 0), Some(Trend::Closed)),
            (places(2, 3), places(0, 1), Some(Trend::Narrowed)),
            (places(0, 0), places(2, 5), Some(Trend::Opened)),
            (places(0, 1), places(2, 2), Some(Trend::Widened)),
            (places(2, 2), places(2, 2), None),
            (Count::NoStopNeeded, places(3, 3), Some(Trend::Narrowed)),
            (Count::NoStopNeeded, places(0, 0), Some(Trend::Closed)),
            (places(3, 9), Count::NoStopNeeded, Some(Trend::Widened)),
            (Count::NoStopNeeded, Count::NoStopNeeded, None),
        ] {
            assert_eq!(before.trend_to(after), trend, "{before} → {after}");
        }
    }
}
