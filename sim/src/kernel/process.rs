use locklab_sys::{ExitStatus, Fd, Pid, Signal, SmolStr};
use serde::Serialize;

use super::cells::Cells;
use super::descriptors::Descriptors;
use super::reuse::reusing_clone;
use super::{MachineId, ProcId};

/// How a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
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

/// A process, for as long as the world lasts.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its name in schedules and traces.
    pub name: SmolStr,
    /// Where it runs.
    pub machine: MachineId,
    /// Its pid: another process may have it after its death.
    pub pid: Pid,
    /// Its parent; `None` for init.
    pub parent: Option<ProcId>,
    /// How it is.
    pub state: State,
    /// When it started, in ticks of 10 ms since boot.
    pub start_ticks: u64,
    /// What it gets when its parent ends. None for a child of init, which
    /// never does.
    pub(super) parent_death_signal: Option<Signal>,
    /// How many children it has had.
    pub(super) spawned: u32,
    pub(super) descriptors: Descriptors,
    pub(super) cells: Cells,
}

reusing_clone!(Process {
    name,
    machine,
    pid,
    parent,
    state,
    start_ticks,
    parent_death_signal,
    spawned,
    descriptors,
    cells
});

impl Process {
    /// Whether it has not ended.
    pub fn is_alive(&self) -> bool {
        matches!(self.state, State::Running | State::Stopped)
    }

    /// Its open descriptors, sorted.
    pub fn descriptors(&self) -> impl Iterator<Item = Fd> {
        self.descriptors.numbers()
    }

    pub(super) fn set_parent_death_signal(&mut self, signal: Signal) {
        let is_any = signal != Signal::Probe && self.parent.is_some();
        self.parent_death_signal = is_any.then_some(signal);
    }

    /// Whether a signal has stopped it.
    pub fn is_stopped(&self) -> bool {
        self.state == State::Stopped
    }
}
