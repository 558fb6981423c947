use std::fmt;

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A process id as `getpid` gives it: reused, in time, for another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pid(pub u32);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A file descriptor of the calling process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fd(pub u32);

impl fmt::Display for Fd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How `open` opens. The constants combine with `|`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpenFlags(u16);

impl OpenFlags {
    /// `O_RDONLY`.
    pub const RDONLY: Self = Self(1);
    /// `O_WRONLY`.
    pub const WRONLY: Self = Self(2);
    /// `O_RDWR`.
    pub const RDWR: Self = Self(3);
    /// `O_CREAT`.
    pub const CREAT: Self = Self(4);
    /// `O_EXCL`.
    pub const EXCL: Self = Self(8);
    /// `O_TRUNC`.
    pub const TRUNC: Self = Self(16);
    /// `O_DIRECTORY`.
    pub const DIRECTORY: Self = Self(32);
    /// `O_CLOEXEC`: [`Call::Exec`](crate::Call::Exec) closes the descriptor.
    pub const CLOEXEC: Self = Self(64);
    /// `O_NOFOLLOW`.
    pub const NOFOLLOW: Self = Self(128);
    /// `O_TMPFILE`: a new file without a name, in the directory at the path.
    /// With `O_EXCL` it can never get one.
    pub const TMPFILE: Self = Self(256);

    const NAMES: [(Self, &str); 7] = [
        (Self::CREAT, "O_CREAT"),
        (Self::EXCL, "O_EXCL"),
        (Self::TRUNC, "O_TRUNC"),
        (Self::DIRECTORY, "O_DIRECTORY"),
        (Self::CLOEXEC, "O_CLOEXEC"),
        (Self::NOFOLLOW, "O_NOFOLLOW"),
        (Self::TMPFILE, "O_TMPFILE"),
    ];

    /// Whether all of `other` is in here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether reading is asked for.
    pub const fn reads(self) -> bool {
        self.contains(Self::RDONLY)
    }

    /// Whether writing is asked for.
    pub const fn writes(self) -> bool {
        self.contains(Self::WRONLY)
    }
}

impl std::ops::BitOr for OpenFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for OpenFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.reads(), self.writes()) {
            (true, true) => "O_RDWR",
            (false, true) => "O_WRONLY",
            _ => "O_RDONLY",
        })?;
        for (flag, name) in Self::NAMES {
            if self.contains(flag) {
                write!(f, "|{name}")?;
            }
        }
        Ok(())
    }
}

impl Serialize for OpenFlags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OpenFlags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'_, str>>::deserialize(deserializer)?;
        let flag = |word| {
            let named = Self::NAMES.iter().find(|(_, name)| *name == word);
            named.map(|(flag, _)| *flag).ok_or_else(|| D::Error::custom(format!("no flag {word}")))
        };
        let mut words = text.split('|');
        let access = match words.next() {
            Some("O_RDONLY") => Self::RDONLY,
            Some("O_WRONLY") => Self::WRONLY,
            Some("O_RDWR") => Self::RDWR,
            _ => return Err(D::Error::custom("no access mode comes first")),
        };
        words.try_fold(access, |flags, word| Ok(flags | flag(word)?))
    }
}

impl fmt::Debug for OpenFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How `renameat2` treats what stands at the new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RenameFlag {
    /// `RENAME_NOREPLACE`: EEXIST if anything does.
    NoReplace,
    /// `RENAME_EXCHANGE`: it gets the old name; ENOENT if nothing does.
    Exchange,
}

impl fmt::Display for RenameFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoReplace => "RENAME_NOREPLACE",
            Self::Exchange => "RENAME_EXCHANGE",
        })
    }
}

/// The clocks of `clock_gettime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// `CLOCK_REALTIME`: since 1970; can be set.
    Realtime,
    /// `CLOCK_MONOTONIC`: since boot, without the time asleep.
    Monotonic,
    /// `CLOCK_BOOTTIME`: since boot, with the time asleep.
    Boottime,
}

/// Which half of a connection `shutdown` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shutdown {
    /// `SHUT_RD`.
    Read,
    /// `SHUT_WR`.
    Write,
    /// `SHUT_RDWR`.
    Both,
}

/// Which waits on a socket a time-out bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// `SO_RCVTIMEO`: `recv`, `read` and `accept`.
    Receive,
    /// `SO_SNDTIMEO`: `send`, `write` and `connect`.
    Send,
}
