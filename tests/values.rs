//! Worlds are values for every scenario and policy: a clone in mid-run,
//! continued under the same choices, ends in the state of the original.

mod common;

use common::cells;
use locklab::arm::Arm;
use locklab::cast::Cast;
use locklab_sim::{Choice, Limits, Random, Turns, World, run};
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
                run(&mut world, &mut Turns::default(), &mut [], LIMITS, None).path
            } else {
                run(&mut world, &mut Random::new(seed), &mut [], LIMITS, None).path
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
