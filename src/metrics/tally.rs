use std::collections::BTreeMap;

/// Whole numbers that were measured, each with how often it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<u64, u64>);

impl Tally {
    /// Takes a number in.
    pub fn add(&mut self, value: u64) {
        *self.0.entry(value).or_default() += 1;
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// The least of them.
    pub fn least(&self) -> Option<u64> {
        self.0.keys().next().copied()
    }

    /// The most.
    pub fn most(&self) -> Option<u64> {
        self.0.keys().next_back().copied()
    }

    /// That which as many are below as above; the lower of the two in the middle.
    pub fn median(&self) -> Option<u64> {
        let middle = self.count().div_ceil(2);
        let mut seen = 0;
        self.0.iter().find_map(|(value, times)| {
            seen += times;
            (seen >= middle).then_some(*value)
        })
    }

    /// Takes in all that another one has.
    pub fn merge(&mut self, other: &Self) {
        for (value, times) in &other.0 {
            *self.0.entry(*value).or_default() += times;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    fn of(values: &[u64]) -> Tally {
        let mut tally = Tally::default();
        values.iter().for_each(|value| tally.add(*value));
        tally
    }

    #[test]
    fn of_nothing_there_is_no_number() {
        let none = Tally::default();
        assert_eq!((none.count(), none.least(), none.median(), none.most()), (0, None, None, None));
    }

    #[test]
    fn the_middle_is_a_number_that_was_measured() {
        let cases = [(&[7][..], 7), (&[2, 9], 2), (&[9, 1, 1], 1), (&[1, 5, 5, 8], 5)];
        for (values, median) in cases {
            assert_eq!(of(values).median(), Some(median), "{values:?}");
        }
        let tally = of(&[3, 8, 5]);
        assert_eq!((tally.least(), tally.most(), tally.count()), (Some(3), Some(8), 3));
    }

    #[test]
    fn together_they_are_as_one() {
        let mut one = of(&[1, 4]);
        one.merge(&of(&[4, 9]));
        assert_eq!(one, of(&[1, 4, 4, 9]));
    }
}
