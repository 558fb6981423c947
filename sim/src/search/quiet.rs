//! What comes of states in which the adversary is silent for good.

use super::expand::QuietStand;
use super::seen::{Seen, StateId};
use crate::kernel::TaskId;
use crate::world::World;

/// Tasks, by their numbers: sixty-four at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tasks(pub(super) u64);

impl Tasks {
    pub(super) const ALL: Self = Self(u64::MAX);

    /// Whether there was room for it.
    pub(super) fn insert(&mut self, task: TaskId) -> bool {
        let bit = 1_u64.checked_shl(task.0);
        self.0 |= bit.unwrap_or(0);
        bit.is_some()
    }

    pub(super) fn remove(&mut self, task: TaskId) {
        self.0 &= !(1 << task.0);
    }

    pub(super) fn contains(self, task: TaskId) -> bool {
        self.0 & (1 << task.0) != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = TaskId> {
        (0..u64::BITS).map(TaskId).filter(move |task| self.contains(*task))
    }
}

/// What is to be known of a quiet state, but for where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Calm {
    /// Who can make a step.
    pub(super) can: Tasks,
    /// Who wants something that it should get at some time.
    pub(super) waits: Tasks,
    /// Whether something is to happen at a time.
    pub(super) has_timer: bool,
    /// Whether every process has ended.
    pub(super) is_over: bool,
}

impl Calm {
    /// Of a world in which these can step and these wait; and whether some task had no
    /// room in a set.
    pub(super) fn of(
        world: &World,
        can: impl Iterator<Item = TaskId>,
        waits: impl Iterator<Item = TaskId>,
    ) -> (Self, bool) {
        let mut is_crowded = false;
        let mut tasks = |all: &mut dyn Iterator<Item = TaskId>| {
            let mut tasks = Tasks::default();
            all.for_each(|task| is_crowded |= !tasks.insert(task));
            tasks
        };
        let (can, waits) = (tasks(&mut { can }), tasks(&mut { waits }));
        let (has_timer, is_over) = (world.has_timer(), world.is_over());
        (Self { can, waits, has_timer, is_over }, is_crowded)
    }
}

/// A way out of a quiet state: the step of a task, or the time that passes because
/// nobody has one. What is forced comes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) by: Option<TaskId>,
    /// A state's number; or a node's, once the graph is closed.
    pub(super) to: u32,
}

/// The quiet states and the ways between them. They are nodes in the order of their
/// numbers, the shallowest first.
#[derive(Default)]
pub(super) struct Graph {
    ids: Vec<StateId>,
    calm: Vec<Calm>,
    /// Where the ways out of each node end, among all ways.
    ends: Vec<usize>,
    by: Vec<u8>,
    to: Vec<u32>,
    /// Whether some task had no room in a set.
    pub(super) is_crowded: bool,
}

/// Leads where the search did not go.
pub(super) const NOWHERE: u32 = u32::MAX;

const NOBODY: u8 = u8::MAX;

impl Graph {
    /// Takes note of a state, in the order of their numbers. What it leads to was entered
    /// before, if there was room.
    pub(super) fn enter(&mut self, stand: QuietStand, seen: &Seen) {
        debug_assert!(self.ids.last().is_none_or(|last| *last < stand.id), "states come in order");
        self.is_crowded |= stand.is_crowded;
        self.ids.push(stand.id);
        self.calm.push(stand.calm);
        for (by, to) in stand.ways {
            self.by.push(by.map_or(NOBODY, |task| task.0.min(u32::from(NOBODY)) as u8));
            self.to.push(seen.id(to).unwrap_or(NOWHERE));
        }
        self.ends.push(self.to.len());
    }

    /// All is known: ways lead to nodes from now on.
    pub(super) fn close(&mut self, seen: &Seen) {
        let mut nodes = vec![NOWHERE; seen.len() as usize];
        for (node, id) in (0..).zip(&self.ids) {
            nodes[*id as usize] = node;
        }
        for to in self.to.iter_mut().filter(|to| **to != NOWHERE) {
            *to = nodes[*to as usize];
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn id(&self, node: u32) -> StateId {
        self.ids[node as usize]
    }

    pub(super) fn calm(&self, node: u32) -> Calm {
        self.calm[node as usize]
    }

    /// The numbers of a node's ways.
    pub(super) fn ways(&self, node: u32) -> std::ops::Range<usize> {
        let begin = (node as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        begin..self.ends[node as usize]
    }

    pub(super) fn way(&self, way: usize) -> Way {
        let by = Some(self.by[way]).filter(|by| *by != NOBODY);
        Way { by: by.map(|task| TaskId(u32::from(task))), to: self.to[way] }
    }
}
