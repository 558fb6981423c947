use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::slot::Slot;
use crate::{Call, Image, Program, Sys, Task};

/// The live future of a program, as far as it has run: what saves a task from being
/// run again from its beginning. It stays in its thread.
pub struct Cursor {
    pub(crate) slot: Rc<Slot>,
    future: Program,
}

impl Cursor {
    pub(crate) fn new(image: &Image) -> Self {
        let slot = Rc::new(Slot::default());
        let future = image.start(Sys(Rc::clone(&slot)));
        Self { slot, future }
    }

    /// Runs the program to its next call; the message if it panicked.
    pub(crate) fn poll(&mut self, running: Running, role: Role) -> Result<Call, String> {
        let mut context = Context::from_waker(Waker::noop());
        RUNNING.set(running);
        let polled =
            panic::catch_unwind(AssertUnwindSafe(|| self.future.as_mut().poll(&mut context)));
        RUNNING.set(Running::Driver);
        match polled {
            Ok(Poll::Ready(code)) => Ok(match role {
                Role::Main => Call::Exit { code },
                Role::Thread => Call::ThreadExit { code },
            }),
            Ok(Poll::Pending) => {
                self.slot.call.take().ok_or_else(|| "awaited something that is no call".to_owned())
            }
            Err(payload) => Err(message_of(payload.as_ref())),
        }
    }
}

/// What a task is to its process: what ends when its program returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It runs the process's program.
    Main,
    /// It is another thread of the process.
    Thread,
}

/// Whose code this thread runs now. What is global to a thread, a panic hook and
/// a `tracing` subscriber, can ask in no other way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Running {
    Driver,
    Program,
    ProgramAgain,
}

thread_local! {
    static RUNNING: Cell<Running> = const { Cell::new(Running::Driver) };
}

impl Task {
    /// Whether this thread is now running a program's own code: a panic hook
    /// can tell a program's abort, which the trace shows, from a fault of the
    /// driver.
    pub fn in_program() -> bool {
        RUNNING.get() != Running::Driver
    }

    /// Whether this thread is now re-running a program, which says nothing new.
    pub fn is_rerunning() -> bool {
        RUNNING.get() == Running::ProgramAgain
    }
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    if let Some(message) = payload.downcast_ref::<&str>() {
        (*message).to_owned()
    } else if let Some(message) = payload.downcast_ref::<String>() {
        message.clone()
    } else {
        "panicked".to_owned()
    }
}
