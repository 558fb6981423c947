//! What a step costs, and what a world costs. Compare the lines of one run
//! with each other; times of different runs or machines say little.
//!
//! `cargo bench`: the last lines of each group give elements a second.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use locklab::arm::Arm;
use locklab::cast::Cast;
use locklab::policy_file;
use locklab::scenario::builtin;
use locklab_sim::kernel::{Kernel, TaskId};
use locklab_sim::{Choice, Random, World, run};
use locklab_sys::Call;

const SEED: u64 = 5;

fn with_cast(scenario: &str, policy: &str, work: impl FnOnce(&Cast<'_>)) {
    let scenario = builtin().iter().find(|it| it.name == scenario).expect("a shipped scenario");
    let policies = policy_file::named();
    let policy = policies.iter().find(|it| it.name == policy).expect("a named policy");
    work(&Cast::new(scenario, policy));
}

/// A random run: its choices, and the calls as the kernel was asked them.
fn recorded(begin: &World, cast: &Cast<'_>) -> (Vec<Choice>, Vec<(TaskId, Call)>) {
    let path = run(&mut begin.clone(), &mut Random::new(SEED), &mut [], cast.limits(), None).path;
    let mut world = begin.clone();
    world.record_calls();
    let mut calls = Vec::new();
    for choice in &path {
        world.apply(*choice);
        calls.extend(world.performed().map(|it| (it.task, it.call.clone())));
    }
    (path, calls)
}

fn random_steps(c: &mut Criterion) {
    with_cast("late-takeover", "identity-guarded", |cast| {
        let setup = cast.setup(Arm::Sampled);
        let begin = World::new(Arc::clone(&setup), SEED);
        let (path, calls) = recorded(&begin, cast);
        let mut group = c.benchmark_group("a random run, per step");
        group.throughput(Throughput::Elements(path.len() as u64));
        group.bench_function("walked and watched", |b| {
            b.iter(|| {
                let mut world = World::new(Arc::clone(&setup), SEED);
                let mut monitors = cast.watchers(Arm::Sampled).monitors;
                run(&mut world, &mut Random::new(SEED), &mut monitors, cast.limits(), None)
            });
        });
        group.bench_function("walked", |b| {
            b.iter(|| {
                let mut world = World::new(Arc::clone(&setup), SEED);
                run(&mut world, &mut Random::new(SEED), &mut [], cast.limits(), None)
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
        kernel_alone(c, &setup.machines, &calls);
    });
}

/// The floor: the same calls, asked of a bare kernel by nobody.
fn kernel_alone(
    c: &mut Criterion,
    machines: &[locklab_sim::kernel::MachineConfig],
    calls: &[(TaskId, Call)],
) {
    let mut group = c.benchmark_group("the kernel alone, per call");
    group.throughput(Throughput::Elements(calls.len() as u64));
    group.bench_function("called", |b| {
        b.iter(|| {
            let mut kernel = Kernel::new(machines, SEED);
            let tasks =
                [(); 3].map(|()| kernel.launch(locklab_sim::kernel::MachineId(0), "it".into()).1);
            for (task, call) in calls {
                if tasks.contains(task) && !kernel.is_blocked(*task) {
                    black_box(kernel.call(*task, call));
                } else if kernel.is_blocked(*task) && kernel.ready(*task) {
                    black_box(kernel.finish(*task)).ok();
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
            launch.start = std::time::Duration::ZERO;
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
