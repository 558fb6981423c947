//! Sockets and their names.

use std::time::Duration;

use locklab_sys::Call;

use super::{FD, calls, close, stat, unlink};
use crate::program::Program;

fn bind() -> Call {
    Call::Bind { fd: FD, path: "s".into() }
}

fn listen() -> Call {
    Call::Listen { fd: FD, backlog: 4 }
}

fn connect() -> Call {
    Call::Connect { fd: FD, path: "s".into() }
}

fn poll() -> Call {
    Call::Poll { fds: [FD].into(), timeout: Some(Duration::ZERO) }
}

fn send() -> Call {
    Call::Send { fd: FD, data: b"hello".as_slice().into() }
}

/// Otherwise it is EPIPE.
const RESET: &str = "a sender that meets the end of who listens is told of a reset";

fn is_reset(told: &str, instead: &str) -> bool {
    [told, instead] == ["ECONNRESET", "EPIPE"]
}

pub fn programs() -> Vec<Program> {
    vec![
        Program::new(
            "bind-bind",
            vec![calls([Call::Socket, bind()]), calls([Call::Socket, bind()])],
        )
        .look([stat("s")]),
        Program::new(
            "listen-connect",
            vec![
                calls([Call::Socket, bind(), listen(), poll()]),
                calls([Call::Socket, connect(), send()]),
            ],
        )
        .known(RESET, &[(1, 2)], is_reset),
        Program::new(
            "bind-unlink-connect",
            vec![
                calls([unlink("s"), Call::Socket, bind(), listen(), poll()]),
                calls([Call::Socket, connect()]),
            ],
        )
        .with_files([Call::Socket, bind()]),
        Program::new(
            "leave-connect",
            vec![
                calls([Call::Socket, bind(), listen(), close(FD)]),
                calls([Call::Socket, connect(), send(), send()]),
            ],
        )
        .known(RESET, &[(1, 2), (1, 3)], is_reset),
    ]
}
