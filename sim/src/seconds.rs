use std::fmt;
use std::time::Duration;

/// A duration as exact decimal seconds: `45s`, `30.01s`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs())?;
        if self.0.subsec_nanos() > 0 {
            let fraction = format!("{:09}", self.0.subsec_nanos());
            write!(f, ".{}", fraction.trim_end_matches('0'))?;
        }
        f.write_str("s")
    }
}
