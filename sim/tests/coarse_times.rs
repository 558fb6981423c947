//! Time passes to where a file's age is judged otherwise, by the realtime clock
//! or by that of a coarse file system.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::{MachineConfig, State};
use locklab_sim::{Adversary, Choice, Launch, Limits, Setup, Turns, World, run};
use locklab_sys::{Clock, ExitStatus, Image, OpenFlags, Sys, Uid};

/// Who judges a file to be older than this.
const AGE: Duration = Duration::from_secs(30);
const GRANULARITY: Duration = Duration::from_secs(2);
/// Half a grain into the file system's clock.
const START: Duration = Duration::from_millis(1_700_000_001_000);

/// Makes a file, and judges its age by each clock: 1 when it is old by the
/// realtime clock, 2 when by the time of another file.
async fn judge(sys: Sys) -> u8 {
    let create = OpenFlags::WRONLY | OpenFlags::CREAT;
    let file = sys.open("/run/file", create).await.unwrap();
    let made = sys.fstat(file).await.unwrap().mtime;
    let now = sys.clock_gettime(Clock::Realtime).await;
    let other = sys.open("/run/other", create).await.unwrap();
    let file_now = sys.fstat(other).await.unwrap().mtime;
    u8::from(now - made > AGE) + 2 * u8::from(file_now - made > AGE)
}

/// After the file is made, and before anything is read.
fn made() -> World {
    let launch = Launch {
        name: "judge".into(),
        machine: 0,
        uid: Uid::USER,
        container: None,
        start: Duration::ZERO,
        every_boot: false,
        image: Image::new("judge", "", judge),
    };
    let machine = MachineConfig {
        realtime: START,
        time_granularity: GRANULARITY,
        ..MachineConfig::default()
    };
    let setup = Setup {
        machines: vec![machine],
        processes: vec![launch],
        story: Vec::new(),
        adversary: Adversary { passes: 1, ..Adversary::default() },
        durations: vec![AGE],
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    for _ in ["launched", "made", "told when"] {
        let step = world.choices()[0];
        world.apply(step);
    }
    world
}

fn judged(mut world: World) -> u8 {
    let limits = Limits { horizon: Duration::from_secs(3600), steps: 100 };
    run(&mut world, &mut Turns::default(), &mut (), limits, None);
    match world.kernel().process(world.launched(0).unwrap()).state {
        State::Dead(ExitStatus::Code(code)) => code,
        other => panic!("the judge is {other:?}"),
    }
}

#[test]
fn every_judgement_is_within_reach_just_before_and_after_it_turns() {
    let world = made();
    let mut verdicts = BTreeMap::new();
    for choice in world.choices() {
        if let Choice::Until(instant) = choice {
            let mut later = world.clone();
            later.apply(choice);
            verdicts.insert(instant, judged(later));
        }
    }
    // The file's time is a second old at once: its age is AGE a second early.
    let close = Duration::from_millis(10);
    let second = Duration::from_secs(1);
    let expected = [
        (AGE - second - close, 0),
        (AGE - second + close, 1),
        (AGE + second - close, 1),
        (AGE + second + close, 3),
    ];
    assert_eq!(verdicts, BTreeMap::from(expected));
    assert_eq!(judged(world), 0, "no time has passed");
    let reached: BTreeSet<u8> = verdicts.into_values().collect();
    assert_eq!(reached, BTreeSet::from([0, 1, 3]));
}
