use locklab_sys::Fingerprint;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A stream of random numbers with one purpose.
///
/// Each purpose has a stream of its own, so that a new draw for one moves
/// nothing for another.
#[derive(Clone)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of `seed` for `purpose`.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(Fingerprint::of(purpose).0 as u64);
        Self(rng)
    }

    /// A number below `bound`.
    ///
    /// # Panics
    ///
    /// When `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "nothing to choose from");
        // Our own reduction: a library's may change between its versions.
        ((u64::from(self.0.next_u32()) * bound as u64) >> 32) as usize
    }
}
