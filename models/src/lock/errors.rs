use locklab_sys::Errno;

/// What a lock makes of the errors that its rule foresees, and of the others.
pub(super) trait Foreseen<T> {
    /// The value, or `None` for the one error that the rule foresees here.
    fn unless(self, foreseen: Errno, doing: &str, path: &str) -> Option<T>;

    /// The value, where the rule foresees no error.
    fn surely(self, doing: &str, path: &str) -> T;
}

impl<T> Foreseen<T> for Result<T, Errno> {
    fn unless(self, foreseen: Errno, doing: &str, path: &str) -> Option<T> {
        match self {
            Err(errno) if errno == foreseen => None,
            other => Some(other.surely(doing, path)),
        }
    }

    // A lock that cannot tell whether it holds must not go on: the process
    // aborts, and the trace shows why.
    fn surely(self, doing: &str, path: &str) -> T {
        self.unwrap_or_else(|errno| panic!("cannot {doing} {path}: {errno}"))
    }
}
