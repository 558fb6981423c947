use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Call, Fingerprint, Happening, Reply, Task};

use crate::event::Event;
use crate::kernel::{Kernel, MachineId, ProcId, TaskId};
use crate::mishap::Budgets;
use crate::setup::Setup;

mod apply;
mod mishap;
mod name;
mod offer;
mod story;

pub use offer::Offer;
use story::Story;

/// A world in mid-run: a value that can be cloned, hashed and gone back to.
///
/// It makes no choice of its own: [`offer`](Self::offer) says what may happen
/// next, [`apply`](Self::apply) makes it happen.
pub struct World {
    setup: Arc<Setup>,
    kernel: Kernel,
    /// The tasks, by their ids.
    minds: Vec<Mind>,
    /// The processes of the set-up that have been launched, by index.
    launched: Vec<Option<ProcId>>,
    /// What is to happen at a time, earliest first.
    agenda: Vec<Appointment>,
    story: Story,
    /// Who could run and is not given the processor, sorted.
    starved: Vec<ProcId>,
    /// The machines that are suspended or paused, sorted.
    resting: Vec<MachineId>,
    budget: Budget,
    /// How many strangers have been given a pid.
    strangers: u32,
    happened: Happened,
}

/// A task, and which process of the set-up runs it, if one does.
#[derive(Clone)]
struct Mind {
    task: Task,
    launch: Option<usize>,
    /// The points that name the pending call.
    points: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Appointment {
    at: Duration,
    what: Due,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Due {
    Launch(usize),
    Fault(usize),
    Continue(ProcId),
    Feed(ProcId),
    /// The fault that told of it.
    Reuse(ProcId, usize),
    Wake(MachineId),
    Drain(MachineId),
}

/// What the adversary still has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Budget {
    stops: u32,
    kills: u32,
    passes: u32,
    reuses: u32,
    io_errors: u32,
    mishaps: Budgets,
    awake: bool,
    /// It has fallen silent, or never had anything.
    quiet: bool,
}

/// What the last choice brought about. No part of the state.
#[derive(Clone, Default)]
struct Happened {
    events: Vec<Event>,
    said: Vec<Happening>,
    recording: bool,
    performed: Option<Performed>,
}

/// The call that the last choice performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// Who called.
    pub task: TaskId,
    /// The points that named the call.
    pub points: Vec<&'static str>,
    /// The call.
    pub call: Call,
    /// What it gave back.
    pub outcome: CallOutcome,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It returned at once.
    Returned(Reply),
    /// It waits.
    Blocked,
    /// It had waited, and returned.
    Woke(Reply),
    /// The caller ended.
    Ended,
}

impl World {
    /// The world at its beginning: machines have booted, nothing is launched.
    /// `seed` is that of what the kernel makes up: random bytes, boot ids.
    pub fn new(setup: Arc<Setup>, seed: u64) -> Self {
        let mut agenda: Vec<Appointment> = setup
            .processes
            .iter()
            .enumerate()
            .map(|(index, launch)| Appointment { at: launch.start, what: Due::Launch(index) })
            .collect();
        agenda.sort_by_key(|appointment| appointment.at);
        let adversary = &setup.adversary;
        Self {
            kernel: Kernel::new(&setup.machines, seed),
            minds: Vec::new(),
            launched: vec![None; setup.processes.len()],
            agenda,
            story: Story::new(&setup.story),
            starved: Vec::new(),
            resting: Vec::new(),
            budget: Budget {
                stops: adversary.stops,
                kills: adversary.kills,
                passes: adversary.passes,
                reuses: adversary.reuses,
                io_errors: adversary.io_errors,
                mishaps: adversary.mishaps,
                awake: adversary.after.is_none(),
                quiet: adversary.is_silent(),
            },
            strangers: 0,
            happened: Happened::default(),
            setup,
        }
    }

    /// What the world began with.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The machines.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The call that a task waits to make, or waits in; `None` when it has ended.
    pub fn pending(&self, task: TaskId) -> Option<&Call> {
        self.minds[task.0 as usize].task.pending()
    }

    /// The process that a process of the set-up became, once launched.
    pub fn launched(&self, index: usize) -> Option<ProcId> {
        self.launched[index]
    }

    /// Whether a process is not given the processor, though it could run: its
    /// machine may rest.
    pub fn is_starved(&self, proc: ProcId) -> bool {
        self.starved.contains(&proc)
            || (!self.resting.is_empty()
                && self.resting.contains(&self.kernel.process(proc).machine))
    }

    /// The faults of the story that have taken effect, by index.
    pub fn fired(&self) -> &[bool] {
        self.story.fired()
    }

    /// Whether a fault of the story has had its time, whatever came of it.
    pub fn is_over_with(&self, fault: usize) -> bool {
        self.story.is_over(fault)
    }

    /// What the last choice brought about.
    pub fn events(&self) -> &[Event] {
        &self.happened.events
    }

    /// Keeps the call of each step for [`performed`](Self::performed).
    pub fn record_calls(&mut self) {
        self.happened.recording = true;
    }

    /// The call of the last step, when calls are recorded.
    pub fn performed(&self) -> Option<&Performed> {
        self.happened.performed.as_ref()
    }

    /// A fingerprint of the whole state: worlds with one fingerprint have one
    /// future under the same choices.
    pub fn fingerprint(&self) -> Fingerprint {
        let nodes: Vec<Fingerprint> = self.minds.iter().map(|mind| mind.task.node()).collect();
        Fingerprint::of(&(
            &self.kernel,
            nodes,
            &self.launched,
            &self.agenda,
            &self.story,
            &self.starved,
            &self.resting,
            self.budget,
            self.strangers,
        ))
    }
}

impl Clone for World {
    fn clone(&self) -> Self {
        Self {
            setup: Arc::clone(&self.setup),
            kernel: self.kernel.clone(),
            minds: self.minds.clone(),
            launched: self.launched.clone(),
            agenda: self.agenda.clone(),
            story: self.story.clone(),
            starved: self.starved.clone(),
            resting: self.resting.clone(),
            budget: self.budget,
            strangers: self.strangers,
            happened: self.happened.clone(),
        }
    }

    /// Goes back to `source`, reusing what this world has allocated.
    fn clone_from(&mut self, source: &Self) {
        self.setup.clone_from(&source.setup);
        self.kernel.clone_from(&source.kernel);
        self.minds.clone_from(&source.minds);
        self.launched.clone_from(&source.launched);
        self.agenda.clone_from(&source.agenda);
        self.story.clone_from(&source.story);
        self.starved.clone_from(&source.starved);
        self.resting.clone_from(&source.resting);
        self.budget = source.budget;
        self.strangers = source.strangers;
        self.happened.clone_from(&source.happened);
    }
}
