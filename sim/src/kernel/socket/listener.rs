//! How connections are made.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;

use locklab_sys::{Errno, Uid};

use super::{Credentials, SocketId, Sockets, State};

/// `net.core.somaxconn`: no backlog is longer.
const BACKLOG_MAX: u32 = 4096;

impl Sockets {
    /// `who` listens from now on.
    pub(super) fn listen(
        &mut self,
        id: SocketId,
        backlog: u32,
        who: Credentials,
    ) -> Result<(), Errno> {
        let socket = self.get_mut(id);
        if socket.name.is_none() {
            return Err(Errno::EINVAL);
        }
        let limit = backlog.min(BACKLOG_MAX);
        match &mut socket.state {
            State::Idle => {
                let waiting = VecDeque::new();
                socket.state = State::Listening { backlog: limit, waiting, woken: 0 };
            }
            State::Listening { backlog, woken, .. } => {
                if limit > *backlog {
                    // All that there are.
                    *woken = u32::MAX;
                }
                *backlog = limit;
            }
            State::Connected { .. } => return Err(Errno::EINVAL),
        }
        socket.peer_cred = Some(who);
        Ok(())
    }

    /// Whether a socket takes connections, at once or later.
    pub(super) fn takes_connections(&self, id: SocketId) -> bool {
        let socket = self.get(id);
        matches!(socket.state, State::Listening { .. }) && !socket.shut_reads
    }

    /// Whether more connections than the backlog wait to be accepted.
    pub(super) fn is_full(&self, id: SocketId) -> bool {
        match &self.get(id).state {
            State::Listening { backlog, waiting, .. } => waiting.len() > *backlog as usize,
            _ => false,
        }
    }

    /// Wakes one of so many whose `connect` waits, if there is room.
    pub(super) fn wake_one(&mut self, id: SocketId, waiters: u32) {
        let is_full = self.is_full(id);
        if let State::Listening { woken, .. } = &mut self.get_mut(id).state
            && !is_full
        {
            *woken = woken.saturating_add(1).min(waiters);
        }
    }

    /// Whether one whose `connect` waits has been woken, and there still is room.
    pub(super) fn has_woken(&self, id: SocketId) -> bool {
        match self.get(id).state {
            State::Listening { woken, .. } => woken > 0 && !self.is_full(id),
            _ => false,
        }
    }

    /// One who was woken looks.
    pub(super) fn look(&mut self, id: SocketId) {
        if let State::Listening { woken, .. } = &mut self.get_mut(id).state {
            *woken = woken.saturating_sub(1);
        }
    }

    /// Connects a socket to a listener that takes connections, unless too many
    /// wait there. Linux looks only then whether the socket can be connected.
    pub(super) fn connect(
        &mut self,
        id: SocketId,
        listener: SocketId,
        who: Credentials,
    ) -> Poll<Result<(), Errno>> {
        if !self.takes_connections(listener) {
            return Poll::Ready(Err(Errno::ECONNREFUSED));
        }
        if self.is_full(listener) {
            return Poll::Pending;
        }
        match self.get(id).state {
            State::Idle => {}
            State::Listening { .. } => return Poll::Ready(Err(Errno::EINVAL)),
            State::Connected { .. } => return Poll::Ready(Err(Errno::EISCONN)),
        }
        let other_end = self.open(who, connected_to(id), Some(who));
        self.get_mut(other_end).is_addressed = true;
        let listening = self.get(listener).peer_cred;
        let socket = self.get_mut(id);
        socket.state = connected_to(other_end);
        socket.peer_cred = listening;
        if let State::Listening { waiting, woken, backlog } = &mut self.get_mut(listener).state {
            waiting.push_back(other_end);
            if waiting.len() > *backlog as usize {
                // Whoever was woken finds no room, and waits again.
                *woken = 0;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// The connection that has waited longest, for `uid` from now on. Those that
    /// came before a shutdown can still be accepted.
    pub(super) fn accept(&mut self, id: SocketId, uid: Uid) -> Poll<Result<SocketId, Errno>> {
        let socket = self.get_mut(id);
        let State::Listening { waiting, .. } = &mut socket.state else {
            return Poll::Ready(Err(Errno::EINVAL));
        };
        match waiting.pop_front() {
            Some(connection) => {
                self.get_mut(connection).uid = uid;
                Poll::Ready(Ok(connection))
            }
            None if socket.shut_reads => Poll::Ready(Err(Errno::EINVAL)),
            None => Poll::Pending,
        }
    }
}

fn connected_to(peer: SocketId) -> State {
    State::Connected { peer: Some(peer), unread: Arc::default() }
}
