use locklab_sys::{Errno, RecordLock};

/// Bytes of a file, the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Range {
    pub(super) first: i64,
    last: i64,
}

impl Range {
    pub(super) const ALL: Self = Self { first: 0, last: i64::MAX };

    /// What a `struct flock` means, if anything (`flock64_to_posix_lock`).
    pub(super) fn of(lock: &RecordLock) -> Result<Self, Errno> {
        let RecordLock { start, len, .. } = *lock;
        if start < 0 || (len < 0 && start + len < 0) {
            return Err(Errno::EINVAL);
        }
        Ok(match len {
            0 => Self { first: start, last: i64::MAX },
            1.. => Self { first: start, last: start.checked_add(len - 1).ok_or(Errno::EOVERFLOW)? },
            _ => Self { first: start + len, last: start - 1 },
        })
    }

    /// `l_len`.
    pub(super) fn len(self) -> i64 {
        if self.last == i64::MAX { 0 } else { self.last - self.first + 1 }
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Whether the two make one range.
    pub(super) fn touches(self, other: Self) -> bool {
        self.first <= other.last.saturating_add(1) && other.first <= self.last.saturating_add(1)
    }

    /// The two, which touch, as one.
    pub(super) fn with(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// What remains of it, before and after `other`, which it overlaps.
    pub(super) fn without(self, other: Self) -> impl Iterator<Item = Self> {
        let before = (self.first < other.first).then(|| Self { last: other.first - 1, ..self });
        let after = (self.last > other.last).then(|| Self { first: other.last + 1, ..self });
        before.into_iter().chain(after)
    }
}
