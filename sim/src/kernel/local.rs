//! Which calls concern nobody but who makes them.

use locklab_sys::Call;

use super::{Kernel, TaskId};

impl Kernel {
    /// Whether nobody else can tell when a task makes this call, and nothing that
    /// others do changes what it gives: but for the end of the process, and for a boot.
    pub(crate) fn is_local(&self, task: TaskId, call: &Call) -> bool {
        let process = self.process(self.process_of(task));
        match call {
            Call::Getpid
            | Call::Gettid
            | Call::Getuid
            | Call::BootId
            | Call::PidNamespace
            | Call::Hostname
            | Call::Getrandom { .. }
            | Call::CellRead { .. }
            | Call::CellWrite { .. }
            | Call::CellSwap { .. } => !self.is_threaded(task),
            // It runs, and is init's: that is what it will always say.
            Call::ProcStat { pid } => {
                *pid == process.pid && process.parent.is_none() && !self.is_threaded(task)
            }
            _ => false,
        }
    }
}
