use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use locklab_sys::{ExitStatus, Fd, Pid, Signal, SmolStr, Uid};
use serde::Serialize;

use super::cells::Cells;
use super::children::Child;
use super::container::Inside;
use super::descriptors::Descriptors;
use super::reuse::reusing_clone;
use super::signals::Signals;
use super::threads::Threads;
use super::{MachineId, ProcId};

/// How a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It runs, or waits in a call.
    Running,
    /// A signal stopped it.
    Stopped,
    /// It has ended; its parent has not waited for it.
    Zombie(ExitStatus),
    /// It is gone, and its pid free for another.
    Dead(ExitStatus),
}

/// How who is gone has ended is no part of the state: nobody can ask any more.
impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        discriminant(self).hash(hasher);
        if let Self::Zombie(status) = self {
            status.hash(hasher);
        }
    }
}

/// A process, for as long as the world lasts.
#[derive(Debug, Eq, Hash)]
#[allow(clippy::derived_hash_with_manual_eq, reason = "the hash of a state leaves out the same")]
pub struct Process {
    /// Its name in schedules and traces.
    pub name: SmolStr,
    /// Where it runs.
    pub machine: MachineId,
    /// Its pid, in its container if it is in one: another process may have it
    /// after its death.
    pub pid: Pid,
    /// The container it runs in, if it does.
    pub(super) inside: Option<Inside>,
    /// Whose it is.
    pub uid: Uid,
    /// Its parent; `None` for the machine's init.
    pub parent: Option<ProcId>,
    /// How it is.
    pub state: State,
    /// When it started, in ticks of 10 ms since boot.
    pub start_ticks: u64,
    /// Who was launched and began its session.
    pub(super) session: ProcId,
    pub(super) signals: Signals,
    /// How many children it has had.
    pub(super) spawned: u32,
    /// Those that live or have not been waited for; who has been one for
    /// longest comes first.
    pub(super) children: Vec<Child>,
    pub(super) is_subreaper: bool,
    /// None while it has had no thread but the main one.
    pub(super) threads: Option<Box<Threads>>,
    pub(super) descriptors: Descriptors,
    pub(super) cells: Cells,
    /// How many random bytes it has drawn.
    pub(super) drawn: u64,
}

reusing_clone!(Process {
    name,
    machine,
    pid,
    inside,
    uid,
    parent,
    state,
    start_ticks,
    session,
    signals,
    spawned,
    children,
    is_subreaper,
    threads,
    descriptors,
    cells,
    drawn
});

/// As it is hashed: but for how who is gone has ended.
impl PartialEq for Process {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, machine, pid, inside, uid, parent, start_ticks, session, .. } = self;
        let Self { signals, spawned, children, is_subreaper, threads, .. } = self;
        let Self { descriptors, cells, drawn, state, .. } = self;
        let is_alike = match (state, other.state) {
            (State::Dead(_), State::Dead(_)) => true,
            (one, other) => *one == other,
        };
        is_alike
            && (name, machine, pid, inside, uid, parent)
                == (
                    &other.name,
                    &other.machine,
                    &other.pid,
                    &other.inside,
                    &other.uid,
                    &other.parent,
                )
            && (start_ticks, session, signals, spawned, children)
                == (
                    &other.start_ticks,
                    &other.session,
                    &other.signals,
                    &other.spawned,
                    &other.children,
                )
            && (is_subreaper, threads, descriptors, cells, drawn)
                == (
                    &other.is_subreaper,
                    &other.threads,
                    &other.descriptors,
                    &other.cells,
                    &other.drawn,
                )
    }
}

impl Process {
    /// The first process of the container it runs in, if it does.
    pub fn container(&self) -> Option<ProcId> {
        self.inside.map(|inside| inside.init)
    }

    /// The pid by which processes outside of its container know it.
    pub fn outer_pid(&self) -> Pid {
        self.inside.map_or(self.pid, |inside| inside.outer)
    }

    /// Whether it is the init of its container: `proc` is itself.
    pub(super) fn is_container_init(&self, proc: ProcId) -> bool {
        self.container() == Some(proc)
    }

    /// Whether it has not ended.
    pub fn is_alive(&self) -> bool {
        matches!(self.state, State::Running | State::Stopped)
    }

    /// Its open descriptors, sorted.
    pub fn descriptors(&self) -> impl Iterator<Item = Fd> {
        self.descriptors.numbers()
    }

    /// Whether it may send a signal to another. `SIGCONT` goes to all of one
    /// session, as shells need it.
    pub(super) fn may_signal(&self, other: &Self, signal: Signal) -> bool {
        self.uid == other.uid
            || self.uid.is_root()
            || (signal == Signal::Cont && self.session == other.session)
    }

    /// Whether a signal has stopped it.
    pub fn is_stopped(&self) -> bool {
        self.state == State::Stopped
    }
}
