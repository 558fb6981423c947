use locklab_sys::Errno;

/// What a lock or a program makes of the errors that it foresees, and of the
/// others.
pub(crate) trait Foreseen<T> {
    /// The value, or `None` for an error that is foreseen here.
    fn unless<const N: usize>(self, foreseen: [Errno; N], doing: &str, path: &str) -> Option<T>;

    /// The value, where no error is foreseen.
    fn surely(self, doing: &str, path: &str) -> T;
}

impl<T> Foreseen<T> for Result<T, Errno> {
    fn unless<const N: usize>(self, foreseen: [Errno; N], doing: &str, path: &str) -> Option<T> {
        match self {
            Err(errno) if foreseen.contains(&errno) => None,
            other => Some(other.surely(doing, path)),
        }
    }

    // A lock that cannot tell whether it holds must not go on: the process
    // aborts, and the trace shows why.
    fn surely(self, doing: &str, path: &str) -> T {
        self.unwrap_or_else(|errno| panic!("cannot {doing} {path}: {errno}"))
    }
}
