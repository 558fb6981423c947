use crate::cursor::{Cursor, Role, Running};
use crate::renaming::Renaming;
use crate::shift::Shift;
use crate::slot::{Event, Happening};
use crate::trail::{Item, Trail};
use crate::{Call, Fingerprint, Image, Reply, Ret};

/// Where a task stands after it was given a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It waits for the reply to its next call: [`Task::pending`](crate::Task::pending).
    Calls,
    /// It panicked, with this message: the process aborts.
    Aborts(String),
}

/// Where a task stands: what it has learned, and the call it makes next.
#[derive(Clone)]
pub(crate) struct Stance {
    image: Image,
    role: Role,
    trail: Trail,
    /// None once it has panicked.
    pub(crate) pending: Option<Call>,
}

impl Stance {
    /// At the first call of a program; what it says on the way is appended to `said`.
    pub(crate) fn start(
        image: Image,
        role: Role,
        said: &mut Vec<Happening>,
    ) -> (Self, Cursor, Progress) {
        let mut cursor = Cursor::new(&image);
        let mut stance = Self { image, role, trail: Trail::default(), pending: None };
        let progress = stance.advance(&mut cursor, said);
        (stance, cursor, progress)
    }

    /// From the pending call, which gives `reply`, to the next one.
    pub(crate) fn resume(
        &mut self,
        cursor: &mut Cursor,
        reply: Reply,
        said: &mut Vec<Happening>,
    ) -> Progress {
        let call = self.pending.take().expect("a reply is given to a pending call");
        cursor.slot.reply.set(Some(reply.clone()));
        self.trail.push_reply(call, reply);
        self.advance(cursor, said)
    }

    fn advance(&mut self, cursor: &mut Cursor, said: &mut Vec<Happening>) -> Progress {
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
                self.trail = Trail::default();
                Progress::Aborts(message)
            }
        }
    }

    /// A cursor that has been given everything in the trail.
    ///
    /// # Panics
    ///
    /// When the program does not make the calls that it made before: then it depends
    /// on something else than its replies.
    pub(crate) fn rerun(&self) -> Cursor {
        self.try_rerun().unwrap_or_else(|difference| panic!("{difference}"))
    }

    /// As [`rerun`](Self::rerun); or what the program did instead.
    pub(crate) fn try_rerun(&self) -> Result<Cursor, String> {
        let name = self.image.name();
        let mut cursor = Cursor::new(&self.image);
        cursor.slot.script.borrow_mut().extend(self.trail.items().iter().cloned());
        loop {
            let polled = cursor.poll(Running::ProgramAgain, self.role);
            let call = polled.map_err(|why| format!("{name} panicked when re-run: {why}"))?;
            cursor.slot.events.borrow_mut().clear();
            let next = cursor.slot.script.borrow_mut().pop_front();
            match next {
                Some(Item::Reply { call: recorded, reply }) => {
                    self.must_be_the_same(&call, Some(&recorded))?;
                    cursor.slot.reply.set(Some(reply));
                }
                Some(_) => return Err(format!("{name} did not loop when re-run")),
                None => {
                    self.must_be_the_same(&call, self.pending.as_ref())?;
                    return Ok(cursor);
                }
            }
        }
    }

    fn must_be_the_same(&self, call: &Call, recorded: Option<&Call>) -> Result<(), String> {
        if recorded == Some(call) {
            return Ok(());
        }
        let name = self.image.name();
        Err(format!(
            "{name} is not a function of its replies: it asked {recorded:?} first, {call:?} when re-run"
        ))
    }

    /// Whether it rests on times.
    pub(crate) fn has_times(&self) -> bool {
        let pending = self.pending.as_ref();
        self.trail.has_times() || pending.is_some_and(|call| Shift::concerns(call, &Ok(Ret::Unit)))
    }

    /// Shows `shift` all times on which it rests.
    pub(crate) fn show_times(&self, shift: &Shift<'_>) {
        // What comes of it is of no interest.
        let _ = self.shifted(shift);
    }

    /// The same, had all clocks shown other times.
    pub(crate) fn shifted(&self, shift: &Shift<'_>) -> Self {
        Self {
            image: self.image.clone(),
            role: self.role,
            trail: self.trail.shifted(shift),
            pending: self.pending.as_ref().map(|call| shift.call(call)),
        }
    }

    /// The same, had processes changed places. `other` is how another stance that differs
    /// from this one in times alone would be then: what loops carry is taken from it.
    pub(crate) fn renamed(&self, other: &Self, renaming: &Renaming<'_>) -> Option<Self> {
        let pending = match &self.pending {
            Some(call) => Some(renaming.call(call)?),
            None => None,
        };
        let trail = self.trail.renamed(&other.trail, renaming)?;
        Some(Self { image: self.image.clone(), role: self.role, trail, pending })
    }

    /// Stances with one fingerprint have one future.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.trail.node(self.root(self.pending.is_some()))
    }

    /// The fingerprint of the task once it has ended.
    pub(crate) fn at_end(&self) -> Fingerprint {
        self.root(false)
    }

    fn root(&self, calls: bool) -> Fingerprint {
        Fingerprint::of(&(&self.image, self.role, calls))
    }
}
