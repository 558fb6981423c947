use std::cell::RefCell;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{own, timespec};

/// More than any message here has.
const MESSAGE_MAX: usize = 160 * 1024;

/// One end of a connection between a leader and who follows it: whole messages,
/// each with a descriptor if need be.
pub(super) struct Channel {
    socket: OwnedFd,
    buffer: RefCell<Vec<u8>>,
}

impl Channel {
    /// Both ends.
    pub(super) fn pair() -> io::Result<(Self, Self)> {
        let (family, kind) = (AddressFamily::UNIX, SocketType::SEQPACKET);
        let (one, other) = rustix::net::socketpair(family, kind, SocketFlags::CLOEXEC, None)?;
        Ok((Self::over(one), Self::over(other)))
    }

    /// The end that was passed through another channel.
    pub(super) fn over(socket: OwnedFd) -> Self {
        Self { socket, buffer: RefCell::default() }
    }

    /// The same end, out of a program's way.
    pub(super) fn moved(&self) -> io::Result<Self> {
        own(self.socket.try_clone()?).map(Self::over)
    }

    pub(super) fn send<T: Serialize>(
        &self,
        message: &T,
        passed: Option<BorrowedFd<'_>>,
    ) -> io::Result<()> {
        let bytes = serde_json::to_vec(message)?;
        assert!(bytes.len() <= MESSAGE_MAX, "a message of {} bytes", bytes.len());
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if let Some(fd) = passed.as_ref() {
            control.push(SendAncillaryMessage::ScmRights(std::slice::from_ref(fd)));
        }
        let parts = [IoSlice::new(&bytes)];
        rustix::net::sendmsg(&self.socket, &parts, &mut control, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// The next message; `None` when the other end is gone.
    pub(super) fn receive<T: DeserializeOwned>(&self) -> io::Result<Option<(T, Option<OwnedFd>)>> {
        let mut buffer = self.buffer.borrow_mut();
        buffer.resize(MESSAGE_MAX, 0);
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(&mut buffer[..])];
        let received = loop {
            let flags = RecvFlags::CMSG_CLOEXEC;
            match rustix::net::recvmsg(&self.socket, &mut parts, &mut control, flags) {
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::CONNRESET) => return Ok(None),
                other => break other?,
            }
        };
        assert!(!received.flags.contains(ReturnFlags::TRUNC), "a message is too long");
        if received.bytes == 0 {
            return Ok(None);
        }
        let passed = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
            _ => None,
        });
        let message = serde_json::from_slice(&buffer[..received.bytes])?;
        Ok(Some((message, passed)))
    }

    /// Whether a message comes, or the other end goes, within this time.
    pub(super) fn has_news(&self, within: Duration) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.socket, PollFlags::IN)];
        loop {
            match rustix::event::poll(&mut fds, Some(&timespec(within))) {
                Err(rustix::io::Errno::INTR) => {}
                polled => return Ok(polled? > 0),
            }
        }
    }

    pub(super) fn number(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
