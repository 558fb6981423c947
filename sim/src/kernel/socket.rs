//! The Unix stream sockets of a machine, as `net/unix/af_unix.c` has them.

mod calls;
mod listener;
mod stream;
mod waits;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Direction, Errno, Mode, Shutdown, Uid};

use super::ProcId;
use super::fs::Ino;
use super::reuse::reusing_clone;
use super::slots::{Slot, Slots};
pub(super) use waits::Operation;

/// The number of a socket on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SocketId(Slot);

impl SocketId {
    /// As `fstat` tells it apart from others.
    pub(super) fn number(self) -> u64 {
        1 + self.0.number()
    }
}

/// One end of a connection, or what may become one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Socket {
    /// Who opened it.
    uid: Uid,
    /// What a name that it is bound to will have, but for the umask.
    mode: Mode,
    /// What it is bound to.
    name: Option<Ino>,
    /// Whether it has an address: it is bound, or was accepted by one that is.
    is_addressed: bool,
    state: State,
    /// No more is to be received once the unread is.
    shut_reads: bool,
    /// No more can be sent.
    shut_writes: bool,
    /// An ECONNRESET that has not been told yet.
    is_reset: bool,
    receive_timeout: Option<Duration>,
    send_timeout: Option<Duration>,
    /// Who connected at the other end or listened for it, as it then was; at a
    /// listener, who listens.
    peer_cred: Option<Credentials>,
}

/// Who stood behind a socket, as whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Credentials {
    pub(super) proc: ProcId,
    pub(super) uid: Uid,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Idle,
    Listening {
        backlog: u32,
        /// The other ends of connections that wait to be accepted, in order.
        waiting: VecDeque<SocketId>,
        /// How many of those whose `connect` waits have been woken: an `accept`
        /// wakes one, whatever that one then makes of it.
        woken: u32,
    },
    Connected {
        /// None once it is closed.
        peer: Option<SocketId>,
        unread: Arc<[u8]>,
    },
}

/// The sockets of a machine: those that a descriptor stands for, and those
/// that wait to be accepted.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sockets {
    table: Slots<Socket>,
}

reusing_clone!(Sockets { table });

impl Sockets {
    pub(super) fn ids(&self) -> impl Iterator<Item = SocketId> {
        self.table.iter().map(|(at, _)| SocketId(at))
    }

    fn open(
        &mut self,
        maker: Credentials,
        state: State,
        peer_cred: Option<Credentials>,
    ) -> SocketId {
        SocketId(self.table.insert(
            maker.proc,
            Socket {
                uid: maker.uid,
                mode: Mode::DIRECTORY,
                name: None,
                is_addressed: false,
                state,
                shut_reads: false,
                shut_writes: false,
                is_reset: false,
                receive_timeout: None,
                send_timeout: None,
                peer_cred,
            },
        ))
    }

    fn get(&self, id: SocketId) -> &Socket {
        self.table.get(id.0).expect("the number of a socket that lives")
    }

    fn get_mut(&mut self, id: SocketId) -> &mut Socket {
        self.table.get_mut(id.0).expect("the number of a socket that lives")
    }

    fn peer(&self, id: SocketId) -> Option<SocketId> {
        match self.get(id).state {
            State::Connected { peer, .. } => peer,
            _ => None,
        }
    }

    /// Whether `recv`, or `accept` at a listener, would return at once, be it
    /// with an error.
    pub(super) fn is_readable(&self, id: SocketId) -> bool {
        let socket = self.get(id);
        match &socket.state {
            State::Idle => true,
            State::Listening { waiting, .. } => socket.shut_reads || !waiting.is_empty(),
            State::Connected { unread, .. } => {
                socket.shut_reads || socket.is_reset || !unread.is_empty()
            }
        }
    }

    /// The other end, which is shut, too.
    fn shut(&mut self, id: SocketId, how: Shutdown) -> Option<SocketId> {
        let reads = matches!(how, Shutdown::Read | Shutdown::Both);
        let writes = matches!(how, Shutdown::Write | Shutdown::Both);
        let socket = self.get_mut(id);
        socket.shut_reads |= reads;
        socket.shut_writes |= writes;
        let peer = self.peer(id)?;
        let other = self.get_mut(peer);
        other.shut_reads |= writes;
        other.shut_writes |= reads;
        Some(peer)
    }

    /// Closes a socket, and at a listener the connections that nobody has
    /// accepted; the inode it was bound to.
    pub(super) fn close(&mut self, id: SocketId) -> Option<Ino> {
        let closed = self.table.remove(id.0).expect("a socket is closed once");
        match closed.state {
            State::Idle => {}
            State::Listening { waiting, .. } => {
                for never_accepted in waiting {
                    let peer = self.peer(never_accepted);
                    self.table.remove(never_accepted.0);
                    self.lose_peer(peer, true);
                }
            }
            State::Connected { peer, unread } => self.lose_peer(peer, !unread.is_empty()),
        }
        closed.name
    }

    /// The other end of this socket's connection was closed: with a reset, if
    /// it leaves something unread or was never accepted.
    fn lose_peer(&mut self, id: Option<SocketId>, with_reset: bool) {
        let Some(id) = id else { return };
        let socket = self.get_mut(id);
        socket.shut_reads = true;
        socket.shut_writes = true;
        socket.is_reset |= with_reset;
        if let State::Connected { peer, .. } = &mut socket.state {
            *peer = None;
        }
    }

    fn timeout(&self, id: SocketId, of: Direction) -> Option<Duration> {
        let socket = self.get(id);
        match of {
            Direction::Receive => socket.receive_timeout,
            Direction::Send => socket.send_timeout,
        }
    }

    /// Tells a reset, once.
    fn take_reset(&mut self, id: SocketId) -> Result<(), Errno> {
        match std::mem::take(&mut self.get_mut(id).is_reset) {
            true => Err(Errno::ECONNRESET),
            false => Ok(()),
        }
    }
}
