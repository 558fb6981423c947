//! What the documents show to be copied can be copied.

use locklab::policy_file;
use locklab::scenario::{self, PropertyName, builtin};
use locklab::show;

const README: &str = include_str!("../README.md");
const FILES: &str = include_str!("../docs/files.md");

/// The only TOML block of a document.
fn toml(document: &'static str) -> &'static str {
    let block = document.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    block.expect("a TOML block")
}

#[test]
fn the_readmes_own_rule_is_one_and_every_scenario_expects_something_of_it() {
    let policies = policy_file::parse("README.md", toml(README)).unwrap();
    assert_eq!(policies.len(), 1);
    for scenario in builtin() {
        scenario.check_expectations(&(&policies[0]).into()).unwrap();
    }
}

/// And it shows what it is about: the late signature.
#[test]
fn the_scenario_to_begin_with_is_one() {
    let scenario = scenario::parse("half-signed.toml", toml(FILES)).unwrap();
    let fell = |policy: &str| {
        let policy = policy_file::named().into_iter().find(|it| it.name == policy).unwrap();
        scenario.check_expectations(&(&policy).into()).unwrap();
        let shown = show::story(&scenario, &policy);
        let result = shown.results.into_iter().find(|it| it.0 == PropertyName::MutualExclusion);
        result.unwrap().1.is_some()
    };
    assert!(fell("identity") && fell("identity-keeper") && fell("pid"));
    assert!(!fell("mkdir-pid") && !fell("identity-guarded"));
}
