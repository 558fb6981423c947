//! Answers that are remembered.
//!
//! Most of what is asked about a state does not depend on most of it: on where other tasks
//! stand, on what else is open. So what an answer rests on is found out while it is found,
//! and it is not asked again where all of that is the same.

use locklab_sys::Fingerprint;

use super::anatomy::{Anatomy, Parts};
use super::table::Table;

/// What is known of states, by what was asked.
pub(super) struct Memo<V> {
    /// What was looked at for each question.
    looks: Table<u128, Vec<Look>>,
    /// By the sum of the number of a look and those of what was looked at.
    known: Table<u128, V>,
}

/// What was looked at for some question.
struct Look {
    parts: Parts,
    /// The places of the same.
    places: Box<[u8]>,
    /// For the question and the parts.
    number: u128,
}

impl Look {
    fn new(question: u128, parts: Parts) -> Self {
        let places = parts.places().map(|place| place as u8).collect();
        Self { parts, places, number: Fingerprint::of_state(&(question, parts)).0 }
    }

    /// Nothing if not so much is there.
    fn at(&self, here: &Anatomy) -> Option<u128> {
        let numbers = here.numbers();
        let mut all = self.places.iter().map(|place| numbers.get(usize::from(*place)));
        let begin = self.number.wrapping_add(here.rest());
        all.try_fold(begin, |sum, number| Some(sum.wrapping_add(*number?)))
    }
}

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Self { looks: Table::default(), known: Table::default() }
    }
}

impl<V> Memo<V> {
    /// The answer to a question about what is made so, if it is known.
    pub(super) fn find(&self, question: u128, here: &Anatomy) -> Option<&V> {
        let looks = self.looks.get(&question)?;
        looks.iter().find_map(|look| self.known.get(&look.at(here)?))
    }

    /// The answer is the same wherever these parts are, and the rest.
    pub(super) fn learn(&mut self, question: u128, parts: Parts, here: &Anatomy, answer: V) {
        let looks = self.looks.entry(question).or_default();
        let at = looks.iter().position(|look| look.parts == parts).unwrap_or_else(|| {
            looks.push(Look::new(question, parts));
            looks.len() - 1
        });
        self.known.extend(looks[at].at(here).map(|number| (number, answer)));
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn clear(&mut self) {
        self.looks.clear();
        self.known.clear();
    }
}
