//! One request and one answer over a Unix socket, a line each.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Clock, Direction, Errno, Fd, Sys};
use smol_str::SmolStr;

use crate::lock::Foreseen;
use crate::word::point;

/// Longer than any line that makes sense.
const LINE_MAX: usize = 4096;
const CHUNK: u32 = 256;

/// The wait for what has come already. Zero would be for ever.
const LAST_LOOK: Duration = Duration::from_millis(1);

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Failure {
    /// ENOENT: there is no such socket.
    Absent,
    /// ECONNREFUSED: nobody listens there.
    Refused,
    /// Nothing came in time.
    Silent,
    /// The other end closed before the line was whole.
    CutShort,
    /// What came is no line of text.
    Garbled,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "there is no socket",
            Self::Refused => "nobody listens at the socket",
            Self::Silent => "no answer in time",
            Self::CutShort => "the answer was cut short",
            Self::Garbled => "what came is no answer",
        })
    }
}

/// A whole line without its end, or why there is none.
pub(super) type Line = Result<SmolStr, Failure>;

/// Sends a request to whoever listens at `path`, and waits for the answer; for
/// both together no longer than `limit`.
pub(super) async fn ask(sys: &Sys, path: &SmolStr, request: &str, limit: Duration) -> Line {
    let fd = sys.socket().await.surely("make", "a socket");
    let answer = converse(sys, fd, path, request, limit).await;
    sys.close(fd).await.surely("close", path);
    answer
}

async fn converse(sys: &Sys, fd: Fd, path: &SmolStr, request: &str, limit: Duration) -> Line {
    let deadline = sys.clock_gettime(Clock::Monotonic).await + limit;
    let wire = Wire { fd, deadline, path: path.clone() };
    sys.retry(&wire, Some(limit), connect).await?;
    send(sys, fd, request).await?;
    sys.point(point::SENT);
    sys.retry(&wire, Received::default(), receive).await
}

/// A line from who is at the other end of `fd`, within `limit`.
pub(super) async fn receive_line(sys: &Sys, fd: Fd, limit: Duration) -> Line {
    let deadline = sys.clock_gettime(Clock::Monotonic).await + limit;
    let wire = Wire { fd, deadline, path: SmolStr::new_static("a connection") };
    sys.retry(&wire, Received { left: Some(limit), ..Received::default() }, receive).await
}

/// Sends a line; the end of it is what makes it whole.
pub(super) async fn send(sys: &Sys, fd: Fd, line: &str) -> Result<(), Failure> {
    send_bytes(sys, fd, format!("{line}\n").as_bytes()).await
}

/// Sends what need not be a whole line.
pub(super) async fn send_bytes(sys: &Sys, fd: Fd, bytes: &[u8]) -> Result<(), Failure> {
    // A line is shorter than what a new connection always takes: it never waits.
    match sys.send(fd, bytes).await {
        Err(Errno::EPIPE | Errno::ECONNRESET) => Err(Failure::CutShort),
        sent => {
            let sent = sent.surely("send on", "a connection");
            assert_eq!(sent as usize, bytes.len(), "a line is sent whole");
            Ok(())
        }
    }
}

struct Wire {
    fd: Fd,
    /// On the monotonic clock.
    deadline: Duration,
    path: SmolStr,
}

impl Wire {
    /// Lets the next wait last no longer than is left until the deadline, where
    /// that is not known already.
    async fn bound(&self, sys: &Sys, of: Direction, left: Option<Duration>) {
        let left = match left {
            Some(left) => left,
            None => {
                let now = sys.clock_gettime(Clock::Monotonic).await;
                self.deadline.saturating_sub(now).max(LAST_LOOK)
            }
        };
        sys.set_timeout(self.fd, of, Some(left)).await.surely("bound", &self.path);
    }
}

async fn connect(
    sys: &Sys,
    wire: &Wire,
    left: Option<Duration>,
) -> ControlFlow<Result<(), Failure>, Option<Duration>> {
    wire.bound(sys, Direction::Send, left).await;
    ControlFlow::Break(match sys.connect(wire.fd, wire.path.clone()).await {
        Err(Errno::ENOENT) => Err(Failure::Absent),
        Err(Errno::ECONNREFUSED) => Err(Failure::Refused),
        Err(Errno::EAGAIN) => Err(Failure::Silent),
        // Stopped and continued meanwhile: nothing has come of it yet.
        Err(Errno::EINTR) => return ControlFlow::Continue(None),
        connected => {
            connected.surely("connect to", &wire.path);
            Ok(())
        }
    })
}

/// What has been received, and how long may still be waited, if that is known.
#[derive(Clone, Default, Hash)]
struct Received {
    line: Vec<u8>,
    left: Option<Duration>,
}

/// Receives until the line is whole. A stop in between ends a wait early, and
/// the deadline stays what it was; what has come by then is still heard.
async fn receive(sys: &Sys, wire: &Wire, received: Received) -> ControlFlow<Line, Received> {
    let Received { mut line, left } = received;
    wire.bound(sys, Direction::Receive, left).await;
    let bytes = match sys.recv(wire.fd, CHUNK).await {
        Err(Errno::EINTR) => return ControlFlow::Continue(Received { line, left: None }),
        Err(Errno::EAGAIN) => return ControlFlow::Break(Err(Failure::Silent)),
        Err(Errno::ECONNRESET) => return ControlFlow::Break(Err(Failure::CutShort)),
        received => received.surely("receive from", &wire.path),
    };
    if bytes.is_empty() {
        return ControlFlow::Break(Err(Failure::CutShort));
    }
    line.extend_from_slice(&bytes);
    match whole(&line) {
        Some(line) => ControlFlow::Break(line),
        None => ControlFlow::Continue(Received { line, left: None }),
    }
}

/// The line if it is whole, or can never be.
fn whole(bytes: &[u8]) -> Option<Line> {
    match bytes.split_last() {
        Some((b'\n', line)) => Some(match std::str::from_utf8(line) {
            Ok(line) if !line.contains(char::is_control) => Ok(line.into()),
            _ => Err(Failure::Garbled),
        }),
        _ if bytes.len() >= LINE_MAX => Some(Err(Failure::Garbled)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, LINE_MAX, whole};

    #[test]
    fn a_line_is_whole_at_its_end() {
        assert_eq!(whole(b"running a b\n"), Some(Ok("running a b".into())));
        assert_eq!(whole(b"running a b"), None);
        assert_eq!(whole(b""), None);
        assert_eq!(whole(b"\n"), Some(Ok("".into())));
    }

    #[test]
    fn what_is_no_line_of_text_is_garbled() {
        assert_eq!(whole(b"a\nb\n"), Some(Err(Failure::Garbled)));
        assert_eq!(whole(b"\xff\n"), Some(Err(Failure::Garbled)));
        assert_eq!(whole(&[b'x'; LINE_MAX]), Some(Err(Failure::Garbled)));
        assert_eq!(whole(&[b'x'; LINE_MAX - 1]), None);
    }
}
