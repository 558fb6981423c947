use std::time::Duration;

/// A file time, in nanoseconds since 1970: up to the year 2554, as ext4 has
/// them up to 2446.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) struct Stamp(u64);

impl Stamp {
    /// `time` as a file system of this granularity keeps it: rounded down, or
    /// exactly if that is zero.
    pub(super) fn new(time: Duration, granularity: Duration) -> Self {
        let time = nanoseconds(time);
        match nanoseconds(granularity) {
            0 => Self(time),
            granularity => Self(time - time % granularity),
        }
    }

    /// A time that is one of the file system's.
    pub(super) fn exact(time: Duration) -> Self {
        Self(nanoseconds(time))
    }

    pub(super) fn get(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    let whole = time.as_secs().saturating_mul(1_000_000_000);
    whole.saturating_add(u64::from(time.subsec_nanos()))
}
