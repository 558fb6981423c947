//! Each story under each named policy, as people see it. A changed snapshot is
//! a changed claim: review it, do not accept it in bulk.

mod common;

use common::cells;
use locklab::report::Files;
use locklab::report::single::Single;
use locklab::show;

#[test]
fn every_story_under_every_named_policy() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("../scenarios/snapshots");
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (scenario, policy) in cells() {
            let shown = show::story(&scenario, &policy);
            let name = format!("{}@{}", scenario.name, policy.name);
            let files = Files::default();
            let single = Single {
                scenario: &scenario,
                fleet: &(&policy).into(),
                shown: &shown,
                files: &files,
            };
            let plain = anstream::adapter::strip_str(&single.lanes()).to_string();
            insta::assert_snapshot!(name, plain);
        }
    });
}
