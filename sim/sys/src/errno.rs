use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! errnos {
    ($($name:ident = $number:literal,)*) => {
        /// The errors of Linux calls, by their Linux names and numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "the names are the documentation: errno(3)")]
        #[repr(i32)]
        pub enum Errno {
            $($name = $number,)*
        }

        impl Errno {
            /// The error of this number, if any call here can give it.
            pub const fn from_raw(number: i32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

errnos! {
    EPERM = 1,
    ENOENT = 2,
    ESRCH = 3,
    EINTR = 4,
    EIO = 5,
    ENXIO = 6,
    EBADF = 9,
    ECHILD = 10,
    EAGAIN = 11,
    EACCES = 13,
    EBUSY = 16,
    EEXIST = 17,
    EXDEV = 18,
    ENOTDIR = 20,
    EISDIR = 21,
    EINVAL = 22,
    EMFILE = 24,
    EFBIG = 27,
    ENOSPC = 28,
    EMLINK = 31,
    EPIPE = 32,
    EDEADLK = 35,
    ENAMETOOLONG = 36,
    ENOSYS = 38,
    ENOTEMPTY = 39,
    ELOOP = 40,
    EOVERFLOW = 75,
    ENOTSOCK = 88,
    EOPNOTSUPP = 95,
    EADDRINUSE = 98,
    ECONNRESET = 104,
    EISCONN = 106,
    ENOTCONN = 107,
    ETIMEDOUT = 110,
    ECONNREFUSED = 111,
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Errno {}
