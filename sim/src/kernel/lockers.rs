//! Who has a file locked, by whichever of the kernel's locks.

use locklab_sys::Uid;
use smol_str::SmolStr;

use super::fs::Target;
use super::{Kernel, MachineId, ProcId};

impl Kernel {
    /// The same of what stands at a path; nobody where nothing does.
    pub fn lockers_at(&self, machine: MachineId, path: &SmolStr) -> Vec<ProcId> {
        let found = self.machine(machine).files.resolve(path, false, Uid::ROOT);
        found.map_or_else(|_| Vec::new(), |ino| self.lockers(machine, ino))
    }

    /// The living processes of a machine that have a file locked, by `flock` or by a record
    /// lock, in the order of their ids. A lock of an open file description is that of each
    /// process that has a descriptor of it.
    pub fn lockers(&self, machine: MachineId, ino: u64) -> Vec<ProcId> {
        let target = Target::Inode(ino);
        let of_it = self.machine(machine);
        let of_machine = self
            .processes()
            .filter(|(_, process)| process.machine == machine && process.is_alive());
        let lockers = of_machine.filter(|(proc, process)| {
            let mut descriptions = process.descriptors.descriptions();
            of_it.records.are_of(target, *proc)
                || descriptions.any(|id| {
                    of_it.files.opened(id) == target
                        && (of_it.files.holds_lock(id) || of_it.records.are_of_open(target, id))
                })
        });
        lockers.map(|(proc, _)| proc).collect()
    }
}
