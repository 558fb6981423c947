//! Bytes, sent and received.

use std::sync::Arc;
use std::task::Poll;

use locklab_sys::Errno;

use super::{SocketId, Sockets, State};

/// `SO_SNDBUF`: while fewer bytes wait to be received, a message more may.
/// Linux counts its own bookkeeping as well, a kilobyte or two a message.
const SEND_BUFFER: usize = 212_992;

/// Who waits to send is woken only when no more than this is left
/// (`unix_writable`).
const SEND_AGAIN: usize = SEND_BUFFER / 4;

impl Sockets {
    /// Sends a message whole, or waits. Linux sends in pieces of some 32
    /// kilobytes, so that a big message can be cut short.
    pub(super) fn send(&mut self, id: SocketId, data: &Arc<[u8]>) -> Poll<Result<u32, Errno>> {
        let socket = self.get(id);
        let State::Connected { peer, .. } = socket.state else {
            return Poll::Ready(Err(Errno::ENOTCONN));
        };
        let Some(peer) = peer.filter(|_| !socket.shut_writes) else {
            return Poll::Ready(Err(Errno::EPIPE));
        };
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let peer = self.get_mut(peer);
        let State::Connected { unread, .. } = &mut peer.state else {
            unreachable!("the peer of a connection is connected");
        };
        if unread.len() >= SEND_BUFFER {
            return Poll::Pending;
        }
        // So it was before they were connected.
        if peer.shut_reads {
            return Poll::Ready(Err(Errno::EPIPE));
        }
        *unread = match unread.is_empty() {
            true => Arc::clone(data),
            false => unread.iter().chain(data.iter()).copied().collect(),
        };
        Poll::Ready(Ok(data.len() as u32))
    }

    /// Whether what made a `send` wait is over.
    pub(super) fn may_send_again(&self, id: SocketId) -> bool {
        let socket = self.get(id);
        let unreceived = self.peer(id).map_or(0, |peer| match &self.get(peer).state {
            State::Connected { unread, .. } => unread.len(),
            _ => 0,
        });
        socket.shut_writes || socket.is_reset || unreceived <= SEND_AGAIN
    }

    /// Receives what is there, whatever messages it came in.
    pub(super) fn recv(&mut self, id: SocketId, len: u32) -> Poll<Result<Arc<[u8]>, Errno>> {
        let State::Connected { unread, .. } = &mut self.get_mut(id).state else {
            return Poll::Ready(Err(Errno::EINVAL));
        };
        if !unread.is_empty() {
            let rest = unread.get(len as usize..).map_or_else(Arc::default, Arc::from);
            let all = std::mem::replace(unread, rest);
            return Poll::Ready(Ok(all.get(..len as usize).map_or(Arc::clone(&all), Arc::from)));
        }
        self.take_reset(id)?;
        match self.get(id).shut_reads {
            true => Poll::Ready(Ok(Arc::default())),
            false => Poll::Pending,
        }
    }
}
