//! Each story under each named policy, as people see it: in full under those of the first group,
//! what comes of it under the others. A changed snapshot is a changed claim: review it, do not
//! accept it in bulk.

mod common;

use std::fmt::Write;
use std::sync::Arc;

use common::{cells, is_of_first_group};
use locklab::report::Files;
use locklab::report::single::Single;
use locklab::scenario::Scenario;
use locklab::show::{self, Shown};
use locklab_models::Policy;

fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("../scenarios/snapshots");
    settings.set_omit_expression(true);
    settings
}

#[test]
fn every_story_under_every_policy_of_the_first_group() {
    settings().bind(|| {
        let cells = cells().into_iter().filter(|(_, policy)| is_of_first_group(policy));
        for (scenario, policy) in cells {
            let name = format!("{}@{}", scenario.name, policy.name);
            insta::assert_snapshot!(name, in_full(&scenario, &policy));
        }
    });
}

#[test]
fn what_comes_of_every_story_under_every_other_policy() {
    settings().bind(|| {
        let cells = cells();
        for of_scenario in cells.chunk_by(|(one, _), (other, _)| one.name == other.name) {
            let mut told = String::new();
            let others = of_scenario.iter().filter(|(_, policy)| !is_of_first_group(policy));
            for (scenario, policy) in others {
                outcome(&mut told, &policy.name, &show::story(scenario, policy));
            }
            insta::assert_snapshot!(format!("{}@others", of_scenario[0].0.name), told);
        }
    });
}

fn in_full(scenario: &Arc<Scenario>, policy: &Arc<Policy>) -> String {
    let shown = show::story(scenario, policy);
    let files = Files::default();
    let single = Single { scenario, fleet: &policy.into(), shown: &shown, files: &files };
    anstream::adapter::strip_str(&single.lanes()).to_string()
}

fn outcome(told: &mut String, policy: &str, shown: &Shown) {
    let (steps, time) = (shown.line.steps, shown.time);
    writeln!(told, "{policy}: {steps} steps, {time:?}").expect("a string takes all");
    for (property, fell) in &shown.results {
        let fell = fell.as_deref().unwrap_or("stands");
        writeln!(told, "  {property}: {fell}").expect("a string takes all");
    }
    for reason in &shown.reasons {
        writeln!(told, "  {reason}").expect("a string takes all");
    }
}
