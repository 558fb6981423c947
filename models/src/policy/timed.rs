use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::Period;

/// When a claim may be taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stale {
    /// Never.
    Never,
    /// Once its file time is older than this, by the realtime clock.
    Age(Period),
    /// Once the owner in its record is provably gone.
    Dead,
    /// Once the owner in its record is provably gone, or its file time is older than this.
    DeadOrAge(Period),
    /// Once its file time is older than this. The holder touches it while it works, three
    /// times as often.
    Heartbeat(Period),
    /// Once an observer has seen the same record for longer than this, by its own monotonic
    /// clock.
    ObservedUnchanged(Period),
}

impl Stale {
    /// The word that stands for it, without the duration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Age(_) => "age",
            Self::Dead => "dead",
            Self::DeadOrAge(_) => "dead-or-age",
            Self::Heartbeat(_) => "heartbeat",
            Self::ObservedUnchanged(_) => "observed-unchanged",
        }
    }

    /// Every word, in the order in which they are told.
    pub(super) const WORDS: &'static [&'static str] =
        &["never", "age", "dead", "dead-or-age", "heartbeat", "observed-unchanged"];

    /// The choice of this word, if that has a duration exactly if one is given.
    pub(super) fn called(word: &str, period: Option<Period>) -> Option<Self> {
        match (word, period) {
            ("never", None) => Some(Self::Never),
            ("age", Some(limit)) => Some(Self::Age(limit)),
            ("dead", None) => Some(Self::Dead),
            ("dead-or-age", Some(limit)) => Some(Self::DeadOrAge(limit)),
            ("heartbeat", Some(limit)) => Some(Self::Heartbeat(limit)),
            ("observed-unchanged", Some(limit)) => Some(Self::ObservedUnchanged(limit)),
            _ => None,
        }
    }

    /// After how long a claim may be taken over, if that is asked.
    pub const fn limit(self) -> Option<Period> {
        match self {
            Self::Never | Self::Dead => None,
            Self::Age(limit)
            | Self::DeadOrAge(limit)
            | Self::Heartbeat(limit)
            | Self::ObservedUnchanged(limit) => Some(limit),
        }
    }

    /// Whether the owner in the record is asked after.
    pub const fn asks_owner(self) -> bool {
        matches!(self, Self::Dead | Self::DeadOrAge(_))
    }

    /// Whether a claim's file time is compared with the realtime clock.
    pub const fn asks_file_time(self) -> bool {
        matches!(self, Self::Age(_) | Self::DeadOrAge(_) | Self::Heartbeat(_))
    }
}

impl<'de> Deserialize<'de> for Stale {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, Self::WORDS, Self::called)
    }
}

/// What becomes of a claim without a readable record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unsigned {
    /// It counts as held.
    Held,
    /// It may be removed once its file time is older than this.
    DebrisAfter(Period),
    /// It may be removed at once.
    DebrisAtOnce,
}

impl Unsigned {
    /// The word that stands for it, without the duration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::DebrisAfter(_) => "debris-after",
            Self::DebrisAtOnce => "debris-at-once",
        }
    }
}

impl<'de> Deserialize<'de> for Unsigned {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let words = &["held", "debris-after", "debris-at-once"];
        read(from, words, |word, period| match (word, period) {
            ("held", None) => Some(Self::Held),
            ("debris-after", Some(limit)) => Some(Self::DebrisAfter(limit)),
            ("debris-at-once", None) => Some(Self::DebrisAtOnce),
            _ => None,
        })
    }
}

/// A choice as a file tells it: `"dead"`, or `{ age = "30s" }`.
struct Told {
    word: String,
    period: Option<Period>,
}

/// Reads one of `words`, where `choice` knows which of them have a duration.
fn read<'de, D: Deserializer<'de>, T>(
    from: D,
    words: &'static [&'static str],
    choice: impl Fn(&str, Option<Period>) -> Option<T>,
) -> Result<T, D::Error> {
    let Told { word, period } = Told::deserialize(from)?;
    if !words.contains(&word.as_str()) {
        return Err(D::Error::unknown_variant(&word, words));
    }
    choice(&word, period).ok_or_else(|| {
        D::Error::custom(match period {
            None => format!("`{word}` needs a duration: `{{ {word} = \"30s\" }}`"),
            Some(_) => format!("`{word}` takes no duration: `\"{word}\"`"),
        })
    })
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ToldVisitor;

        impl<'de> Visitor<'de> for ToldVisitor {
            type Value = Told;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word, or a word with a duration such as `{ age = \"30s\" }`")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Told, E> {
                Ok(Told { word: word.to_owned(), period: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Told, A::Error> {
                let Some((word, period)) = map.next_entry()? else {
                    return Err(A::Error::invalid_length(0, &self));
                };
                if map.next_key::<String>()?.is_some() {
                    return Err(A::Error::custom("only one of them can be chosen"));
                }
                Ok(Told { word, period: Some(period) })
            }
        }

        from.deserialize_any(ToldVisitor)
    }
}
