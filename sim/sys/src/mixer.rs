//! How states are hashed.

use std::hash::{Hash, Hasher};

use crate::Fingerprint;

/// A hasher for states, of which a search makes millions: far faster than that of
/// [`Fingerprint::of`], the same on every machine too, and as wide. Nobody makes up states
/// so that their hashes meet, which is all that the slower one is better at.
struct Mixer(u128);

/// Odd, and of no pattern: the digits of pi.
const FACTOR: u128 = 0x243f_6a88_85a3_08d3_1319_8a2e_0370_7345;

impl Fingerprint {
    /// The fingerprint of a part of a state: another than [`of`](Self::of) gives, and sooner.
    pub fn of_state<T: Hash + ?Sized>(state: &T) -> Self {
        // From a non-zero start, so that a run of empty values is not one value.
        let mut mixer = Mixer(FACTOR >> 1);
        state.hash(&mut mixer);
        mixer.mix(0);
        Self(mixer.0)
    }
}

impl Fingerprint {
    /// The fingerprint of what has this one, as the part of something by this name: that of the
    /// whole may be the sum of those of its parts.
    #[must_use]
    pub fn as_part(self, name: u64) -> Self {
        let mut mixer = Mixer(self.0);
        mixer.mix(name.into());
        mixer.mix(FACTOR >> 1);
        Self(mixer.0)
    }
}

impl Mixer {
    /// No two hashes that differ meet by taking in the same.
    fn mix(&mut self, value: u128) {
        self.0 = (self.0 ^ value).wrapping_mul(FACTOR);
        self.0 ^= self.0 >> 65;
    }
}

/// Integers are taken by their value: in memory they are not the same everywhere.
impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 as u64
    }

    fn write(&mut self, bytes: &[u8]) {
        self.mix(bytes.len() as u128);
        for chunk in bytes.chunks(16) {
            let mut all = [0; 16];
            all[..chunk.len()].copy_from_slice(chunk);
            self.mix(u128::from_le_bytes(all));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.mix(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value.into());
    }

    fn write_u128(&mut self, value: u128) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u128);
    }

    fn write_i32(&mut self, value: i32) {
        self.mix(value as u128);
    }

    fn write_i64(&mut self, value: i64) {
        self.mix(value as u128);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix(value as u128);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn small_values_that_differ_a_little_have_hashes_that_differ_much() {
        let mut seen = BTreeSet::new();
        for first in 0..64_u64 {
            for second in 0..64_u32 {
                for third in [None, Some(0_u8), Some(1)] {
                    seen.insert(Fingerprint::of_state(&(first, second, third)));
                }
            }
        }
        assert_eq!(seen.len(), 64 * 64 * 3);
        // Of this many bits, half are expected to differ between neighbours.
        let differ = |bit: u32| {
            let one = Fingerprint::of_state(&(1_u128 << bit, 7_u8)).0;
            (one ^ Fingerprint::of_state(&(0_u128, 7_u8)).0).count_ones()
        };
        let least = (0..128).map(differ).min().expect("there are bits");
        assert!(least > 32, "{least} bits differ");
    }

    #[test]
    fn lengths_and_order_count() {
        let all = [&b""[..], b"\0", b"\0\0", b"a\0", b"\0a", &[7; 16], &[7; 17]];
        let prints: BTreeSet<_> = all.iter().map(Fingerprint::of_state).collect();
        assert_eq!(prints.len(), all.len());
    }
}
