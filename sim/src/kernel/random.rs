use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::ProcId;

/// The streams of the seed, one a purpose: a draw from one moves no other.
const RANDOM_BYTES: [u8; 8] = *b"getrandm";
const BOOT_IDS: [u8; 8] = *b"boot-ids";

const WORD: u64 = 4;

/// The random bytes that a process gets after it has drawn so many: what it gets does
/// not depend on what others drew.
pub(super) fn bytes(seed: u64, proc: ProcId, drawn: u64, len: u8) -> Arc<[u8]> {
    let skipped = (drawn % WORD) as usize;
    let mut bytes = vec![0; skipped + usize::from(len)];
    stream(seed, u64::from(proc.0), RANDOM_BYTES, drawn / WORD).fill_bytes(&mut bytes);
    bytes[skipped..].into()
}

/// The boot id of a machine after so many boots, of which it knows 2¹⁶, as there
/// are machines.
pub(super) fn boot_id(seed: u64, machine: usize, boots: u32) -> u128 {
    let mut bytes = [0; 16];
    let number = (u64::from(boots) << 16) + machine as u64;
    let position = number * (bytes.len() as u64 / WORD);
    stream(seed, 0, BOOT_IDS, position).fill_bytes(&mut bytes);
    u128::from_le_bytes(bytes)
}

fn stream(seed: u64, whose: u64, name: [u8; 8], position_words: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&whose.to_le_bytes());
    let mut stream = ChaCha8Rng::from_seed(key);
    stream.set_stream(u64::from_le_bytes(name));
    stream.set_word_pos(u128::from(position_words));
    stream
}
