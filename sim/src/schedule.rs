use std::fmt;
use std::str::FromStr;

use locklab_sys::SmolStr;

use crate::choice::Choice;
use crate::world::{Offer, World};

/// The choices that make a run what it is, by name: one shell-safe word.
///
/// What goes without saying is left out: a step or a jump that was the only
/// choice there was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schedule(Vec<Entry>);

/// A choice, so many times in a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    pub(crate) name: SmolStr,
    pub(crate) times: u32,
}

impl Schedule {
    /// The schedule of a run that makes these choices from `world` on, and
    /// leaves it where they lead.
    ///
    /// # Panics
    ///
    /// When they are not of this world.
    pub fn of(world: &mut World, path: &[Choice]) -> Self {
        let mut schedule = Self::default();
        let mut offer = Offer::default();
        for choice in path {
            world.offer(&mut offer);
            if offer.goes_without_saying() {
                assert_eq!(offer.steps[0], *choice, "the path was made in this world");
            } else {
                schedule.push(world.name(*choice));
            }
            world.apply(*choice);
        }
        schedule
    }

    fn push(&mut self, name: SmolStr) {
        match self.0.last_mut() {
            Some(last) if last.name == name => last.times += 1,
            _ => self.0.push(Entry { name, times: 1 }),
        }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.0
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("-");
        }
        for (index, entry) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}", entry.name)?;
            if entry.times > 1 {
                write!(f, "={}", entry.times)?;
            }
        }
        Ok(())
    }
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSchedule {
    /// The part of the text that is wrong.
    pub word: String,
    /// What is wrong with it.
    pub message: &'static str,
}

impl fmt::Display for BadSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.word, self.message)
    }
}

impl std::error::Error for BadSchedule {}

impl FromStr for Schedule {
    type Err = BadSchedule;

    fn from_str(text: &str) -> Result<Self, BadSchedule> {
        if text == "-" {
            return Ok(Self::default());
        }
        text.split(',').map(entry).collect::<Result<_, _>>().map(Self)
    }
}

fn entry(word: &str) -> Result<Entry, BadSchedule> {
    let bad = |message| BadSchedule { word: word.to_owned(), message };
    let (name, times) = match word.rsplit_once('=') {
        Some((name, times)) => {
            let times =
                times.parse().map_err(|_| bad("is not repeated a whole number of times"))?;
            (name, times)
        }
        None => (word, 1),
    };
    if name.is_empty() {
        return Err(bad("names no choice"));
    }
    if times == 0 {
        return Err(bad("is repeated no times"));
    }
    Ok(Entry { name: name.into(), times })
}
