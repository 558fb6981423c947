use std::time::Duration;

use locklab_models::Period;
use serde::de::{Deserialize, Deserializer, Error};

/// By how much a clock is set: forward, or with `-` before it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClockStep {
    Forward(Duration),
    Back(Duration),
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
