mod containers;

use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::{
    InodeNumbers, MachineConfig, MachineId, ProcId, ReusedBy, State, TaskId,
};
use locklab_sim::{Action, CallOutcome, Choice, Event, Offer, Replay, Setup, Strategy, World};
use locklab_sys::{Call, Happening, Image, Pid, Reply, Ret, SmolStr, Uid};

use super::obstacle::{self, Obstacle};
use crate::cast::Cast;
use crate::line::ScheduleLine;

/// What a simulated run did, step by step and move by move.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is done, in order.
    pub acts: Vec<Act>,
    /// The names of the processes, by id.
    pub names: Vec<SmolStr>,
    /// The durations that programs and rules declare: limits of ages.
    pub durations: Vec<Duration>,
}

/// A step or a move.
#[derive(Clone, Debug)]
pub struct Act {
    /// Virtual time after it, since the world began.
    pub at: Duration,
    /// So much of it passed with it.
    pub passed: Duration,
    /// What is done.
    pub deed: Deed,
    /// What programs said after it.
    pub said: Vec<(TaskId, Happening)>,
    /// How every process is after it, by id.
    pub lives: Vec<Life>,
    /// Whose call waits after it, and cannot return.
    pub waiting: Vec<TaskId>,
    /// Whose call waits after it, though it could return.
    pub held_back: Vec<TaskId>,
    /// The numbers of all files after it.
    pub inodes: Vec<u64>,
}

/// How a process is, as anybody can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It runs, or waits in a call.
    Runs,
    /// A signal stopped it.
    Stopped,
    /// It has ended, and its parent has not waited for it.
    Zombie,
    /// It is gone.
    Gone,
}

/// What is done.
#[derive(Clone, Debug)]
pub enum Deed {
    /// A task's call is made, or returns after it has waited.
    Call(Box<Called>),
    /// A process is launched, perhaps into a container.
    Launch(Newborn, Image, Option<SmolStr>),
    /// A process is stopped.
    Stop(ProcId),
    /// Processes go on.
    Continue(Vec<ProcId>),
    /// A process is killed.
    Kill(ProcId),
    /// A stranger gets a dead process's pid.
    Reuse(Newborn),
    /// Time passes.
    Time,
    /// What only says who runs when: a process gets no processor, or has it again; a
    /// move that finds nothing to do.
    Nothing(SmolStr),
}

/// A call of a task.
#[derive(Clone, Debug)]
pub struct Called {
    /// Who calls.
    pub task: TaskId,
    /// Its process.
    pub proc: ProcId,
    /// The call, as it is made in the simulation.
    pub call: Call,
    /// What became of it there.
    pub outcome: CallOutcome,
    /// Virtual time, since the world began.
    pub at: Duration,
    /// The child that it made.
    pub child: Option<(TaskId, Newborn)>,
}

/// A process that begins.
#[derive(Clone, Copy, Debug)]
pub struct Newborn {
    /// Its id.
    pub proc: ProcId,
    /// Its pid, in its container if it is in one.
    pub pid: Pid,
    /// Its pid on the machine.
    pub outer_pid: Pid,
    /// Whose it is.
    pub uid: Uid,
    /// When it starts in the simulation, in ticks of 10 ms since boot.
    pub start_ticks: u64,
}

const BOX: MachineId = MachineId(0);

impl Plan {
    /// What happens under a schedule that fits.
    ///
    /// # Errors
    ///
    /// Everything that cannot be forced upon a real Linux, once each.
    pub fn of(cast: &Cast<'_>, line: &ScheduleLine) -> Result<Self, Vec<Obstacle>> {
        let setup = cast.setup(line.arm);
        let mut obstacles = Vec::new();
        if setup.machines.len() > 1 {
            obstacles.push(Obstacle::Machines);
        }
        if setup.machines.iter().any(|machine| machine.room.is_some()) {
            obstacles.push(Obstacle::FullDisk);
        }
        if setup.machines.iter().any(|machine| machine.reused_by == ReusedBy::Thread) {
            obstacles.push(Obstacle::Threads);
        }
        if cast.compares_times() {
            obstacles.push(Obstacle::ComparedTimes);
        }
        let plan = Self::follow(&setup, line, &mut obstacles)
            .expect("a schedule is followed only when it fits");
        // The host's files lie in memory, where no number is given twice.
        let fresh = Self::follow(&Arc::new(with_fresh_numbers(&setup)), line, &mut obstacles);
        if !fresh.is_some_and(|fresh| plan.is_the_same_but_for_numbers(&fresh)) {
            obstacles.push(Obstacle::InodeReuse);
        }
        if plan.asks_for_a_namespace_again() {
            obstacles.push(Obstacle::NamespaceReuse);
        }
        if obstacles.is_empty() { Ok(plan) } else { Err(obstacles) }
    }

    /// `None` where the schedule does not fit.
    fn follow(
        setup: &Arc<Setup>,
        line: &ScheduleLine,
        obstacles: &mut Vec<Obstacle>,
    ) -> Option<Self> {
        let mut world = World::new(Arc::clone(setup), line.seed);
        world.record_calls();
        let mut strategy = Replay::new(&line.schedule);
        let mut offer = Offer::default();
        let mut acts = Vec::new();
        while acts.len() < line.steps as usize {
            world.offer(&mut offer);
            let choice = strategy.choose(&world, &offer)?;
            let before = Before::of(&world, choice);
            world.apply(choice);
            for obstacle in obstacles_of(&world, choice) {
                if !obstacles.contains(&obstacle) {
                    obstacles.push(obstacle);
                }
            }
            acts.push(before.act(&world, choice));
        }
        let names = world.kernel().processes().map(|(_, process)| process.name.clone());
        Some(Self { acts, names: names.collect(), durations: setup.durations.clone() })
    }

    /// Whether all processes are one user's.
    pub fn is_of_one_user(&self) -> bool {
        let born = self.acts.iter().filter_map(|act| match &act.deed {
            Deed::Launch(born, ..) | Deed::Reuse(born) => Some(born.uid),
            _ => None,
        });
        let mut uids: Vec<Uid> = born.collect();
        uids.dedup();
        uids.len() <= 1
    }

    fn is_the_same_but_for_numbers(&self, other: &Self) -> bool {
        let shape = |act: &Act| match &act.deed {
            Deed::Call(called) => Some((called.call.clone(), ending(&called.outcome))),
            _ => None,
        };
        self.acts.len() == other.acts.len()
            && self.acts.iter().map(shape).eq(other.acts.iter().map(shape))
    }
}

/// How a call ended, without what it gave.
fn ending(outcome: &CallOutcome) -> String {
    let of_reply =
        |reply: &Reply| reply.as_ref().map_or_else(|errno| errno.to_string(), |_| "ok".into());
    match outcome {
        CallOutcome::Returned(reply) | CallOutcome::Woke(reply) => of_reply(reply),
        CallOutcome::Blocked => "waits".to_owned(),
        CallOutcome::Ended => "ended".to_owned(),
    }
}

fn with_fresh_numbers(setup: &Setup) -> Setup {
    let fresh = |config: &MachineConfig| MachineConfig {
        inode_numbers: InodeNumbers::Fresh,
        ..config.clone()
    };
    Setup { machines: setup.machines.iter().map(fresh).collect(), ..setup.clone() }
}

/// What of the last choice cannot be forced.
fn obstacles_of(world: &World, choice: Choice) -> Vec<Obstacle> {
    let mut found = Vec::new();
    found.extend(obstacle::of_choice(choice, &world.setup().story));
    if let Choice::Reuse(dead) = choice
        && world.kernel().process(dead).container().is_some()
    {
        found.push(Obstacle::ReuseInContainer);
    }
    if let Some(performed) = world.performed() {
        found.extend(obstacle::of_call(&performed.call));
        let process = world.kernel().process(world.kernel().process_of(performed.task));
        if process.is_stopped() {
            found.push(Obstacle::StopsItself(process.name.clone()));
        }
    }
    found.extend(world.events().iter().filter_map(|event| match event {
        Event::Aborted { proc, .. } => {
            Some(Obstacle::Aborts(world.kernel().process(*proc).name.clone()))
        }
        _ => None,
    }));
    found
}

/// What is to be known of a world before a choice is made in it.
struct Before {
    now: Duration,
    processes: usize,
    tasks: usize,
    lives: Vec<Life>,
    name: SmolStr,
}

impl Before {
    fn of(world: &World, choice: Choice) -> Self {
        let kernel = world.kernel();
        Self {
            now: kernel.now(),
            processes: kernel.processes().count(),
            tasks: kernel.task_count(),
            lives: lives(world),
            name: world.name(choice),
        }
    }

    /// What the choice did.
    fn act(self, world: &World, choice: Choice) -> Act {
        let kernel = world.kernel();
        let tasks = || (0..kernel.task_count() as u32).map(TaskId);
        let blocked = || tasks().filter(|task| kernel.is_blocked(*task));
        let said = world.events().iter().filter_map(|event| match event {
            Event::Said { task, said, .. } => Some((*task, said.clone())),
            _ => None,
        });
        Act {
            at: kernel.now(),
            passed: kernel.now() - self.now,
            deed: self.deed(world, choice),
            said: said.collect(),
            lives: lives(world),
            waiting: blocked().filter(|task| !kernel.ready(*task)).collect(),
            held_back: blocked().filter(|task| kernel.ready(*task)).collect(),
            inodes: kernel.inodes(BOX).collect(),
        }
    }

    fn deed(&self, world: &World, choice: Choice) -> Deed {
        match choice {
            Choice::Step(_) => Deed::Call(Box::new(self.called(world))),
            Choice::Jump | Choice::Until(_) => Deed::Time,
            Choice::Launch(index) => {
                let born = self.newborn(world).expect("who is launched begins");
                let launch = &world.setup().processes[index];
                Deed::Launch(born, launch.image.clone(), launch.container.clone())
            }
            Choice::Fault(index) => {
                let fault = &world.setup().story[index];
                let proc = world.launched(fault.process).expect("who comes to a point is there");
                match fault.action {
                    Action::Stop(_) => self.stop(world, proc),
                    Action::Kill | Action::KillAndReuse(_) | Action::KillAndRestart(_) => {
                        self.kill(world, proc)
                    }
                    Action::Starve(_) => self.nothing(),
                    // Not to be forced at all.
                    Action::FailIo(_) | Action::Machine(_) => self.nothing(),
                }
            }
            Choice::Stop(proc) => self.stop(world, proc),
            Choice::Kill(proc) => self.kill(world, proc),
            Choice::Continue(_) | Choice::Quiet => self.cont(world),
            Choice::Reuse(_) => self.newborn(world).map_or_else(|| self.nothing(), Deed::Reuse),
            Choice::Feed(_) => self.nothing(),
            // Not to be forced at all.
            Choice::FailIo(..) | Choice::Mishap(..) | Choice::Wake(_) | Choice::Drain(_) => {
                self.nothing()
            }
        }
    }

    fn nothing(&self) -> Deed {
        Deed::Nothing(self.name.clone())
    }

    fn stop(&self, world: &World, proc: ProcId) -> Deed {
        let is_new = self.life(proc) == Life::Runs && life(world, proc) == Life::Stopped;
        if is_new { Deed::Stop(proc) } else { self.nothing() }
    }

    fn kill(&self, world: &World, proc: ProcId) -> Deed {
        let lived = matches!(self.life(proc), Life::Runs | Life::Stopped);
        let is_new = lived && !world.kernel().process(proc).is_alive();
        if is_new { Deed::Kill(proc) } else { self.nothing() }
    }

    fn cont(&self, world: &World) -> Deed {
        let all = world.kernel().processes().map(|(proc, _)| proc);
        let goes_on =
            |proc: &ProcId| self.life(*proc) == Life::Stopped && life(world, *proc) == Life::Runs;
        let going_on: Vec<ProcId> = all.filter(goes_on).collect();
        if going_on.is_empty() { self.nothing() } else { Deed::Continue(going_on) }
    }

    fn life(&self, proc: ProcId) -> Life {
        self.lives[proc.0 as usize]
    }

    /// The process that is new since.
    fn newborn(&self, world: &World) -> Option<Newborn> {
        let (proc, process) = world.kernel().processes().nth(self.processes)?;
        Some(Newborn {
            proc,
            pid: process.pid,
            outer_pid: process.outer_pid(),
            uid: process.uid,
            start_ticks: process.start_ticks,
        })
    }

    fn called(&self, world: &World) -> Called {
        let performed = world.performed().expect("calls are recorded");
        let kernel = world.kernel();
        let proc = kernel.process_of(performed.task);
        let made_a_child = matches!(performed.outcome, CallOutcome::Returned(Ok(Ret::Pid(_))))
            && matches!(performed.call, Call::Spawn { .. } | Call::Fork { .. });
        let child = made_a_child.then(|| {
            let born = self.newborn(world).expect("a spawn makes a process");
            (TaskId(self.tasks as u32), born)
        });
        Called {
            task: performed.task,
            proc,
            call: performed.call.clone(),
            outcome: performed.outcome.clone(),
            at: kernel.now(),
            child,
        }
    }
}

fn lives(world: &World) -> Vec<Life> {
    world.kernel().processes().map(|(proc, _)| life(world, proc)).collect()
}

fn life(world: &World, proc: ProcId) -> Life {
    match world.kernel().process(proc).state {
        State::Running => Life::Runs,
        State::Stopped => Life::Stopped,
        State::Zombie(_) => Life::Zombie,
        State::Dead(_) => Life::Gone,
    }
}
