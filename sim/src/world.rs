use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Automaton, Call, Cursor, Fingerprint, Happening, Reply, Task};

use crate::event::Event;
use crate::kernel::{Kernel, MachineId, ProcId, Process, TaskId, reusing_clone};
use crate::mishap::Budgets;
use crate::part::{Part, VisitorMut};
use crate::setup::Setup;

mod anatomy;
mod apply;
mod launch;
mod mishap;
mod name;
mod offer;
mod renamed;
mod setback;
mod story;

pub use offer::Offer;
pub(crate) use offer::{Ability, Front};
use story::Story;

/// A world in mid-run: a value that can be cloned, hashed and gone back to.
///
/// It makes no choice of its own: [`offer`](Self::offer) says what may happen
/// next, [`apply`](Self::apply) makes it happen.
pub struct World {
    state: State,
    /// The live futures of the tasks, by their ids. No part of the state.
    cursors: Vec<Option<Cursor>>,
    /// Where programs are learned instead of being run each time.
    automaton: Option<Arc<Automaton>>,
    happened: Happened,
}

/// All that what may happen in a world depends on. Unlike the world it can go to
/// another thread.
pub(crate) struct State {
    setup: Arc<Setup>,
    kernel: Kernel,
    /// The tasks, by their ids.
    minds: Vec<Mind>,
    course: Part<Course>,
}

/// What has been and is still to come, besides what tasks do.
#[derive(Clone, Hash)]
struct Course {
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
}

impl Course {
    /// Whether the adversary may move, as long as something can happen.
    fn is_awake(&self) -> bool {
        self.budget.awake && !self.budget.quiet
    }

    fn is_starved(&self, proc: ProcId, process: &Process) -> bool {
        self.starved.contains(&proc) || self.resting.contains(&process.machine)
    }
}

/// A task, and which process of the set-up runs it, if one does.
struct Mind {
    launch: Option<usize>,
    /// The fingerprint of a task of its program that has ended.
    end: Fingerprint,
    position: Part<Position>,
}

reusing_clone!(Mind { launch, end, position });

/// Where a task stands.
struct Position {
    task: Task,
    /// The points that name the pending call.
    points: Vec<&'static str>,
    /// The last point that it said.
    last_point: Option<&'static str>,
}

reusing_clone!(Position { task, points, last_point });

/// The points are said by then.
impl Hash for Position {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.task.node().hash(hasher);
    }
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
    /// A process of the set-up, and the fault that told of it.
    Restart(usize, usize),
}

/// What the adversary still has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
        let state = State {
            kernel: Kernel::new(&setup.machines, seed),
            minds: Vec::new(),
            course: Part::new(Course {
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
            }),
            setup,
        };
        Self { state, cursors: Vec::new(), automaton: None, happened: Happened::default() }
    }

    /// The same, for programs that are learned: worlds that share an automaton run
    /// a program once for each reply that it is ever given.
    pub(crate) fn learning(setup: Arc<Setup>, seed: u64, automaton: &Arc<Automaton>) -> Self {
        Self { automaton: Some(Arc::clone(automaton)), ..Self::new(setup, seed) }
    }

    /// Where the world stands.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Changes parts of where the world stands.
    pub(crate) fn change_parts(&mut self, visitor: &mut impl VisitorMut) {
        self.cursors.iter_mut().for_each(|cursor| *cursor = None);
        self.state.visit_mut(visitor);
    }

    /// Says what the last points of all tasks were: they are no part of the state.
    pub(crate) fn set_last_points(&mut self, points: &[Option<&'static str>]) {
        for (mind, point) in self.state.minds.iter_mut().zip(points) {
            mind.position.last_point = *point;
        }
    }

    /// Of one that is silent for good it makes no difference what it had left.
    pub(crate) fn forget_adversary(&mut self) {
        self.state.course.budget = Budget { quiet: true, awake: true, ..Budget::default() };
    }

    /// Goes to where another world of the same set-up stood.
    pub(crate) fn go_to(&mut self, state: &State) {
        self.state.clone_from(state);
        self.cursors.clear();
        self.cursors.resize_with(state.minds.len(), || None);
    }

    /// What the world began with.
    pub fn setup(&self) -> &Setup {
        &self.state.setup
    }

    /// The machines.
    pub fn kernel(&self) -> &Kernel {
        &self.state.kernel
    }

    /// The call that a task waits to make, or waits in; `None` when it has ended.
    pub fn pending(&self, task: TaskId) -> Option<&Call> {
        self.state.minds[task.0 as usize].task().pending()
    }

    /// The last point that a task said; `None` before the first, and when it has ended. No
    /// part of the state, for what comes does not depend on it.
    pub fn last_point(&self, task: TaskId) -> Option<&'static str> {
        self.state.minds[task.0 as usize].position.last_point
    }

    /// Those of all tasks, in their order.
    pub(crate) fn last_points(&self) -> Vec<Option<&'static str>> {
        self.state.minds.iter().map(|mind| mind.position.last_point).collect()
    }

    /// The process that a process of the set-up became, once launched.
    pub fn launched(&self, index: usize) -> Option<ProcId> {
        self.state.course.launched[index]
    }

    /// Whether a process is not given the processor, though it could run: its
    /// machine may rest.
    pub fn is_starved(&self, proc: ProcId) -> bool {
        self.state.course.is_starved(proc, self.state.kernel.process(proc))
    }

    /// The faults of the story that have taken effect, by index.
    pub fn fired(&self) -> &[bool] {
        self.state.course.story.fired()
    }

    /// Whether a fault of the story has had its time, whatever came of it.
    pub fn is_over_with(&self, fault: usize) -> bool {
        self.state.course.story.is_over(fault)
    }

    /// What the last choice brought about.
    pub fn events(&self) -> &[Event] {
        &self.happened.events
    }

    /// What of it is told to those who watch: all but where programs stand.
    pub(crate) fn news(&self) -> impl Iterator<Item = &Event> {
        let is_point =
            |event: &&Event| matches!(event, Event::Said { said: Happening::Point(_), .. });
        self.events().iter().filter(move |event| !is_point(event))
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
        self.state.fingerprint()
    }
}

impl State {
    /// Since the world began.
    pub(crate) fn now(&self) -> Duration {
        self.kernel.now()
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_state(self)
    }
}

impl Position {
    fn new(task: Task) -> Self {
        Self { task, points: Vec::new(), last_point: None }
    }
}

impl Mind {
    fn task(&self) -> &Task {
        &self.position.task
    }

    /// The task will not run again, wherever it stands.
    fn end(&mut self) {
        self.position.put(Position::new(Task::ended(self.end)));
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.kernel.hash(hasher);
        // As if they were no parts: how a state is hashed is written down in schedules.
        hasher.write_usize(self.minds.len());
        self.minds.iter().for_each(|mind| mind.task().node().hash(hasher));
        self.course.hash(hasher);
    }
}

/// A clone has no live future: its tasks are re-run when they are next given a reply.
impl Clone for World {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            cursors: self.cursors.iter().map(|_| None).collect(),
            automaton: self.automaton.clone(),
            happened: self.happened.clone(),
        }
    }

    /// Goes back to `source`, reusing what this world has allocated.
    fn clone_from(&mut self, source: &Self) {
        self.go_to(&source.state);
        self.automaton.clone_from(&source.automaton);
        self.happened.clone_from(&source.happened);
    }
}

reusing_clone!(State { setup, kernel, minds, course });
