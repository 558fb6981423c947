//! Exhaustive search: what it sees, and where it ends.

#[path = "../common/alone.rs"]
mod alone;
mod bounded;
mod jobs;
mod machine;
mod oracle;
mod progress;
#[path = "../common/takeover.rs"]
mod takeover;

use std::ops::ControlFlow;
use std::time::Duration;

use alone::Alone;
use locklab_sim::{Bounds, Cut, Explored, Limits, Reductions, Search};
use takeover::{Kind, setup};

fn search(kind: Kind, keepers: u32, rounds: u32) -> Search {
    let bounds = Bounds::new(
        10_000_000,
        1 << 30,
        Limits { horizon: Duration::from_secs(100), steps: 10_000 },
    );
    Search {
        setup: setup(kind, keepers, rounds),
        seed: 1,
        prefix: takeover::prefix(&setup(kind, keepers, rounds), keepers),
        monitor: Box::new(Alone::default()),
        look_at_ends: None,
        sought: 0,
        reductions: Reductions::TIMED,
        alike: None,
        bounds,
    }
}

fn explore(kind: Kind, keepers: u32, rounds: u32) -> Explored {
    search(kind, keepers, rounds).run(&mut |_| ControlFlow::Continue(()))
}

/// How many states a bare state machine of the guarded kind has, for two to four
/// keepers of one and of two rounds.
const KNOWN: [(u32, u32, u64); 6] =
    [(2, 1, 111), (2, 2, 149), (3, 1, 793), (3, 2, 1_483), (4, 1, 4_885), (4, 2, 12_441)];

#[test]
fn a_search_has_about_as_many_states_as_a_bare_state_machine() {
    for (keepers, rounds, known) in KNOWN {
        let explored = explore(Kind::Guarded, keepers, rounds);
        assert!(explored.is_complete());
        assert_eq!(explored.falls, [None], "the guard keeps all but one out");
        let states = explored.states;
        assert!(states < 2 * known && known < 2 * states, "{states} states, known are {known}");
    }
}

#[test]
fn what_is_not_guarded_falls_and_how_far_away_is_known() {
    for (kind, choices) in [(Kind::ByName, 10), (Kind::Compare, 12)] {
        for keepers in 2..=4 {
            let explored = explore(kind, keepers, 1);
            let found = explored.falls[0].as_ref().expect("two get in");
            assert_eq!(found.message, "2 are inside");
            assert_eq!(found.choices, choices, "{kind:?} {keepers}");
        }
    }
}

#[test]
fn the_number_of_cores_makes_no_difference() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (explore(Kind::Guarded, 3, 2), explore(Kind::ByName, 4, 2)))
    };
    let alone = on(1);
    assert_eq!(alone, on(2));
    assert_eq!(alone, on(7));
}

#[test]
fn a_bound_on_states_is_kept_and_told() {
    let mut search = search(Kind::Guarded, 3, 1);
    search.bounds.states = 100;
    let explored = search.run(&mut |_| ControlFlow::Continue(()));
    assert_eq!((explored.states, explored.cut), (100, Some(Cut::States)));
    assert!(!explored.is_complete());
}

#[test]
fn a_bound_on_memory_is_kept_and_told() {
    let mut search = search(Kind::Guarded, 4, 2);
    let all = search.run(&mut |_| ControlFlow::Continue(()));
    assert!(all.is_complete());
    let mut before = 0;
    for memory in [50_000, 100_000, 200_000, 400_000] {
        search.bounds.memory = memory;
        let explored = search.run(&mut |_| ControlFlow::Continue(()));
        assert_eq!(explored.cut, Some(Cut::Memory));
        assert!(before < explored.states && explored.states < all.states, "with {memory} bytes");
        before = explored.states;
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| search.run(&mut |_| ControlFlow::Continue(())));
            assert_eq!(again, explored, "{threads} cores, {memory} bytes");
        }
    }
}

#[test]
fn a_bound_on_steps_is_kept_and_told() {
    let mut search = search(Kind::Guarded, 3, 1);
    search.bounds.limits.steps = 5;
    let explored = search.run(&mut |_| ControlFlow::Continue(()));
    assert_eq!((explored.depth, explored.cut), (5, Some(Cut::Steps)));
}

#[test]
fn whoever_wants_no_more_gets_what_there_is() {
    let mut stages = 0;
    let explored = search(Kind::Guarded, 3, 1).run(&mut |_| {
        stages += 1;
        if stages == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((explored.depth, explored.cut), (3, Some(Cut::Interrupted)));
}
