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
}

impl Stale {
    /// The word that stands for it, without the duration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Age(_) => "age",
            Self::Dead => "dead",
        }
    }
}

impl<'de> Deserialize<'de> for Stale {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, &["never", "age", "dead"], |word, period| match (word, period) {
            ("never", None) => Some(Self::Never),
            ("age", Some(limit)) => Some(Self::Age(limit)),
            ("dead", None) => Some(Self::Dead),
            _ => None,
        })
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
