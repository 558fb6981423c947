//! What comes of choices, in numbers.

use super::anatomy::{Anatomy, Name};
use locklab_sys::Fingerprint;

/// What came of a choice.
pub(super) struct Outcome {
    /// What it told of, but for what who watches makes of it.
    pub(super) news: News,
    /// The places of parts that are others than before, and their numbers.
    changed: Box<[(u8, u128)]>,
    /// If the rest is another than before.
    moved: Option<Moved>,
}

/// What a choice told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct News {
    /// Whether that was nothing but where programs stand.
    pub(super) is_silent: bool,
    /// What is told to who watches, if anything is.
    pub(super) told: Option<Fingerprint>,
}

/// Another rest, in which there may be other parts.
struct Moved {
    rest: u128,
    /// Of each part which part it was, if it is the same.
    was: Box<[Option<u8>]>,
}

impl Outcome {
    /// Of `before`, whose parts have these names, has become `after`.
    pub(super) fn new(
        news: News,
        (before, before_names): (&Anatomy, &[Name]),
        (after, after_names): (&Anatomy, &[Name]),
    ) -> Self {
        let was = same((before, before_names), (after, after_names));
        let places = was.iter().zip(0..).filter(|(was, _)| was.is_none());
        Self {
            news,
            changed: places.map(|(_, at)| (at, after.numbers()[usize::from(at)])).collect(),
            moved: (before.rest() != after.rest()).then(|| Moved { rest: after.rest(), was }),
        }
    }

    /// What comes of it, where who watches has heard nothing yet.
    pub(super) fn befall(&self, here: &Anatomy, after: &mut Anatomy) {
        let Some(Moved { rest, was }) = &self.moved else {
            return after.differ_from(here, &self.changed);
        };
        let mut new = self.changed.iter().map(|(_, number)| *number);
        let numbers = was.iter().map(|was| match was {
            Some(place) => here.numbers()[usize::from(*place)],
            None => new.next().expect("what is new has a number"),
        });
        after.become_of(numbers, *rest);
    }
}

/// Of each part of `this` the place of the same part of `that`.
fn same(
    (that, that_names): (&Anatomy, &[Name]),
    (this, this_names): (&Anatomy, &[Name]),
) -> Box<[Option<u8>]> {
    let pairs = this_names.iter().zip(this.numbers());
    let place = |(name, number): (&Name, &u128)| {
        let place = that_names.iter().position(|it| it == name)?;
        (that.numbers()[place] == *number).then_some(place as u8)
    };
    pairs.map(place).collect()
}
