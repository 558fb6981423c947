//! Keeper takeover: a small protocol of which the number of states is known.
//!
//! A dead process's claim, a symbolic link, stands at a path. Each keeper, for up to
//! some rounds, tries to make its own; if that fails it reads what stands there, and
//! removes what a dead process left. Whoever is inside leaves, and releases.

use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_sim::kernel::{MachineConfig, TaskId};
use locklab_sim::{Adversary, Choice, Launch, Setup, World};
use locklab_sys::{Call, Fd, FlockOp, Image, OpenFlags, SmolStr, Sys};

/// How a keeper makes sure that what it removes is what it read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It does not.
    ByName,
    /// It reads again before it removes.
    Compare,
    /// So it does, and all under a lock.
    Guarded,
}

const CLAIM: SmolStr = SmolStr::new_static("/run/claim");
const GUARD: SmolStr = SmolStr::new_static("/run/claim.guard");

/// What a claim says whose owner is dead.
const DEAD: &str = "dead";

/// A world of keepers, each for so many rounds.
pub fn setup(kind: Kind, keepers: u32, rounds: u32) -> Arc<Setup> {
    let dead = Launch::new("dead", Image::new("dead", "", die));
    let keepers = (1..=keepers).map(|number| {
        let name = SmolStr::from(format!("k{number}"));
        let keeper = Keeper { kind, name: name.clone(), rounds };
        let arguments = format!("{name} {kind:?} {rounds}");
        let start = move |sys| keep(sys, keeper.clone());
        Launch { start: MOMENT, ..Launch::new(name, Image::new("keeper", arguments, start)) }
    });
    Arc::new(Setup {
        machines: vec![MachineConfig::default()],
        processes: [dead].into_iter().chain(keepers).collect(),
        story: Vec::new(),
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    })
}

/// The run up to where every keeper is about to make its first step.
pub fn prefix(setup: &Arc<Setup>, keepers: u32) -> Vec<Choice> {
    let mut world = World::new(Arc::clone(setup), 1);
    let mut path = Vec::new();
    let stands_at_guard = |world: &World, keeper: u32| {
        let call = (world.kernel().task_count() > keeper as usize)
            .then(|| world.pending(TaskId(keeper)))
            .flatten();
        matches!(call, Some(Call::Flock { .. } | Call::Symlink { .. }))
    };
    while !(1..=keepers).all(|keeper| stands_at_guard(&world, keeper)) {
        let next = world.choices().into_iter().find(|choice| match choice {
            Choice::Step(task) => task.0 == 0 || !stands_at_guard(&world, task.0),
            _ => true,
        });
        let next = next.expect("somebody does not stand there yet");
        world.apply(next);
        path.push(next);
    }
    path
}

const MOMENT: std::time::Duration = std::time::Duration::from_secs(1);

/// Who died had made the guard, too.
async fn die(sys: Sys) -> u8 {
    sys.open(GUARD, OpenFlags::RDWR | OpenFlags::CREAT).await.expect("the guard can be made");
    // An adversary may have let somebody come first.
    sys.symlink(DEAD, CLAIM).await.ok();
    0
}

#[derive(Clone)]
struct Keeper {
    kind: Kind,
    name: SmolStr,
    rounds: u32,
}

async fn keep(sys: Sys, keeper: Keeper) -> u8 {
    let guard = match keeper.kind {
        Kind::Guarded => {
            let flags = OpenFlags::RDWR | OpenFlags::CREAT;
            Some(sys.open(GUARD, flags).await.expect("the guard can be opened"))
        }
        Kind::ByName | Kind::Compare => None,
    };
    let job = Job { keeper, guard };
    if sys.retry(&job, 1, round).await {
        sys.getpid().await;
        sys.mark("entered", &CLAIM, 1);
        sys.getpid().await;
        sys.mark("leaving", &CLAIM, 1);
        job.release(&sys).await;
    }
    0
}

struct Job {
    keeper: Keeper,
    guard: Option<Fd>,
}

/// Whether the keeper gets in, as long as it has rounds.
async fn round(sys: &Sys, job: &Job, round: u32) -> ControlFlow<bool, u32> {
    job.lock(sys).await;
    let is_mine = job.attempt(sys).await;
    job.unlock(sys).await;
    match is_mine {
        true => ControlFlow::Break(true),
        false if round == job.keeper.rounds => ControlFlow::Break(false),
        false => ControlFlow::Continue(round + 1),
    }
}

impl Job {
    async fn attempt(&self, sys: &Sys) -> bool {
        if self.create(sys).await {
            return true;
        }
        if !is_dead(sys).await || (self.keeper.kind != Kind::ByName && !is_dead(sys).await) {
            return false;
        }
        sys.unlink(CLAIM).await.ok();
        self.create(sys).await
    }

    async fn create(&self, sys: &Sys) -> bool {
        sys.symlink(self.keeper.name.clone(), CLAIM).await.is_ok()
    }

    async fn release(&self, sys: &Sys) {
        self.lock(sys).await;
        if self.keeper.kind == Kind::ByName || reads(sys).await.as_ref() == Some(&self.keeper.name)
        {
            sys.unlink(CLAIM).await.ok();
        }
        self.unlock(sys).await;
    }

    async fn lock(&self, sys: &Sys) {
        if let Some(guard) = self.guard {
            sys.flock(guard, FlockOp::Exclusive).await.expect("the guard can be locked");
        }
    }

    async fn unlock(&self, sys: &Sys) {
        if let Some(guard) = self.guard {
            sys.flock(guard, FlockOp::Unlock).await.expect("the guard can be unlocked");
        }
    }
}

async fn is_dead(sys: &Sys) -> bool {
    reads(sys).await.is_some_and(|owner| owner == DEAD)
}

async fn reads(sys: &Sys) -> Option<SmolStr> {
    sys.readlink(CLAIM).await.ok()
}
