//! What a step costs, and what a world costs. Compare the lines of one run
//! with each other; times of different runs or machines say little.
//!
//! `cargo bench`: the last lines of each group give elements a second.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use locklab::arm::Arm;
use locklab::cast::Cast;
use locklab::policy_file;
use locklab::scenario::builtin;
use locklab_sim::kernel::{Kernel, MachineConfig, MachineId, TaskId};
use locklab_sim::{Adversary, CallOutcome, Choice, Performed, Random, World, run};
use locklab_sys::Call;

const SEED: u64 = 5;

fn with_cast(scenario: &str, policy: &str, work: impl FnOnce(&Cast<'_>)) {
    let scenario = builtin().iter().find(|it| it.name == scenario).expect("a shipped scenario");
    let policies = policy_file::named();
    let policy = policies.iter().find(|it| it.name == policy).expect("a named policy");
    work(&Cast::new(scenario, policy));
}

/// What a run asked of the kernel.
enum Asked {
    Launch,
    Time(Duration),
    Call(TaskId, Call),
    Return(TaskId),
}

/// A random run: its choices, and what it asked of the kernel.
fn recorded(begin: &World, cast: &Cast<'_>) -> (Vec<Choice>, Vec<Asked>) {
    let path = run(&mut begin.clone(), &mut Random::new(SEED), &mut (), cast.limits(), None).path;
    let mut world = begin.clone();
    world.record_calls();
    let mut asked = Vec::new();
    for choice in &path {
        world.apply(*choice);
        match (choice, world.performed()) {
            (Choice::Launch(_), _) => asked.push(Asked::Launch),
            (Choice::Jump, _) => asked.push(Asked::Time(world.kernel().now())),
            (_, Some(Performed { task, outcome: CallOutcome::Woke(_), .. })) => {
                asked.push(Asked::Return(*task));
            }
            (_, Some(Performed { task, call, .. })) => asked.push(Asked::Call(*task, call.clone())),
            _ => unreachable!("the scenario has no adversary"),
        }
    }
    (path, asked)
}

/// Three keepers, who only make calls on files; and dispatchers, with their
/// guards, a daemon and its workers.
fn random_steps(c: &mut Criterion) {
    steps_of(c, "late-takeover", "a random run");
    steps_of(c, "slow-guard", "a random run of dispatchers");
}

fn steps_of(c: &mut Criterion, scenario: &str, title: &str) {
    with_cast(scenario, "identity-guarded", |cast| {
        let mut setup = (*cast.setup(Arm::Sampled)).clone();
        setup.adversary = Adversary::default();
        let setup = Arc::new(setup);
        let begin = World::new(Arc::clone(&setup), SEED);
        let (path, asked) = recorded(&begin, cast);
        let mut group = c.benchmark_group(format!("{title}, per step"));
        group.throughput(Throughput::Elements(path.len() as u64));
        group.bench_function("walked and watched", |b| {
            b.iter(|| {
                let mut world = World::new(Arc::clone(&setup), SEED);
                let mut jury = cast.watchers(Arm::Sampled).jury;
                run(&mut world, &mut Random::new(SEED), &mut jury, cast.limits(), None)
            });
        });
        group.bench_function("walked", |b| {
            b.iter(|| {
                let mut world = World::new(Arc::clone(&setup), SEED);
                run(&mut world, &mut Random::new(SEED), &mut (), cast.limits(), None)
            });
        });
        group.bench_function("its choices applied", |b| {
            b.iter(|| {
                let mut world = World::new(Arc::clone(&setup), SEED);
                for choice in &path {
                    world.apply(*choice);
                }
                world
            });
        });
        group.finish();
        kernel_alone(c, title, &setup.machines, &asked);
    });
}

/// The floor: the same asked of a bare kernel by nobody.
fn kernel_alone(c: &mut Criterion, title: &str, machines: &[MachineConfig], asked: &[Asked]) {
    let mut group = c.benchmark_group(format!("{title}, the kernel alone, per step"));
    group.throughput(Throughput::Elements(asked.len() as u64));
    group.bench_function("called", |b| {
        b.iter(|| {
            let mut kernel = Kernel::new(machines, SEED);
            for asked in asked {
                match asked {
                    Asked::Launch => {
                        black_box(kernel.launch(MachineId(0), "it".into()));
                    }
                    Asked::Time(time) => kernel.advance_to(*time),
                    Asked::Call(task, call) => {
                        black_box(kernel.call(*task, call));
                    }
                    Asked::Return(task) => {
                        black_box(kernel.finish(*task)).ok();
                    }
                }
                kernel.clear_effects();
            }
            kernel
        });
    });
    group.finish();
}

fn fresh_worlds(c: &mut Criterion) {
    with_cast("stopped-holder", "flock", |cast| {
        let mut setup = (*cast.setup(Arm::Sampled)).clone();
        for launch in &mut setup.processes {
            launch.start = Duration::ZERO;
        }
        let setup = Arc::new(setup);
        let begin = World::new(Arc::clone(&setup), SEED);
        let launched = |mut world: World| {
            world.apply(Choice::Launch(0));
            world.apply(Choice::Launch(1));
            world
        };
        let mut group = c.benchmark_group("a fresh world of two processes");
        group.throughput(Throughput::Elements(1));
        group.bench_function("made", |b| {
            b.iter(|| launched(World::new(Arc::clone(&setup), SEED)));
        });
        group.bench_function("cloned", |b| b.iter(|| launched(begin.clone())));
        group.finish();
    });
}

criterion_group!(benches, random_steps, fresh_worlds);
criterion_main!(benches);
