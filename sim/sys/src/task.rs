use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::slot::{Event, Happening, Slot};
use crate::trail::{Item, Trail};
use crate::{Call, Fingerprint, Image, Program, Reply, Sys};

/// Where a task stands after it was given a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It waits for the reply to its next call: [`Task::pending`].
    Calls,
    /// It panicked, with this message: the process aborts.
    Aborts(String),
}

/// A task of a program: a value, made of what it has learned.
///
/// The live future is only a cursor. A clone has none; it is re-run from the
/// trail when it is next given a reply, and every call it then makes must be
/// the one that was recorded.
pub struct Task {
    image: Image,
    role: Role,
    trail: Trail,
    pending: Option<Call>,
    cursor: Option<Cursor>,
}

/// What a task is to its process: what ends when its program returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It runs the process's program.
    Main,
    /// It is another thread of the process.
    Thread,
}

struct Cursor {
    slot: Rc<Slot>,
    future: Program,
}

impl Task {
    /// A task that runs `image` up to its first call. What the program says
    /// on the way is appended to `said`.
    pub fn start(image: Image, role: Role, said: &mut Vec<Happening>) -> (Self, Progress) {
        let cursor = Some(Cursor::new(&image));
        let mut task = Self { image, role, trail: Trail::default(), pending: None, cursor };
        let progress = task.advance(said);
        (task, progress)
    }

    /// What the task executes.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The call that the task waits for, until it has ended.
    pub fn pending(&self) -> Option<&Call> {
        self.pending.as_ref()
    }

    /// Gives the reply to the pending call, and runs up to the next one. What
    /// the program says on the way is appended to `said`.
    ///
    /// # Panics
    ///
    /// When no call is pending, and when a re-run task does not make the calls
    /// it made before: then it depends on something else than its replies.
    pub fn resume(&mut self, reply: Reply, said: &mut Vec<Happening>) -> Progress {
        if self.cursor.is_none() {
            self.cursor = Some(self.rerun());
        }
        let call = self.pending.take().expect("a reply is given to a pending call");
        let cursor = self.cursor.as_ref().expect("the cursor is live");
        cursor.slot.reply.set(Some(reply.clone()));
        self.trail.push_reply(call, reply);
        self.advance(said)
    }

    /// Ends the task where it stands: it will not run again.
    pub fn end(&mut self) {
        self.cursor = None;
        self.pending = None;
        self.trail = Trail::default();
    }

    /// The node at which the task stands: tasks with one node have one future.
    pub fn node(&self) -> Fingerprint {
        self.trail.node(Fingerprint::of(&(&self.image, self.role, self.pending.is_some())))
    }

    fn advance(&mut self, said: &mut Vec<Happening>) -> Progress {
        let cursor = self.cursor.as_mut().expect("the cursor is live");
        let polled = cursor.poll(Running::Program, self.role);
        for event in cursor.slot.events.borrow_mut().drain(..) {
            match event {
                Event::Happening(happening) => said.push(happening),
                Event::LoopOpened => self.trail.open_loop(),
                Event::LoopHead(locals) => self.trail.head_loop(locals),
                Event::LoopDone(value) => self.trail.close_loop(value),
            }
        }
        match polled {
            Ok(call) => {
                self.pending = Some(call);
                Progress::Calls
            }
            Err(message) => {
                self.end();
                Progress::Aborts(message)
            }
        }
    }

    /// A cursor that has been given everything in the trail.
    fn rerun(&self) -> Cursor {
        let mut cursor = Cursor::new(&self.image);
        cursor.slot.script.borrow_mut().extend(self.trail.items().iter().cloned());
        loop {
            let call = cursor.poll(Running::ProgramAgain, self.role).unwrap_or_else(|message| {
                panic!("{} panicked when re-run, not before: {message}", self.image.name())
            });
            cursor.slot.events.borrow_mut().clear();
            let next = cursor.slot.script.borrow_mut().pop_front();
            match next {
                Some(Item::Reply { call: recorded, reply }) => {
                    self.must_be_the_same(&call, Some(&recorded));
                    cursor.slot.reply.set(Some(reply));
                }
                Some(_) => panic!("{} did not loop when re-run", self.image.name()),
                None => {
                    self.must_be_the_same(&call, self.pending.as_ref());
                    return cursor;
                }
            }
        }
    }

    fn must_be_the_same(&self, call: &Call, recorded: Option<&Call>) {
        assert!(
            recorded == Some(call),
            "{} is not a function of its replies: it asked {recorded:?} first, {call:?} when re-run",
            self.image.name(),
        );
    }
}

impl Clone for Task {
    fn clone(&self) -> Self {
        Self {
            image: self.image.clone(),
            role: self.role,
            trail: self.trail.clone(),
            pending: self.pending.clone(),
            cursor: None,
        }
    }
}

/// Whose code this thread runs now. What is global to a thread, a panic hook and
/// a `tracing` subscriber, can ask in no other way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Running {
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

impl Cursor {
    fn new(image: &Image) -> Self {
        let slot = Rc::new(Slot::default());
        let future = image.start(Sys(Rc::clone(&slot)));
        Self { slot, future }
    }

    /// Runs the program to its next call; the message if it panicked.
    fn poll(&mut self, running: Running, role: Role) -> Result<Call, String> {
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

fn message_of(payload: &(dyn Any + Send)) -> String {
    if let Some(message) = payload.downcast_ref::<&str>() {
        (*message).to_owned()
    } else if let Some(message) = payload.downcast_ref::<String>() {
        message.clone()
    } else {
        "panicked".to_owned()
    }
}
