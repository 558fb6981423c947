//! The simulated Linux: a plain state machine.
//!
//! A [`Kernel`] is a value: cheap to clone, hashed, and gone back to with
//! `clone_from`. It changes by calls of tasks and by moves of the world, and
//! nothing in it happens by itself.

mod alarm;
mod anatomy;
mod call;
mod cells;
mod children;
mod container;
mod descriptors;
mod effect;
mod files;
mod fork;
mod fs;
mod futex;
mod ids;
mod interrupt;
mod life;
mod local;
mod lockers;
mod machine;
mod namespace;
mod outcome;
mod pid;
mod pidfd;
mod places;
mod poll;
mod power;
mod process;
mod procfs;
mod random;
mod record;
mod renamed;
mod reuse;
mod setback;
mod signal;
mod signals;
mod slots;
mod socket;
mod threads;
mod wait;

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use locklab_sys::{Clock, Fingerprint, Signal, SmolStr};

pub use effect::{Effect, Naming};
pub use fs::{Durability, IoCall, Room, Survivor};
pub use ids::{MachineId, ProcId, TaskId};
pub use machine::{InodeNumbers, MachineConfig, Rest, ReusedBy};
pub use outcome::Outcome;
pub(crate) use places::{Change, Place, Places};
pub use process::{Process, State};
pub(crate) use setback::{Noted, Setback};

use crate::part::Part;
use alarm::Alarm;
use machine::Machine;
pub(crate) use reuse::reusing_clone;
use wait::Blocked;

/// All machines of a world.
///
/// Two kernels are equal, and hash alike, when the same calls and moves have
/// the same outcomes from here on; the effects seen so far are no part of it.
#[derive(Debug)]
pub struct Kernel {
    /// Since the world began.
    now: Duration,
    machines: Vec<Machine>,
    procs: Vec<Part<Process>>,
    tasks: Vec<Task>,
    /// Earliest first; no process has two.
    alarms: Vec<Alarm>,
    /// Of what it makes up.
    seed: u64,
    effects: Vec<Effect>,
}

reusing_clone!(Kernel { now, machines, procs, tasks, alarms, seed, effects });

/// A thread of a process. Who asks for those of one process need not look at the others.
#[derive(Debug, PartialEq, Eq)]
struct Task {
    proc: ProcId,
    state: Part<TaskState>,
}

reusing_clone!(Task { proc, state });

/// How a thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TaskState {
    /// Which thread of its process: 1 is the main one, whose id is the pid.
    number: u32,
    /// It has ended, before its process.
    ended: bool,
    /// What its process gets when the parent ends. None for a child of init,
    /// which never does.
    parent_death_signal: Option<Signal>,
    blocked: Option<Blocked>,
}

impl Deref for Task {
    type Target = TaskState;

    fn deref(&self) -> &TaskState {
        &self.state
    }
}

impl DerefMut for Task {
    fn deref_mut(&mut self) -> &mut TaskState {
        &mut self.state
    }
}

/// As if it were one piece: how a state is hashed is written down in schedules.
impl Hash for Task {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.proc, &*self.state).hash(hasher);
    }
}

/// All that what happens from here on depends on.
type Whole<'k> = (Duration, &'k [Machine], &'k [Part<Process>], &'k [Task], &'k [Alarm], u64);

impl Kernel {
    /// Machines that have just booted.
    ///
    /// # Panics
    ///
    /// When a machine's pids make no sense.
    pub fn new(machines: &[MachineConfig], seed: u64) -> Self {
        let booted = machines.iter().enumerate();
        Self {
            now: Duration::ZERO,
            machines: booted.map(|(index, config)| Machine::boot(config, index, seed)).collect(),
            procs: Vec::new(),
            tasks: Vec::new(),
            alarms: Vec::new(),
            seed,
            effects: Vec::new(),
        }
    }

    /// The time since the world began.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Lets time pass, on all machines; timers that expire send their signals.
    ///
    /// # Panics
    ///
    /// When time would go back.
    pub fn advance_to(&mut self, to: Duration) {
        while let Some(alarm) = self.take_alarm(to) {
            self.pass_to(alarm.due);
            self.deliver(alarm.proc, Signal::Alrm);
        }
        self.pass_to(to);
    }

    fn pass_to(&mut self, to: Duration) {
        let passed = to.checked_sub(self.now).expect("time never goes back");
        self.now = to;
        for machine in &mut self.machines {
            machine.pass(passed);
        }
    }

    /// Sets a machine's realtime clock.
    pub fn set_clock(&mut self, machine: MachineId, realtime: Duration) {
        self.machine_mut(machine).realtime = realtime;
    }

    /// Reads a machine's clock.
    pub fn clock(&self, machine: MachineId, clock: Clock) -> Duration {
        self.machine(machine).clock(clock)
    }

    /// A process, dead or alive.
    pub fn process(&self, proc: ProcId) -> &Process {
        &self.procs[proc.0 as usize]
    }

    /// All processes there ever were, in the order of their ids.
    pub fn processes(&self) -> impl Iterator<Item = (ProcId, &Process)> {
        (0..).map(ProcId).zip(self.procs.iter().map(|process| &**process))
    }

    /// The process of a task.
    pub fn process_of(&self, task: TaskId) -> ProcId {
        self.task(task).proc
    }

    /// A task's name in schedules and traces: that of its process, with the
    /// thread's number behind it unless it is the main one.
    pub fn task_name(&self, task: TaskId) -> SmolStr {
        let name = &self.process(self.process_of(task)).name;
        match self.task(task).number {
            1 => name.clone(),
            number => smol_str::format_smolstr!("{name}#{number}"),
        }
    }

    /// Whether it is the main thread of its process, or was until that ended.
    pub fn is_main(&self, task: TaskId) -> bool {
        self.task(task).number == 1
    }

    /// How many tasks there ever were: their ids are below.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// The times of the files, directories, links and sockets' names that
    /// processes made and that live now, each by the realtime clock of its machine:
    /// of the last modification, and of the last change if that is another.
    pub fn file_times(&self) -> impl Iterator<Item = (MachineId, Duration)> {
        let machines = (0..).map(MachineId).zip(&self.machines);
        machines.flat_map(|(id, machine)| machine.files.times().map(move |time| (id, time)))
    }

    /// What the times of a machine's files are multiples of; zero for anything.
    pub fn time_granularity(&self, machine: MachineId) -> Duration {
        self.machine(machine).files.granularity()
    }

    /// The absolute paths of all names that processes made on a machine and that
    /// exist now, sorted.
    pub fn names(&self, machine: MachineId) -> Vec<SmolStr> {
        self.machine(machine).files.made_names()
    }

    /// The numbers of all inodes of a machine, sorted.
    pub fn inodes(&self, machine: MachineId) -> impl Iterator<Item = u64> {
        self.machine(machine).files.inodes()
    }

    /// The numbers by which `fstat` tells the sockets of a machine apart, sorted.
    pub fn socket_numbers(&self, machine: MachineId) -> impl Iterator<Item = u64> {
        self.machine(machine).sockets.ids().map(socket::SocketId::number)
    }

    /// How many sockets there are: those that a descriptor of some process stands
    /// for, and the ends of connections that wait to be accepted.
    pub fn open_sockets(&self) -> usize {
        self.machines.iter().map(|machine| machine.sockets.ids().count()).sum()
    }

    /// How many record locks are held, on all machines.
    pub fn record_locks(&self) -> usize {
        self.machines.iter().map(|machine| machine.records.count()).sum()
    }

    /// What the kernel has seen since the last clear, in order.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Forgets the effects seen so far.
    pub fn clear_effects(&mut self) {
        self.effects.clear();
    }

    fn process_mut(&mut self, proc: ProcId) -> &mut Process {
        &mut self.procs[proc.0 as usize]
    }

    fn task(&self, task: TaskId) -> &Task {
        &self.tasks[task.0 as usize]
    }

    fn task_mut(&mut self, task: TaskId) -> &mut Task {
        &mut self.tasks[task.0 as usize]
    }

    fn machine(&self, machine: MachineId) -> &Machine {
        &self.machines[usize::from(machine.0)]
    }

    fn machine_mut(&mut self, machine: MachineId) -> &mut Machine {
        &mut self.machines[usize::from(machine.0)]
    }

    fn machine_of(&self, proc: ProcId) -> &Machine {
        self.machine(self.process(proc).machine)
    }

    fn machine_of_mut(&mut self, proc: ProcId) -> &mut Machine {
        self.machine_mut(self.process(proc).machine)
    }

    fn state(&self) -> Whole<'_> {
        (self.now, &self.machines, &self.procs, &self.tasks, &self.alarms, self.seed)
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.state() == other.state()
    }
}

impl Eq for Kernel {}

/// Tasks are hashed by themselves first: how a state is hashed is written down in schedules.
impl Hash for Kernel {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let (now, machines, procs, tasks, alarms, seed) = self.state();
        let tasks = Fingerprint::of_state(tasks);
        (now, machines, procs, tasks, alarms, seed).hash(hasher);
    }
}
