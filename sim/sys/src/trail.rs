use std::sync::Arc;

use crate::kept::Kept;
use crate::renaming::Renaming;
use crate::shift::Shift;
use crate::{Call, Fingerprint, Reply};

/// One thing a task has learned, in order.
#[derive(Clone)]
pub(crate) enum Item {
    Reply { call: Call, reply: Reply },
    LoopOpened,
    LoopHead(Arc<dyn Kept>),
    LoopDone(Arc<dyn Kept>),
}

/// What a task has learned so far, and all that it can depend on: replies, and
/// for each loop the locals it last restarted from instead of what led there.
#[derive(Clone, Default)]
pub(crate) struct Trail {
    items: Vec<Item>,
    /// Where in `items` the loops that are still running were opened.
    open_loops: Vec<usize>,
}

impl Trail {
    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(crate) fn push_reply(&mut self, call: Call, reply: Reply) {
        self.items.push(Item::Reply { call, reply });
    }

    pub(crate) fn open_loop(&mut self) {
        self.open_loops.push(self.items.len());
        self.items.push(Item::LoopOpened);
    }

    /// The innermost loop restarts: what it did before is forgotten.
    pub(crate) fn head_loop(&mut self, locals: Arc<dyn Kept>) {
        let opened = *self.open_loops.last().expect("a loop restarts after it was opened");
        self.items.truncate(opened + 1);
        self.items.push(Item::LoopHead(locals));
    }

    /// The innermost loop ends: only its value remains.
    pub(crate) fn close_loop(&mut self, value: Arc<dyn Kept>) {
        let opened = self.open_loops.pop().expect("a loop ends after it was opened");
        self.items.truncate(opened);
        self.items.push(Item::LoopDone(value));
    }

    /// Whether there are times in it.
    pub(crate) fn has_times(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::Reply { call, reply } => Shift::concerns(call, reply),
            _ => false,
        })
    }

    /// The same, had all clocks shown other times.
    pub(crate) fn shifted(&self, shift: &Shift<'_>) -> Self {
        let items = self.items.iter().map(|item| match item {
            Item::Reply { call, reply } => {
                Item::Reply { call: shift.call(call), reply: shift.reply(call, reply) }
            }
            other => other.clone(),
        });
        Self { items: items.collect(), open_loops: self.open_loops.clone() }
    }

    /// The same, had processes changed places; what loops carry is as in `other`.
    pub(crate) fn renamed(&self, other: &Self, renaming: &Renaming<'_>) -> Option<Self> {
        if self.items.len() != other.items.len() {
            return None;
        }
        let items = self.items.iter().zip(&other.items).map(|(item, other)| match (item, other) {
            (Item::Reply { call, reply }, Item::Reply { .. }) => Some(Item::Reply {
                call: renaming.call(call)?,
                reply: renaming.reply(call, reply)?,
            }),
            (Item::Reply { .. }, _) | (_, Item::Reply { .. }) => None,
            (_, carried) => Some(carried.clone()),
        });
        Some(Self { items: items.collect::<Option<_>>()?, open_loops: self.open_loops.clone() })
    }

    /// The node that this trail leads to: trails with one node have one future.
    pub(crate) fn node(&self, root: Fingerprint) -> Fingerprint {
        self.items.iter().fold(root, |node, item| match item {
            Item::Reply { reply, .. } => node.then(&(0_u8, reply)),
            Item::LoopOpened => node.then(&1_u8),
            Item::LoopHead(locals) => node.then(&(2_u8, locals.fingerprint())),
            Item::LoopDone(value) => node.then(&(3_u8, value.fingerprint())),
        })
    }
}
