use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;
use smol_str::SmolStr;

use crate::kept::Kept;
use crate::trail::Item;
use crate::{Call, Reply};

/// What a program says between a reply and its next call. Neither is a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Happening {
    /// [`Sys::point`](crate::Sys::point).
    Point(&'static str),
    /// [`Sys::mark`](crate::Sys::mark).
    Mark {
        /// What happened.
        name: &'static str,
        /// What it happened to.
        subject: SmolStr,
        /// How much, or how often.
        value: i64,
    },
}

/// What the program has told the slot since the last reply.
pub(crate) enum Event {
    Happening(Happening),
    LoopOpened,
    LoopHead(Arc<dyn Kept>),
    LoopDone(Arc<dyn Kept>),
}

/// How a loop begins: anew, or where a recorded trail says it stood.
pub(crate) enum LoopEntry {
    Fresh,
    At(Arc<dyn Kept>),
    Done(Arc<dyn Kept>),
}

/// Where a program's call and the driver's reply meet: one a task.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) call: Cell<Option<Call>>,
    pub(crate) reply: Cell<Option<Reply>>,
    pub(crate) events: RefCell<Vec<Event>>,
    /// What is still to be re-run, when a task is being re-run.
    pub(crate) script: RefCell<VecDeque<Item>>,
}

impl Slot {
    pub(crate) fn tell(&self, event: Event) {
        self.events.borrow_mut().push(event);
    }

    pub(crate) fn enter_loop(&self) -> LoopEntry {
        let mut script = self.script.borrow_mut();
        match script.front() {
            Some(Item::LoopOpened) => {
                script.pop_front();
                match script.pop_front() {
                    Some(Item::LoopHead(locals)) => LoopEntry::At(locals),
                    _ => panic!(
                        "a recorded loop has no head: the program is not a function of its replies"
                    ),
                }
            }
            Some(Item::LoopDone(_)) => match script.pop_front() {
                Some(Item::LoopDone(value)) => LoopEntry::Done(value),
                _ => unreachable!("the front was just seen"),
            },
            _ => LoopEntry::Fresh,
        }
    }
}
