use std::sync::Arc;

use locklab_models::{NAMED_POLICIES, Policy};

use super::Page;
use crate::fleet::Fleet;
use crate::scenario::{Expected, PropertyName, Scenario};

/// A policy: its rule, its parts, what its source leaves open, and where it is
/// expected to fall.
pub fn policy(policy: &Arc<Policy>, of_file: bool, scenarios: &[Arc<Scenario>]) -> String {
    let fleet = Fleet::from(policy);
    let mut page = Page::titled(&policy.name, "policy", &policy.title);
    page.text(&policy.rule);
    if let Some(source) = &policy.source {
        page.text(&format!("From “{source}”."));
    }
    page.heading("Its parts");
    let parts: Vec<(&str, String)> =
        policy.parts().into_iter().filter(|(_, word)| word != "-").collect();
    let width = parts.iter().map(|(part, _)| part.len()).max().unwrap_or(0);
    for (part, word) in &parts {
        page.verbatim(&format!("  {part:width$}  {word}"));
    }
    if !policy.leaves_open.is_empty() {
        page.heading("What is left open, and how it is read here");
        for question in &policy.leaves_open {
            page.item(question);
        }
    }
    page.heading("Where it is expected to fall");
    if !properties(&mut page, scenarios, |scenario, it| is_to_fall(scenario, &fleet, it)) {
        page.text("In none of the scenarios.");
    }
    let is_open = |scenario: &Scenario, it| scenario.expectations.find_open(&fleet, it).is_some();
    if scenarios.iter().any(|scenario| scenario.properties.iter().any(|it| is_open(scenario, *it)))
    {
        page.heading("Where the scenarios do not say what to expect");
        properties(&mut page, scenarios, is_open);
    }
    if let Some(row) = row(&policy.name).filter(|_| !of_file) {
        page.heading("Its row, to be copied to a policy file and changed");
        page.verbatim(&row);
    }
    page.0
}

/// An item for each scenario with the properties in question; whether there
/// is any.
fn properties(
    page: &mut Page,
    scenarios: &[Arc<Scenario>],
    in_question: impl Fn(&Scenario, PropertyName) -> bool,
) -> bool {
    let mut any = false;
    for scenario in scenarios {
        let properties: Vec<&str> = scenario
            .properties
            .iter()
            .filter(|property| in_question(scenario, **property))
            .map(|property| property.as_str())
            .collect();
        if !properties.is_empty() {
            any = true;
            page.item(&format!("{}: {}", scenario.name, properties.join(", ")));
        }
    }
    any
}

fn is_to_fall(scenario: &Scenario, fleet: &Fleet, property: PropertyName) -> bool {
    let expectation = scenario.expectations.find(fleet, property);
    matches!(expectation, Ok(Some(expectation)) if expectation.verdict == Expected::Violated)
}

/// The policy's table in the file that is compiled in, without what is of no use elsewhere.
fn row(name: &str) -> Option<String> {
    let header = format!("[policy.{name}]\n");
    let begin = NAMED_POLICIES.find(&header)?;
    let rest = &NAMED_POLICIES[begin..];
    let end = rest[1..].find("\n[policy.").map_or(rest.len(), |end| end + 1);
    let lines = rest[..end].split_inclusive('\n');
    Some(lines.filter(|line| !line.starts_with("group = ")).collect())
}
