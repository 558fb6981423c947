//! Containers: pid namespaces besides a machine's first. Each has an init of its
//! own, which is pid 1 in it and another pid outside, and ends with it. All of
//! them share the machine's files, clocks and boot id.

use locklab_sys::{Pid, SmolStr};

use super::ProcId;
use super::pid::Pids;

/// The inode number of the first pid namespace (`PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: u64 = 0xEFFF_FFFC;

/// Where the numbers of others begin, after those of the namespaces that a
/// machine boots with.
const OTHER_NAMESPACES: u64 = 4_026_532_176;

/// Where a process is that runs in a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Inside {
    /// The container's first process: it stands for this start of the container.
    pub(super) init: ProcId,
    /// The pid by which processes outside know the process.
    pub(super) outer: Pid,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Container {
    name: SmolStr,
    init: ProcId,
    /// Of the lowest that are free: one that is started again often has the
    /// number it had.
    namespace: u64,
    pids: Pids,
}

/// The containers of a machine that run, in the order of their starts.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Containers(Vec<Container>);

impl Containers {
    /// Starts a container.
    pub(super) fn start(&mut self, name: SmolStr, init: ProcId, pid_max: u32) {
        let is_free = |number: &u64| self.0.iter().all(|other| other.namespace != *number);
        let namespace = (OTHER_NAMESPACES..).find(is_free).expect("numbers never run out");
        self.0.push(Container { name, init, namespace, pids: Pids::of_container(pid_max) });
    }

    /// The init of the container of this name, if it runs.
    pub(super) fn named(&self, name: &str) -> Option<ProcId> {
        self.0.iter().find(|container| container.name == name).map(|container| container.init)
    }

    /// The pids in a container, if it still runs.
    pub(super) fn pids(&self, init: ProcId) -> Option<&Pids> {
        self.get(init).map(|container| &container.pids)
    }

    pub(super) fn pids_mut(&mut self, init: ProcId) -> Option<&mut Pids> {
        self.0.iter_mut().find(|other| other.init == init).map(|container| &mut container.pids)
    }

    /// The inode number of a process's pid namespace.
    pub(super) fn namespace(&self, inside: Option<Inside>) -> u64 {
        let container = inside.and_then(|inside| self.get(inside.init));
        container.map_or(FIRST_NAMESPACE, |container| container.namespace)
    }

    /// A container's host name is its own.
    pub(super) fn hostname(&self, inside: Option<Inside>) -> Option<&SmolStr> {
        self.get(inside?.init).map(|container| &container.name)
    }

    /// A container ends with its init.
    pub(super) fn end(&mut self, init: ProcId) {
        self.0.retain(|container| container.init != init);
    }

    fn get(&self, init: ProcId) -> Option<&Container> {
        self.0.iter().find(|container| container.init == init)
    }
}

impl Clone for Containers {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Keeps the buffer that it fills.
    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}
