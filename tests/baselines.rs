//! A story without its faults and changes violates nothing.

mod common;

use common::cells;
use locklab::arm::Arm;
use locklab::cast::Cast;
use locklab_sim::{End, Turns, run};

#[test]
fn a_story_without_its_faults_violates_nothing() {
    for (scenario, policy) in cells() {
        let cast = Cast::new(&scenario, &policy);
        let mut world = cast.world(Arm::Baseline, 0);
        let mut watchers = cast.watchers(Arm::Baseline);
        let finished =
            run(&mut world, &mut Turns::default(), &mut watchers.jury, cast.limits(), None);
        let fell = finished.falls.iter().find(|fall| fall.which <= watchers.witnesses_from);
        assert_eq!(fell, None, "{} under {}", scenario.name, policy.name);
        assert_eq!(finished.end, End::Finished, "{} under {}", scenario.name, policy.name);
    }
}
