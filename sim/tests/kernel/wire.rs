//! Calls on sockets in few words, and a server with its clients.

use std::time::Duration;

use locklab_sim::kernel::TaskId;
use locklab_sys::{Call, Direction, Errno, Fd, Ret, Shutdown};

use crate::lab::Lab;

/// What a socket is sent before its sender has to wait.
pub const FULL: usize = 212_992;

/// A listener `fd` of the task `server` at `/tmp/s`, and a task `client`.
pub struct Wire {
    pub lab: Lab,
    pub server: TaskId,
    pub client: TaskId,
    pub listener: Fd,
}

impl Wire {
    pub fn new(backlog: u32) -> Self {
        let mut lab = Lab::new();
        let (server, client) = (lab.launch("server"), lab.launch("client"));
        let listener = lab.fd(server, &Call::Socket).unwrap();
        lab.unit(server, &bind(listener, "/tmp/s")).unwrap();
        lab.unit(server, &listen(listener, backlog)).unwrap();
        Self { lab, server, client, listener }
    }

    /// A socket of the client that has connected.
    pub fn connected(&mut self) -> Fd {
        let fd = self.socket();
        self.lab.unit(self.client, &connect(fd, "/tmp/s")).unwrap();
        fd
    }

    pub fn socket(&mut self) -> Fd {
        self.lab.fd(self.client, &Call::Socket).unwrap()
    }

    pub fn accept(&mut self) -> Fd {
        self.lab.fd(self.server, &Call::Accept { fd: self.listener }).unwrap()
    }

    /// Both ends of a connection: the client's, and the server's.
    pub fn pair(&mut self) -> (Fd, Fd) {
        (self.connected(), self.accept())
    }

    pub fn send(&mut self, task: TaskId, fd: Fd, data: &str) -> Result<u32, Errno> {
        self.lab.call(task, &send(fd, data.as_bytes())).map(|ret| match ret {
            Ret::Len(len) => len,
            other => panic!("send gave {other:?}"),
        })
    }

    pub fn recv(&mut self, task: TaskId, fd: Fd, len: u32) -> Result<String, Errno> {
        self.lab.call(task, &recv(fd, len)).map(as_text)
    }

    /// Lets a call that waits return.
    pub fn finish(&mut self, task: TaskId) -> Result<Ret, Errno> {
        assert!(self.lab.kernel.ready(task));
        self.lab.kernel.finish(task)
    }

    pub fn pass(&mut self, seconds: u64) {
        let now = self.lab.kernel.now();
        self.lab.kernel.advance_to(now + Duration::from_secs(seconds));
    }
}

pub fn as_text(ret: Ret) -> String {
    match ret {
        Ret::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        other => panic!("recv gave {other:?}"),
    }
}

pub fn text(text: &str) -> Result<Ret, Errno> {
    Ok(Ret::Bytes(text.as_bytes().into()))
}

pub fn bind(fd: Fd, path: &str) -> Call {
    Call::Bind { fd, path: path.into() }
}

pub fn listen(fd: Fd, backlog: u32) -> Call {
    Call::Listen { fd, backlog }
}

pub fn connect(fd: Fd, path: &str) -> Call {
    Call::Connect { fd, path: path.into() }
}

pub fn send(fd: Fd, data: &[u8]) -> Call {
    Call::Send { fd, data: data.into() }
}

pub fn recv(fd: Fd, len: u32) -> Call {
    Call::Recv { fd, len }
}

pub fn shutdown(fd: Fd, how: Shutdown) -> Call {
    Call::Shutdown { fd, how }
}

pub fn timeout(fd: Fd, of: Direction, seconds: u64) -> Call {
    Call::SetTimeout { fd, of, timeout: Some(Duration::from_secs(seconds)) }
}
