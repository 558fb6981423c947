use std::time::Duration;

use locklab_models::Period;
use serde::de::{Deserialize, Deserializer, Error};

/// A length of time as people write it, or `0s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment(pub Duration);

/// By how much a clock is set: forward, or with `-` before it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClockStep {
    Forward(Duration),
    Back(Duration),
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if humantime::parse_duration(&text) == Ok(Duration::ZERO) {
            return Ok(Self(Duration::ZERO));
        }
        period(&text).map(Self)
    }
}

impl<'de> Deserialize<'de> for ClockStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.strip_prefix('-') {
            Some(back) => period(back).map(Self::Back),
            None => period(&text).map(Self::Forward),
        }
    }
}

fn period<E: Error>(text: &str) -> Result<Duration, E> {
    text.parse().map(Period::get).map_err(E::custom)
}
