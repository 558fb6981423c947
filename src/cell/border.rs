use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sim::{Bounds, Choice, Cost, Reductions, Search};

use super::exhaustive::SEED;
use super::{Room, Stage};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::property::Jury;
use crate::scenario::PropertyName;

/// How far time must pass in a run, since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    /// Up to then it does.
    pub enough: Duration,
    /// Were it to pass up to then only, the property would not fall, whoever goes on when,
    /// without more faults.
    pub too_little: Duration,
}

/// How far time must pass in a run in which a property falls, if it passes once there though
/// somebody could run, and up to the instant before is too little.
pub(super) fn border(
    cast: &Cast<'_>,
    property: PropertyName,
    path: &[Choice],
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Option<Border> {
    let mut passes = path.iter().enumerate().filter_map(|(at, choice)| Some((at, until(choice)?)));
    let (Some((at, enough)), None) = (passes.next(), passes.next()) else { return None };
    let mut world = cast.world(Arm::Exhaustive, SEED);
    path[..at].iter().for_each(|choice| world.apply(*choice));
    let sooner = world.choices().iter().filter_map(until).filter(|it| *it < enough).max()?;
    let faults = |path| Cost::of(cast.world(Arm::Exhaustive, SEED), path).faults();
    let faults_left = faults(path) - faults(&path[..=at]);
    let search = Search {
        setup: cast.setup(Arm::Exhaustive),
        seed: SEED,
        prefix: [&path[..at], &[Choice::Until(sooner)]].concat(),
        monitor: Box::new(Jury::new(vec![cast.judge(property)])),
        look_at_ends: None,
        sought: 1,
        reductions: Reductions { memory: cast.memory(), ..Reductions::TIMED },
        alike: None,
        bounds: Bounds {
            faults: Some(faults_left),
            ..Bounds::new(room.states, room.memory, cast.limits())
        },
    };
    let explored = search.run(&mut |stage| report(stage.into()));
    explored.is_complete().then_some(Border { enough, too_little: sooner })
}

fn until(choice: &Choice) -> Option<Duration> {
    match choice {
        Choice::Until(time) => Some(*time),
        _ => None,
    }
}
