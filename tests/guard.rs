//! Rules where many come and go, and nobody crashes: a taker may read a claim
//! whose owner then leaves in good order, before the taker asks after it.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{policy, scenario};
use locklab::arm::Arm;
use locklab::cast::{Cast, Watchers};
use locklab::property::Jury;
use locklab::scenario::{PropertyName, Scenario};
use locklab_models::Policy;
use locklab_sim::kernel::TaskId;
use locklab_sim::{Adversary, Choice, Monitor, Random, World, run};
use locklab_sys::Call;

/// Four keepers at once, and an adversary that only makes them slow.
fn orderly() -> Arc<Scenario> {
    let mut orderly = scenario("late-takeover");
    let four = Arc::make_mut(&mut orderly);
    four.properties = vec![PropertyName::MutualExclusion, PropertyName::LiveHolder];
    let mut fourth = four.processes[0].clone();
    fourth.name = "fourth".into();
    four.processes.push(fourth);
    four.adversary = Adversary { passes: 4, ..Adversary::default() };
    for process in &mut four.processes {
        process.start = Duration::ZERO;
        process.changed = process.program.clone();
    }
    orderly
}

/// In how many of so many random runs something falls.
fn falls(policy: &Arc<Policy>, runs: u64) -> usize {
    let scenario = orderly();
    let cast = Cast::new(&scenario, policy);
    let fell = (0..runs).filter(|seed| {
        let mut world = cast.world(Arm::Sampled, *seed);
        let mut watchers = cast.watchers(Arm::Sampled);
        let mut random = Random::new(*seed);
        let finished = run(&mut world, &mut random, &mut watchers.jury, cast.limits(), None);
        finished.falls.iter().any(|fall| fall.which < watchers.witnesses_from)
    });
    fell.count()
}

#[test]
fn no_crash_is_needed_to_break_a_takeover_by_name() {
    assert!(falls(&policy("identity"), 2_000) > 0);
    assert!(falls(&policy("pid-blind"), 2_000) > 0);
}

#[test]
fn the_guarded_rule_stands_where_nobody_crashes() {
    assert_eq!(falls(&policy("identity-guarded"), 2_000), 0);
}

/// Comparing does not help against a slow signature: a claim that is not signed
/// for thirty seconds counts as debris.
#[test]
fn slowness_alone_breaks_a_rule_that_takes_the_unsigned_for_debris() {
    assert!(falls(&policy("identity-keeper"), 4_000) > 0);
}

/// A run driven by hand, watched by the properties.
struct Drive {
    world: World,
    jury: Jury,
    witnesses_from: usize,
    fell: Vec<String>,
}

impl Drive {
    fn apply(&mut self, choice: Choice) {
        self.world.apply(choice);
        let mut fell = Vec::new();
        for event in self.world.events() {
            self.jury.observe(&self.world, event, &mut fell);
        }
        let properties = fell.into_iter().filter(|(which, _)| *which < self.witnesses_from);
        self.fell.extend(properties.map(|(_, message)| message));
    }

    /// Lets one task run until its next call is `until`, or it cannot run.
    fn run(&mut self, task: u32, until: impl Fn(&Call) -> bool) {
        let step = Choice::Step(TaskId(task));
        while self.world.choices().contains(&step)
            && !self.world.pending(TaskId(task)).is_some_and(&until)
        {
            self.apply(step);
        }
    }
}

const OWNER: u32 = 0;
const TAKER: u32 = 1;
const SECOND_OWNER: u32 = 2;
const THIRD_OWNER: u32 = 3;

/// The taker reads a claim and is slow to ask after its owner, twice; each
/// time the owner leaves meanwhile, and somebody else comes in.
fn slow_to_ask(policy: &Arc<Policy>) -> Vec<String> {
    let scenario = orderly();
    let cast = Cast::new(&scenario, policy);
    let Watchers { jury, witnesses_from } = cast.watchers(Arm::Sampled);
    let world = cast.world(Arm::Sampled, 0);
    let mut drive = Drive { world, jury, witnesses_from, fell: Vec::new() };
    for process in 0..4 {
        drive.apply(Choice::Launch(process));
    }
    let asks = |call: &Call| matches!(call, Call::ProcStat { .. });
    let asks_itself = |drive: &mut Drive, task| {
        drive.run(task, |call| matches!(call, Call::ProcStat { .. }));
        drive.apply(Choice::Step(TaskId(task)));
    };
    asks_itself(&mut drive, TAKER);
    drive.run(OWNER, |_| false);
    drive.run(TAKER, asks);
    drive.apply(Choice::Until(Duration::from_secs(10)));
    drive.run(OWNER, |_| false);
    drive.run(SECOND_OWNER, |_| false);
    // Under a guard the taker looks again, and is slow again.
    drive.apply(Choice::Step(TaskId(TAKER)));
    drive.run(TAKER, asks);
    drive.apply(Choice::Until(Duration::from_secs(20)));
    drive.run(SECOND_OWNER, |_| false);
    drive.run(THIRD_OWNER, |_| false);
    drive.run(TAKER, |_| false);
    drive.fell
}

#[test]
fn a_taker_that_is_slow_to_ask_after_an_owner_removes_a_living_ones_claim() {
    let fell = slow_to_ask(&policy("identity"));
    assert!(fell[0].contains("removes the claim /run/keeper.lock of third"), "{fell:?}");
    assert_eq!(slow_to_ask(&policy("identity-keeper")), Vec::<String>::new());
    assert_eq!(slow_to_ask(&policy("identity-guarded")), Vec::<String>::new());
}
