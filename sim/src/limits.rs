use std::time::Duration;

/// Where a run is cut off at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Virtual time since the world began.
    pub horizon: Duration,
    /// Steps and moves.
    pub steps: u32,
}
