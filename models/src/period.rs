use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A length of time as people write it: `30s`, `1m 30s`. More than nothing,
/// at most ten years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period(Duration);

impl Period {
    const MAX: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

    /// So many seconds; from 1 to ten years.
    pub(crate) const fn seconds(seconds: u64) -> Self {
        let duration = Duration::from_secs(seconds);
        assert!(seconds > 0 && seconds <= Self::MAX.as_secs());
        Self(duration)
    }

    /// The same as a plain duration.
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

impl FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let duration = humantime::parse_duration(text)
            .map_err(|_| format!("`{text}` is no duration; write `30s` or `1m 30s`"))?;
        if duration.is_zero() {
            return Err(format!("a duration of `{text}` is none at all"));
        }
        if duration > Self::MAX {
            return Err(format!("`{text}` is longer than ten years, 3,650 days"));
        }
        Ok(Self(duration))
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Period;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"30s\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Period, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Visitor)
    }
}

impl Serialize for Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A length of time as people write it, or `0s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(Duration);

impl Moment {
    /// The same as a plain duration.
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if humantime::parse_duration(&text) == Ok(Duration::ZERO) {
            return Ok(Self::default());
        }
        text.parse().map(|period: Period| Self(period.get())).map_err(de::Error::custom)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
