//! Tables by fingerprints.

use std::hash::{BuildHasherDefault, Hasher};

use hashbrown::HashMap;

/// A table by fingerprints, or by numbers that are as good.
pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<AsItIs>>;

/// Fingerprints are as good as hashes.
#[derive(Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only fingerprints are hashed");
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }
}
