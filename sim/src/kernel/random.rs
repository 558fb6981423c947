use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The streams of the seed, one a purpose: a draw from one moves no other.
const RANDOM_BYTES: [u8; 8] = *b"getrandm";
const BOOT_IDS: [u8; 8] = *b"boot-ids";

const WORD: u64 = 4;

/// Where the random bytes come from: small, because a generator is made anew
/// for every draw.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn draw(&mut self, len: u8) -> Arc<[u8]> {
        let skipped = (self.drawn % WORD) as usize;
        let mut bytes = vec![0; skipped + usize::from(len)];
        stream(self.seed, RANDOM_BYTES, self.drawn / WORD).fill_bytes(&mut bytes);
        self.drawn += u64::from(len);
        bytes[skipped..].into()
    }
}

/// The boot id of a machine after so many boots, of which it knows 2¹⁶, as there
/// are machines.
pub(super) fn boot_id(seed: u64, machine: usize, boots: u32) -> u128 {
    let mut bytes = [0; 16];
    let number = (u64::from(boots) << 16) + machine as u64;
    let position = number * (bytes.len() as u64 / WORD);
    stream(seed, BOOT_IDS, position).fill_bytes(&mut bytes);
    u128::from_le_bytes(bytes)
}

fn stream(seed: u64, name: [u8; 8], position_words: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut stream = ChaCha8Rng::from_seed(key);
    stream.set_stream(u64::from_le_bytes(name));
    stream.set_word_pos(u128::from(position_words));
    stream
}
