//! locklab: the programs of its own tests, in a whole simulated Linux.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::TaskId;
use locklab_sim::{
    Bounds, CallOutcome, Choice, Explored, Limits, Offer, Performed, Random, Reductions, Search,
    Setup, Strategy, World, run,
};
use locklab_sys::{Call, FlockOp};

use crate::alone::Alone;
use crate::clock::processor_seconds;
use crate::protocol::{Case, Kind, Op, Step, Walk, Walked};
use crate::takeover;

const LIMITS: Limits = Limits { horizon: Duration::from_secs(100), steps: 10_000 };

fn setup(case: Case) -> Arc<Setup> {
    takeover::setup(case.kind, case.keepers, case.rounds)
}

/// Every state there is.
pub fn search(case: Case, reductions: Reductions) -> Explored {
    let setup = setup(case);
    let search = Search {
        prefix: takeover::prefix(&setup, case.keepers),
        setup,
        seed: 1,
        monitor: Box::new(Alone::default()),
        look_at_ends: None,
        sought: 0,
        reductions,
        alike: None,
        bounds: Bounds::new(10_000_000, 8 << 30, LIMITS),
    };
    search.run(&mut |_| ControlFlow::Continue(()))
}

/// Random runs. Their steps are counted when the clock has stopped.
pub fn walk(walk: Walk) -> Walked {
    let setup = setup(walk.case);
    let mut walked = Walked::default();
    let before = processor_seconds();
    while walked.runs < walk.runs && !(walk.until_fall && walked.falls > 0) {
        let seed = seed(walk.seed, walked.runs);
        let mut alone = Alone::default();
        let mut world = World::new(Arc::clone(&setup), seed);
        let finished = run(&mut world, &mut Random::new(seed), &mut alone, LIMITS, None);
        walked.falls += u64::from(!finished.falls.is_empty());
        walked.choices += finished.path.len() as u64;
        walked.runs += 1;
    }
    walked.seconds = processor_seconds() - before;
    let steps = |index| trace(walk.case, seed(walk.seed, index)).len() as u64;
    walked.steps = (0..walked.runs).map(steps).sum();
    walked
}

fn seed(seed: u64, run: u64) -> u64 {
    seed << 32 | run
}

/// What the keepers do in a random run.
pub fn trace(case: Case, seed: u64) -> Vec<Step> {
    let mut world = World::new(setup(case), seed);
    world.record_calls();
    let mut noting = Noting { random: Random::new(seed), steps: Vec::new() };
    run(&mut world, &mut noting, &mut (), LIMITS, None);
    noting.note(&world);
    noting.steps
}

/// Notes each step that has been made when it is to choose the next.
struct Noting {
    random: Random,
    steps: Vec<Step>,
}

impl Noting {
    fn note(&mut self, world: &World) {
        let Some(Performed { task: TaskId(task @ 1..), call, outcome, .. }) = world.performed()
        else {
            return;
        };
        // Who begins to wait makes its step when it has waited.
        if *outcome == CallOutcome::Blocked {
            return;
        }
        let keeper = *task as usize - 1;
        let has_entered = self.steps.contains(&Step { keeper, op: Op::Enter });
        let op = match call {
            Call::Flock { op: FlockOp::Unlock, .. } => Op::Unlock,
            Call::Flock { .. } => Op::Lock,
            Call::Symlink { .. } => Op::Create,
            Call::Readlink { .. } => Op::Read,
            Call::Unlink { .. } => Op::Unlink,
            Call::Getpid if has_entered => Op::Leave,
            Call::Getpid => Op::Enter,
            Call::Exit { .. } => Op::Exit,
            // What comes before the protocol: the guard is opened.
            _ => return,
        };
        self.steps.push(Step { keeper, op });
    }
}

impl Strategy for Noting {
    fn choose(&mut self, world: &World, offer: &Offer) -> Option<Choice> {
        self.note(world);
        self.random.choose(world, offer)
    }
}

/// Makes so many worlds of two processes, launched; how long it took, in seconds.
pub fn fresh_worlds(worlds: u32) -> f64 {
    let case = Case { kind: Kind::Guarded, keepers: 2, rounds: 1 };
    let mut setup = (*setup(case)).clone();
    setup.processes.remove(0);
    for launch in &mut setup.processes {
        launch.start = Duration::ZERO;
    }
    let setup = Arc::new(setup);
    let before = processor_seconds();
    for seed in 0..worlds {
        let mut world = World::new(Arc::clone(&setup), u64::from(seed));
        world.apply(Choice::Launch(0));
        world.apply(Choice::Launch(1));
        std::hint::black_box(&world);
    }
    processor_seconds() - before
}
