//! Random runs by priorities.

#[path = "common/takeover.rs"]
#[allow(dead_code, reason = "a search needs more of it")]
mod takeover;

use std::collections::BTreeSet;
use std::time::Duration;

use locklab_sim::{Adversary, Choice, End, Limits, Offer, Pct, World, run};
use std::sync::Arc;
use takeover::{Kind, setup};

const LIMITS: Limits = Limits { horizon: Duration::from_secs(100), steps: 1_000 };

fn path(adversary: &Adversary, seed: u64, depth: u32) -> Vec<Choice> {
    let mut setup = (*setup(Kind::ByName, 3, 2)).clone();
    setup.adversary = adversary.clone();
    let mut world = World::new(Arc::new(setup), 1);
    let finished = run(&mut world, &mut Pct::new(seed, 60, depth), &mut (), LIMITS, None);
    assert_eq!(finished.end, End::Finished);
    finished.path
}

/// How often a task did not go on though it could.
fn preemptions(path: &[Choice]) -> usize {
    let mut world = World::new(setup(Kind::ByName, 3, 2), 1);
    let mut offer = Offer::default();
    let (mut last, mut count) = (None, 0);
    for choice in path {
        world.offer(&mut offer);
        if last.is_some_and(|last| last != *choice && offer.steps.contains(&last)) {
            count += 1;
        }
        last = matches!(choice, Choice::Step(_)).then_some(*choice);
        world.apply(*choice);
    }
    count
}

#[test]
fn nobody_falls_behind_more_often_than_it_is_told() {
    for depth in 1..5 {
        let most = (0..200).map(|seed| preemptions(&path(&Adversary::default(), seed, depth)));
        // Whoever comes may come first, too: three keepers do, after the dead one.
        let most = most.max().unwrap();
        assert!(most <= depth as usize - 1 + 3, "{most} at depth {depth}");
        assert!(depth == 1 || most >= depth as usize - 1, "{most} at depth {depth}");
    }
}

#[test]
fn a_seed_is_a_run_and_another_is_another() {
    let none = Adversary::default();
    assert_eq!(path(&none, 5, 3), path(&none, 5, 3));
    let all: BTreeSet<String> =
        (0..100).map(|seed| format!("{:?}", path(&none, seed, 3))).collect();
    assert!(all.len() > 30, "{} different runs", all.len());
}

#[test]
fn what_is_free_is_not_all_that_happens() {
    let adversary = Adversary { kills: 1, passes: Adversary::FREE, ..Adversary::default() };
    let (mut passes, mut steps) = (0, 0);
    for seed in 0..200 {
        for choice in path(&adversary, seed, 3) {
            match choice {
                Choice::Until(_) => passes += 1,
                Choice::Step(_) => steps += 1,
                _ => {}
            }
        }
    }
    assert!(passes > 10, "{passes} passes");
    assert!(steps > 5 * passes, "{passes} passes, {steps} steps");
}

#[test]
fn the_adversary_spends_what_it_has() {
    let adversary = Adversary { kills: 1, passes: 2, stops: 1, ..Adversary::default() };
    let mut made = [0; 3];
    for seed in 0..200 {
        for choice in path(&adversary, seed, 3) {
            match choice {
                Choice::Kill(_) => made[0] += 1,
                Choice::Until(_) => made[1] += 1,
                Choice::Stop(_) => made[2] += 1,
                _ => {}
            }
        }
    }
    assert!(made.iter().all(|times| *times > 10), "{made:?}");
}
