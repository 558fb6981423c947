//! Searches in which faults and preemptions are bounded.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use locklab_sim::kernel::TaskId;
use locklab_sim::{Allowed, Bounds, Choice, Cost, End, Explored, Offer, Reductions, Search, World};
use locklab_sys::Fingerprint;
use proptest::prelude::*;

use super::oracle::{BOUNDS, Case, RUNS_MAX, case, look};
use super::search;
use super::takeover::Kind;

/// So many keepers of a kind, for as many rounds, with so many preemptions at most.
fn keepers(kind: Kind, keepers: u32, preemptions: Option<u32>) -> Explored {
    let mut search = search(kind, keepers, 1);
    search.bounds.preemptions = preemptions;
    search.run(&mut |_| ControlFlow::Continue(()))
}

/// One looks, another gets in before it acts, and is inside as it does.
#[test]
fn what_is_not_guarded_takes_two_preemptions() {
    for kind in [Kind::ByName, Kind::Compare] {
        for number in 2..=3 {
            for too_few in 0..2 {
                let explored = keepers(kind, number, Some(too_few));
                assert!(explored.is_complete());
                assert_eq!(explored.falls, [None], "{kind:?} {number} {too_few}");
            }
            let found = keepers(kind, number, Some(2)).falls.remove(0).expect("two get in");
            let search = search(kind, number, 1);
            let mut world = World::new(search.setup, search.seed);
            search.prefix.iter().for_each(|choice| world.apply(*choice));
            let cost = Cost::of(world, &found.path[search.prefix.len()..]);
            assert_eq!(cost, Cost { choices: found.choices, faults: Vec::new(), preemptions: 2 });
        }
    }
}

#[test]
fn more_preemptions_than_there_can_be_are_no_bound() {
    let bounded = keepers(Kind::ByName, 2, Some(1_000));
    let free = keepers(Kind::ByName, 2, None);
    let choices = |explored: &Explored| explored.falls[0].as_ref().map(|found| found.choices);
    assert!(bounded.is_complete() && choices(&free).is_some());
    assert_eq!(choices(&bounded), choices(&free));
}

#[test]
fn the_number_of_cores_makes_no_difference_to_what_is_bounded() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| keepers(Kind::ByName, 3, Some(2)))
    };
    assert_eq!(on(1), on(3));
}

fn bounded(case: &Case, faults: u32, preemptions: Option<u32>) -> BTreeSet<Fingerprint> {
    ends(within(case, faults, preemptions).run(&mut |_| ControlFlow::Continue(())))
}

/// The same, where the adversary makes only the moves that are allowed.
fn allowed(case: &Case, preemptions: Option<u32>, allowed: &Allowed<'_>) -> BTreeSet<Fingerprint> {
    let search = within(case, u32::MAX, preemptions);
    ends(search.run_where(allowed, &mut |_| ControlFlow::Continue(())))
}

fn ends(explored: Explored) -> BTreeSet<Fingerprint> {
    assert!(explored.is_complete(), "{:?}", explored.cut);
    explored.ends
}

fn within(case: &Case, faults: u32, preemptions: Option<u32>) -> Search {
    Search {
        setup: case.setup(),
        seed: 1,
        prefix: Vec::new(),
        monitor: Box::new(()),
        look_at_ends: Some(look),
        sought: 0,
        reductions: Reductions::TIMED,
        alike: None,
        bounds: Bounds { faults: Some(faults), preemptions, ..BOUNDS },
    }
}

/// The ends of all runs with so many faults and preemptions, by the plainest means.
#[derive(Default)]
struct Enumeration {
    ends: BTreeSet<Fingerprint>,
    runs: u32,
}

impl Enumeration {
    /// Whether there were not too many.
    fn follow(&mut self, world: &World, at: At) -> bool {
        let choices = world.choices();
        if choices.is_empty() {
            let end = if world.is_over() { End::Finished } else { End::Hung };
            self.ends.insert(look(world, end));
            self.runs += 1;
        }
        let mut offer = Offer::default();
        world.offer(&mut offer);
        let is_forced = !offer.may_move && matches!(choices[..], [it] if !it.is_ordinary());
        let current = at.current.filter(|it| is_forced || choices.contains(&Choice::Step(*it)));
        choices.into_iter().all(|choice| {
            let mut at = At { current, ..at };
            let is_fault = !is_forced && choice.budget().is_some();
            let Some(faults) = at.faults.checked_sub(u32::from(is_fault)) else { return true };
            at.faults = faults;
            if let Choice::Step(task) = choice {
                let preempts = current.is_some_and(|it| it != task);
                let left = at.preemptions.checked_sub(u32::from(preempts));
                let Some(preemptions) = left else { return true };
                (at.preemptions, at.current) = (preemptions, Some(task));
            }
            let mut next = world.clone();
            next.apply(choice);
            self.follow(&next, at)
        }) && self.runs <= RUNS_MAX
    }
}

#[derive(Clone, Copy)]
struct At {
    faults: u32,
    preemptions: u32,
    current: Option<TaskId>,
}

fn enumerated(case: &Case, faults: u32, preemptions: u32) -> Option<BTreeSet<Fingerprint>> {
    let mut enumeration = Enumeration::default();
    let at = At { faults, preemptions, current: None };
    enumeration.follow(&World::new(case.setup(), 1), at).then_some(enumeration.ends)
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn what_is_bounded_sees_every_end_within_its_bounds(
        case in case(),
        faults in 0..3_u32,
        preemptions in 0..4_u32,
    ) {
        let Some(ends) = enumerated(&case, faults, preemptions) else {
            return Err(TestCaseError::reject("too many runs"));
        };
        prop_assert_eq!(bounded(&case, faults, Some(preemptions)), ends);
        // What has no budget needs no leave.
        let silent = |_: &World, choice: Choice| choice.budget().is_none();
        prop_assert_eq!(
            allowed(&case, Some(preemptions), &silent),
            bounded(&case, 0, Some(preemptions))
        );
        // So many are no bound.
        if let Some(ends) = enumerated(&case, faults, u32::MAX) {
            prop_assert_eq!(bounded(&case, faults, None), ends.clone());
            prop_assert_eq!(bounded(&case, faults, Some(u32::MAX)), ends);
        }
        if let Some(ends) = enumerated(&case, u32::MAX, u32::MAX) {
            prop_assert_eq!(allowed(&case, None, &|_, _| true), ends);
        }
    }
}
