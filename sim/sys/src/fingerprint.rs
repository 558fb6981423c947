use std::fmt;
use std::hash::{Hash, Hasher};

use rustc_stable_hash::{FromStableHash, SipHasher128Hash, StableSipHasher128};

/// A 128-bit hash, the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The fingerprint of one value.
    pub fn of<T: Hash + ?Sized>(value: &T) -> Self {
        let mut hasher = Fingerprinter::default();
        value.hash(&mut hasher);
        hasher.fingerprint()
    }

    /// The fingerprint of this one followed by `value`.
    #[must_use]
    pub fn then<T: Hash + ?Sized>(self, value: &T) -> Self {
        Self::of(&(self.0, value))
    }

    /// The first eight hexadecimal digits, for people.
    pub fn short(self) -> String {
        format!("{:08x}", self.0 >> 96)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl FromStableHash for Fingerprint {
    type Hash = SipHasher128Hash;

    fn from(SipHasher128Hash([high, low]): SipHasher128Hash) -> Self {
        Self(u128::from(high) << 64 | u128::from(low))
    }
}

/// A [`Hasher`] that ends in a [`Fingerprint`].
///
/// Every integer is forwarded: the trait's own methods would hash the bytes in
/// the order of the machine.
pub struct Fingerprinter(StableSipHasher128);

impl Fingerprinter {
    /// What has been hashed so far, as a fingerprint.
    pub fn fingerprint(self) -> Fingerprint {
        self.0.finish()
    }
}

impl Default for Fingerprinter {
    fn default() -> Self {
        let mut hasher = StableSipHasher128::new();
        // From a non-zero start, so that a run of empty values is not one value.
        hasher.write_u64(0x6c6f_636b_6c61_6221);
        Self(hasher)
    }
}

impl Hasher for Fingerprinter {
    fn finish(&self) -> u64 {
        Hasher::finish(&self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn write_u8(&mut self, value: u8) {
        self.0.write_u8(value);
    }

    fn write_u16(&mut self, value: u16) {
        self.0.write_u16(value);
    }

    fn write_i8(&mut self, value: i8) {
        self.0.write_i8(value);
    }

    fn write_i16(&mut self, value: i16) {
        self.0.write_i16(value);
    }

    fn write_i32(&mut self, value: i32) {
        self.0.write_i32(value);
    }

    fn write_i128(&mut self, value: i128) {
        self.0.write_i128(value);
    }

    fn write_u32(&mut self, value: u32) {
        self.0.write_u32(value);
    }

    fn write_u64(&mut self, value: u64) {
        self.0.write_u64(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.0.write_usize(value);
    }

    fn write_u128(&mut self, value: u128) {
        self.0.write_u128(value);
    }

    fn write_i64(&mut self, value: i64) {
        self.0.write_i64(value);
    }

    fn write_isize(&mut self, value: isize) {
        self.0.write_isize(value);
    }
}
