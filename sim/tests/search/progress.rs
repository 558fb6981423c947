//! Who waits for ever: the search against a bare state machine and another algorithm.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sim::kernel::{Effect, TaskId};
use locklab_sim::{
    Bounds, Choice, End, Event, Fell, Judged, Lasso, Limits, Memory, Monitor, Offer, Reductions,
    Search, Strategy as _, World,
};
use locklab_sys::{Fingerprint, Happening};
use proptest::prelude::*;

use crate::jobs::Deed::{Await, Both, Drop as Remove, Lock, Make, Poll, Sleep, Unlock};
use crate::jobs::{Deed, Job, compiled, job, setup};
use crate::machine::{Code, Descriptor, Machine};

/// Who waits, by marks and deaths.
#[derive(Clone, Default)]
struct Waiting(BTreeSet<TaskId>);

impl Monitor for Waiting {
    fn count(&self) -> usize {
        0
    }

    fn observe(&mut self, world: &World, event: &Event, _: &mut Fell) {
        match event {
            Event::Said { task, said: Happening::Mark { name, .. }, .. } => {
                _ = if *name == "waiting" { self.0.insert(*task) } else { self.0.remove(task) };
            }
            Event::Effect(Effect::Ended { proc, .. }) => {
                self.0.retain(|task| world.kernel().process_of(*task) != *proc);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &World, _: End, _: &mut Fell) {}

    fn waiting(&self, _: &World) -> Vec<TaskId> {
        self.0.iter().copied().collect()
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}

const LIMITS: Limits = Limits { horizon: Duration::from_secs(3600), steps: 10_000 };

fn judged(jobs: &[Job], kills: u8, reductions: Reductions) -> Judged {
    search(jobs, kills, reductions).judge_progress(&mut |_| ControlFlow::Continue(()))
}

fn search(jobs: &[Job], kills: u8, reductions: Reductions) -> Search {
    let memory = Some(Memory { programs: Duration::ZERO, monitors: Duration::ZERO });
    Search {
        setup: setup(jobs, kills),
        seed: 1,
        prefix: Vec::new(),
        monitor: Box::new(Waiting::default()),
        look_at_ends: None,
        sought: 0,
        reductions: Reductions { memory, ..reductions },
        alike: None,
        bounds: Bounds::new(200_000, 1 << 30, LIMITS),
    }
}

/// Whether somebody may wait for ever; the same by all means.
fn is_stuck(jobs: &[Job], kills: u8) -> bool {
    let code: Vec<Code> = jobs.iter().map(compiled).collect();
    let expected = Machine::new(&code, kills).is_stuck(true);
    for reductions in [Reductions::NONE, Reductions::TIMED] {
        let judged = judged(jobs, kills, reductions);
        assert!(judged.explored.is_complete(), "{jobs:?}: {:?}", judged.explored.cut);
        assert_eq!(judged.stuck.is_some(), expected, "{jobs:?}, {kills} kills: {judged:?}");
        goes_round(jobs, kills, &judged);
    }
    expected
}

/// What is found can be gone: somebody waits all the way round, and nobody is kept from
/// going on who always could.
fn goes_round(jobs: &[Job], kills: u8, judged: &Judged) {
    let Some(stuck) = &judged.stuck else { return };
    let mut world = World::new(setup(jobs, kills), 1);
    let mut lasso = Lasso::new(stuck);
    let (mut monitor, mut offer) = (Waiting::default(), Offer::default());
    let mut always_can: Option<BTreeSet<TaskId>> = None;
    let mut did = BTreeSet::new();
    while lasso.rounds() < 2 {
        world.offer(&mut offer);
        if offer.is_empty() {
            assert!(stuck.circle.is_empty() && !world.is_over(), "{jobs:?}: {stuck:?}");
            return;
        }
        let is_round = lasso.rounds() == 1;
        let choice = lasso.choose(&world, &offer).expect("it can be gone");
        if is_round {
            assert!(monitor.0.contains(&stuck.waiter.unwrap()), "{jobs:?}: {stuck:?}");
            let can: BTreeSet<TaskId> = offer.steps.iter().filter_map(stepper).collect();
            did.extend(stepper(&choice));
            always_can = Some(always_can.map_or(can.clone(), |all| &all & &can));
        }
        world.apply(choice);
        for event in world.events() {
            monitor.observe(&world, event, &mut Fell::new());
        }
    }
    assert!(always_can.unwrap().is_subset(&did), "{jobs:?}: {stuck:?}");
}

fn stepper(choice: &Choice) -> Option<TaskId> {
    match choice {
        Choice::Step(task) => Some(*task),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn who_waits_for_ever_is_known(jobs in prop::collection::vec(job(), 1..4), kills in 0..2_u8) {
        let code: Vec<Code> = jobs.iter().map(compiled).collect();
        prop_assume!(Machine::new(&code, kills).len() < 10_000);
        is_stuck(&jobs, kills);
    }
}

const A: Descriptor = (0, 0);
const B: Descriptor = (1, 0);
const A_ANEW: Descriptor = (0, 1);

fn once(deeds: &[Deed]) -> Job {
    (deeds.to_vec(), false)
}

fn for_ever(deeds: &[Deed]) -> Job {
    (deeds.to_vec(), true)
}

#[test]
fn two_locks_in_opposite_order_are_a_deadlock() {
    let jobs = [once(&[Lock(A), Lock(B)]), once(&[Lock(B), Lock(A)])];
    assert!(is_stuck(&jobs, 0));
    let found = judged(&jobs, 0, Reductions::TIMED).stuck.unwrap();
    assert!(found.circle.is_empty() && found.waiter.is_some());
    assert!(!is_stuck(&[once(&[Lock(A), Lock(B)]), once(&[Lock(A), Lock(B)])], 1));
}

#[test]
fn who_polls_while_it_has_the_other_lock_is_in_a_ring() {
    let jobs = [once(&[Poll(A, 1), Poll(B, 1)]), once(&[Poll(B, 1), Poll(A, 1)])];
    assert!(is_stuck(&jobs, 0));
    assert!(!judged(&jobs, 0, Reductions::TIMED).stuck.unwrap().circle.is_empty());
}

#[test]
fn who_locks_again_waits_for_itself() {
    assert!(is_stuck(&[once(&[Lock(A), Lock(A_ANEW)])], 0));
    assert!(is_stuck(&[once(&[Lock(A), Poll(A_ANEW, 1)])], 0));
    assert!(!is_stuck(&[once(&[Lock(A), Lock(A)])], 0));
}

#[test]
fn a_claim_of_the_dead_is_removed_by_nobody() {
    let jobs = [once(&[Make(0), Sleep(1), Remove(0)]), once(&[Await(0, false, 1)])];
    assert!(is_stuck(&jobs, 1));
    assert!(!is_stuck(&jobs, 0));
}

#[test]
fn those_who_give_way_to_each_other_may_do_so_for_ever() {
    for pause in [0, 1] {
        let jobs = [once(&[Both(A, B, pause)]), once(&[Both(B, A, pause)])];
        assert!(is_stuck(&jobs, 0));
    }
}

#[test]
fn who_is_met_by_others_each_time_starves() {
    let jobs = [for_ever(&[Lock(A), Sleep(1), Unlock(A)]), once(&[Poll(A, 1)])];
    assert!(is_stuck(&jobs, 0));
    let jobs = [for_ever(&[Lock(A), Unlock(A)]), once(&[Lock(A)])];
    assert!(is_stuck(&jobs, 0));
}

/// Without fairness it would be so in each of these.
#[test]
fn nobody_is_kept_from_going_on_who_always_can() {
    let jobs = [
        // Others may go on and on, but not instead of it.
        vec![for_ever(&[Make(1)]), once(&[Await(0, true, 0)]), once(&[Make(0)])],
        vec![for_ever(&[Make(1), Remove(1)]), once(&[Poll(A, 0)])],
        // Who has what it waits for lets go of it.
        vec![once(&[Await(0, true, 0)]), once(&[Lock(A), Make(0)]), once(&[Lock(A)])],
        // Time passes at some time.
        vec![once(&[Await(0, true, 1)]), once(&[Sleep(2), Make(0)])],
    ];
    for jobs in jobs {
        let code: Vec<Code> = jobs.iter().map(compiled).collect();
        assert!(!is_stuck(&jobs, 0), "{jobs:?}");
        if jobs != [once(&[Await(0, true, 1)]), once(&[Sleep(2), Make(0)])] {
            assert!(Machine::new(&code, 0).is_stuck(false), "it shows nothing of {jobs:?}");
        }
    }
}

#[test]
fn nothing_is_said_where_time_stands_still() {
    let jobs = [once(&[Await(0, true, 0)]), once(&[Sleep(2), Make(0)])];
    let found = judged(&jobs, 0, Reductions::TIMED);
    assert!(found.stuck.is_none() && found.time_stands_still && !found.holds());
}

#[test]
fn what_is_cut_off_is_not_proved() {
    let jobs = [once(&[Lock(A), Unlock(A)]), once(&[Lock(A)])];
    let all = judged(&jobs, 1, Reductions::TIMED);
    assert!(all.holds() && all.quiet > 0 && all.quiet < all.explored.states);
    let mut search = search(&jobs, 1, Reductions::TIMED);
    search.bounds.states = all.explored.states - 1;
    let some = search.judge_progress(&mut |_| ControlFlow::Continue(()));
    assert!(some.stuck.is_none() && !some.holds(), "{some:?}");
}

/// Each has a number, of which there are sixty-four.
#[test]
fn too_many_tasks_are_told() {
    let crowd = vec![once(&[Lock(A)]); 65];
    let mut search = search(&crowd, 0, Reductions::TIMED);
    search.bounds.states = 300;
    let found = search.judge_progress(&mut |_| ControlFlow::Continue(()));
    assert!(found.is_crowded && found.stuck.is_none() && !found.holds());
}
