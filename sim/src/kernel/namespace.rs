//! What pids mean, and to whom.

use locklab_sys::{Errno, Pid};

use super::container::Inside;
use super::pid::{Holder, INIT, Pids};
use super::{Kernel, MachineId, ProcId, Process};

/// The pids of a new process or thread: in its container, if it is in one, and outside.
pub(super) struct Numbered {
    pub(super) pid: Pid,
    pub(super) inside: Option<Inside>,
}

impl Kernel {
    /// The pids as a process knows them.
    pub(super) fn pids_of(&self, proc: ProcId) -> &Pids {
        let process = self.process(proc);
        let machine = self.machine(process.machine);
        match process.inside {
            None => &machine.pids,
            Some(Inside { init, .. }) => {
                machine.containers.pids(init).expect("a container outlives who lives in it")
            }
        }
    }

    /// Whom a pid means to a caller; `None` for the machine's init.
    pub(super) fn holder_of(&self, caller: ProcId, pid: Pid) -> Result<Option<Holder>, Errno> {
        match pid {
            INIT if self.process(caller).inside.is_none() => Ok(None),
            _ => self.pids_of(caller).get(pid).map(Some).ok_or(Errno::ESRCH),
        }
    }

    /// The process that a pid, or the id of any of its threads, means to a caller;
    /// `None` for the machine's init.
    pub(super) fn meant_by(&self, caller: ProcId, pid: Pid) -> Result<Option<ProcId>, Errno> {
        Ok(self.holder_of(caller, pid)?.map(|holder| self.owner(holder)))
    }

    /// The process that has a pid, or whose thread has it.
    pub(super) fn owner(&self, holder: Holder) -> ProcId {
        match holder {
            Holder::Process(proc) | Holder::ThreadOf(proc) => proc,
            Holder::Thread(task) => self.process_of(task),
        }
    }

    /// The pid by which a reader knows a process, dead or alive; 0 if the reader
    /// is in a container and the process is not.
    pub(super) fn pid_for(&self, reader: ProcId, proc: ProcId) -> Pid {
        let process = self.process(proc);
        match (self.process(reader).inside, process.inside) {
            (None, _) => process.outer_pid(),
            (Some(here), Some(there)) if here.init == there.init => process.pid,
            (Some(_), _) => Pid(0),
        }
    }

    /// The parent's pid, for a reader: that of init for those whose parent has
    /// ended, or 0 in a container, which it is outside of.
    pub(super) fn parent_pid_for(&self, reader: ProcId, proc: ProcId) -> Pid {
        match (self.process(proc).parent, self.process(reader).inside) {
            (Some(parent), _) => self.pid_for(reader, parent),
            (None, None) => INIT,
            (None, Some(_)) => Pid(0),
        }
    }

    /// Gives a new process or thread its pids, unless there are none left. Linux begins
    /// inside: where there is none outside, that walk has gone on.
    pub(super) fn number(
        &mut self,
        machine: MachineId,
        container: Option<ProcId>,
        holder: Holder,
    ) -> Option<Numbered> {
        let machine = self.machine_mut(machine);
        let Some(init) = container else {
            return machine.pids.walk(holder).map(|pid| Numbered { pid, inside: None });
        };
        let pids = machine.containers.pids_mut(init).expect("who lives in it starts others");
        let pid = pids.walk(holder)?;
        let Some(outer) = machine.pids.walk(holder) else {
            pids.free(pid);
            return None;
        };
        Some(Numbered { pid, inside: Some(Inside { init, outer }) })
    }

    /// Frees the pids of a process.
    pub(super) fn free_pids(&mut self, proc: ProcId) {
        let &Process { pid, inside, .. } = self.process(proc);
        self.free(proc, pid, inside);
        self.machine_of_mut(proc).pids.free_threads_of(proc);
    }

    /// Frees the pids that a process, or a thread of it, has.
    pub(super) fn free(&mut self, proc: ProcId, pid: Pid, inside: Option<Inside>) {
        let machine = self.machine_of_mut(proc);
        machine.pids.free(inside.map_or(pid, |inside| inside.outer));
        // What is in a container that has ended needs no freeing.
        if let Some(pids) = inside.and_then(|inside| machine.containers.pids_mut(inside.init)) {
            pids.free(pid);
        }
    }
}
