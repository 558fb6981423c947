//! What the documents show to be copied can be copied.

use locklab::policy_file;
use locklab::scenario::builtin;

const README: &str = include_str!("../README.md");

#[test]
fn the_readmes_own_rule_is_one_and_every_scenario_expects_something_of_it() {
    let text = README.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let policies = policy_file::parse("README.md", text.expect("a TOML block")).unwrap();
    assert_eq!(policies.len(), 1);
    for scenario in builtin() {
        scenario.check_expectations(&policies[0]).unwrap();
    }
}
