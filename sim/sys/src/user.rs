use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A user's number. Everybody has a group of his own and no other, so that of a
/// file's group permissions nobody but its owner would have anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Uid(pub u32);

impl Uid {
    /// Who may do everything.
    pub const ROOT: Self = Self(0);
    /// The first ordinary user of most distributions.
    pub const USER: Self = Self(1000);

    /// Whether this is root.
    pub const fn is_root(self) -> bool {
        self.0 == 0
    }
}

impl Default for Uid {
    fn default() -> Self {
        Self::USER
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The permissions of a file: for its owner, its group and all others, and the
/// sticky bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mode(u16);

impl Mode {
    /// What programs ask of `open` unless they say otherwise.
    pub const FILE: Self = Self(0o666);
    /// What programs ask of `mkdir` unless they say otherwise.
    pub const DIRECTORY: Self = Self(0o777);
    /// `S_ISVTX`: what is in such a directory can be removed and renamed only
    /// by its owner, or the directory's.
    pub const STICKY: Self = Self(0o1000);

    /// These bits; the set-user-id and set-group-id bits are left out.
    pub const fn new(bits: u16) -> Self {
        Self(bits & 0o1777)
    }

    /// The bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether all of `other` is in here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What a umask leaves of it.
    #[must_use]
    pub const fn masked(self, umask: Self) -> Self {
        Self(self.0 & !umask.0)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'_, str>>::deserialize(deserializer)?;
        u16::from_str_radix(&text, 8).map(Self::new).map_err(D::Error::custom)
    }
}
