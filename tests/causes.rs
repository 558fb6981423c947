//! A part that an expectation blames is to blame: with some other word there,
//! and nothing else changed, the property does not fall in the story, or is proved not to
//! fall where a search has shown that it does.

mod common;

use common::{cells, judged};
use locklab::cell::Verdict;
use locklab::scenario::{Expected, Scenario};
use locklab::show;
use locklab_models::Policy;
use std::sync::Arc;

/// The policy with the part changed to each of its other words, as far as that
/// makes sense; what stands or falls with the part goes with it.
fn others(policy: &Policy, part: &str) -> Vec<Arc<Policy>> {
    let values = Policy::part_values().iter().find(|(name, _)| *name == part).unwrap().1;
    let word =
        |policy: &Policy| policy.parts().into_iter().find(|(name, _)| *name == part).unwrap().1;
    let own = word(policy);
    let mut found = Vec::new();
    for value in values.iter().filter(|value| **value != own && **value != "-") {
        let Some(other) = policy.with_part(part, value) else { continue };
        found.extend(other.ok().map(Arc::new));
    }
    found
}

/// Whether a property does not fall.
fn stands(scenario: &Arc<Scenario>, policy: &Arc<Policy>, property: usize) -> bool {
    if scenario.search.is_none() {
        return show::story(scenario, policy).results[property].1.is_none();
    }
    let cell = judged(scenario, policy, 1);
    matches!(cell.properties[property].verdict, Verdict::Holds { .. })
}

#[test]
fn changing_the_blamed_part_changes_the_verdict() {
    let mut blamed = 0;
    let mut helpless = Vec::new();
    for (scenario, policy) in cells() {
        for (index, property) in scenario.properties.iter().enumerate() {
            let Some(expectation) = scenario.expectation(&(&policy).into(), *property) else {
                continue;
            };
            let Some(cause) = &expectation.cause else { continue };
            assert_eq!(expectation.verdict, Expected::Violated);
            blamed += 1;
            let alternatives = others(&policy, cause);
            if !alternatives.iter().any(|other| stands(&scenario, other, index)) {
                helpless.push(format!(
                    "{property} in {} under {}: no other {cause} helps ({} tried)",
                    scenario.name,
                    policy.name,
                    alternatives.len()
                ));
            }
        }
    }
    assert!(helpless.is_empty(), "{}", helpless.join("\n"));
    assert!(blamed > 20, "only {blamed} expectations blame a part");
}
