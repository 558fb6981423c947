use locklab_sys::Pid;

use super::reuse::reusing_clone;
use super::{Places, ProcId, TaskId};

/// Init's pid. A machine's init adopts orphans, reaps at once, and never ends; a
/// container's is a process like any other.
pub(super) const INIT: Pid = Pid(1);

/// Where Linux's walk goes on after a wrap: lower pids are for daemons of the
/// first minutes (`RESERVED_PIDS`).
const RESERVED: u32 = 300;

/// Who has a pid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    Process(ProcId),
    /// A thread other than the main one: its id is a pid like any other.
    Thread(TaskId),
    /// A thread of a stranger, which makes no calls, so that none of them is a task.
    ThreadOf(ProcId),
}

/// The pids of a machine.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Pids {
    next: u32,
    max: u32,
    /// Those of live processes and threads, and of zombies, sorted by pid.
    in_use: Vec<(Pid, Holder)>,
}

reusing_clone!(Pids { next, max, in_use });

impl Pids {
    pub(super) fn new(first: u32, max: u32) -> Self {
        assert!(max > RESERVED, "Linux refuses a pid_max of {max}");
        assert!((2..max).contains(&first), "no pid walk starts at {first} below {max}");
        Self { next: first, max, in_use: Vec::new() }
    }

    /// Those of a container, whose first process is its init.
    pub(super) fn of_container(max: u32) -> Self {
        Self { next: INIT.0, max, in_use: Vec::new() }
    }

    pub(super) fn max(&self) -> u32 {
        self.max
    }

    /// The processes that have a pid, in the order of the pids.
    pub(super) fn owners(&self) -> impl Iterator<Item = ProcId> {
        self.in_use.iter().filter_map(|&(_, holder)| match holder {
            Holder::Process(proc) => Some(proc),
            Holder::Thread(_) | Holder::ThreadOf(_) => None,
        })
    }

    /// The next pid of the walk, unless all are in use. As in Linux, `pid_max`
    /// is one more than the highest pid.
    pub(super) fn walk(&mut self, holder: Holder) -> Option<Pid> {
        let mut pid = self.next;
        for _ in 0..self.max {
            let following = if pid + 1 < self.max { pid + 1 } else { RESERVED };
            if self.take(Pid(pid), holder) {
                self.next = following;
                return Some(Pid(pid));
            }
            pid = following;
        }
        None
    }

    /// Takes this very pid; whether it was free.
    pub(super) fn take(&mut self, pid: Pid, holder: Holder) -> bool {
        match self.position(pid) {
            Ok(_) => false,
            Err(at) => {
                self.in_use.insert(at, (pid, holder));
                true
            }
        }
    }

    pub(super) fn free(&mut self, pid: Pid) {
        let at = self.position(pid).expect("a pid is freed once");
        self.in_use.remove(at);
    }

    /// Frees the ids of a stranger's threads.
    pub(super) fn free_threads_of(&mut self, stranger: ProcId) {
        self.in_use.retain(|(_, holder)| *holder != Holder::ThreadOf(stranger));
    }

    pub(super) fn get(&self, pid: Pid) -> Option<Holder> {
        self.position(pid).ok().map(|at| self.in_use[at].1)
    }

    /// The process of this pid; none if it is a thread's.
    pub(super) fn process(&self, pid: Pid) -> Option<ProcId> {
        match self.get(pid) {
            Some(Holder::Process(proc)) => Some(proc),
            Some(Holder::Thread(_) | Holder::ThreadOf(_)) | None => None,
        }
    }

    /// As they were, had processes changed places.
    pub(super) fn change_places(&mut self, places: &Places) {
        for (pid, holder) in &mut self.in_use {
            (*pid, *holder) = (places.pid(*pid), holder.renamed(places));
        }
        self.in_use.sort_unstable_by_key(|(pid, _)| *pid);
    }

    fn position(&self, pid: Pid) -> Result<usize, usize> {
        self.in_use.binary_search_by_key(&pid, |&(pid, _)| pid)
    }
}
