//! Worlds are values for every scenario and policy: a clone in mid-run,
//! continued under the same choices, ends in the state of the original.

mod common;

use common::{cells, policy, scenario};
use locklab::arm::Arm;
use locklab::cast::Cast;
use locklab_sim::{
    Choice, Limits, Notes, Random, Recorder, Replay, Schedule, Strategy, TracedStep, Turns, World,
    run,
};
use proptest::prelude::*;

const LIMITS: Limits = Limits { horizon: std::time::Duration::from_secs(600), steps: 600 };

fn follow(mut world: World, path: &[Choice]) -> locklab_sys::Fingerprint {
    for choice in path {
        world.apply(*choice);
    }
    world.fingerprint()
}

#[test]
fn a_clone_of_any_cell_ends_where_the_original_ends() {
    let cells = cells();
    let config =
        ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() };
    for (scenario, policy) in &cells {
        let cast = Cast::new(scenario, policy);
        proptest!(config.clone(), |(seed: u64, at in 0.0..1.0_f64, told: bool)| {
            let arm = if told { Arm::Story } else { Arm::Sampled };
            let mut world = cast.world(arm, seed);
            let mut original = world.clone();
            let path = if told {
                run(&mut world, &mut Turns::default(), &mut (), LIMITS, None).path
            } else {
                run(&mut world, &mut Random::new(seed), &mut (), LIMITS, None).path
            };
            let at = (path.len() as f64 * at) as usize;
            for choice in &path[..at] {
                original.apply(*choice);
            }
            let twin = original.clone();
            prop_assert_eq!(original.fingerprint(), twin.fingerprint());
            let end = world.fingerprint();
            prop_assert_eq!(follow(twin, &path[at..]), end, "the clone of {}", scenario.name);
            prop_assert_eq!(follow(original, &path[at..]), end, "the original of {}", scenario.name);
        });
    }
}

/// The steps of a run from here on, unnumbered.
fn steps<S: Strategy>(mut world: World, mut strategy: S) -> Vec<TracedStep> {
    let notes = Notes::default();
    let mut recorder = Recorder::new(Vec::new(), notes.clone());
    notes.during(|| run(&mut world, &mut strategy, &mut (), LIMITS, Some(&mut recorder)));
    let mut steps = recorder.into_trace().steps;
    steps.iter_mut().for_each(|step| step.number = 0);
    steps
}

/// What a clone has to say, notes included, is what the original has.
#[test]
fn a_clone_tells_the_same_story_from_anywhere() {
    let (scenario, policy) = (scenario("compare-window"), policy("identity-keeper"));
    let begin = Cast::new(&scenario, &policy).world(Arm::Story, 0);
    let told = steps(begin.clone(), Turns::default());
    assert!(told.iter().any(|step| !step.notes.is_empty()), "the story has notes");
    let path = run(&mut begin.clone(), &mut Turns::default(), &mut (), LIMITS, None).path;
    let mut world = begin;
    for (index, choice) in path.iter().enumerate() {
        let rest = Schedule::of(&mut world.clone(), &path[index..]);
        assert_eq!(steps(world.clone(), Replay::new(&rest)), told[index..], "from {index} on");
        world.apply(*choice);
    }
}
