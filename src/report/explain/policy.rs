use std::sync::Arc;

use locklab_models::{NAMED_POLICIES, Policy};

use super::facts::facts;
use super::{Page, calls};
use crate::fleet::Fleet;
use crate::report::text::listed;
use crate::scenario::{Expected, PropertyName, Scenario};

/// A policy: its rule, its parts, its calls, what it stands on, where it is expected to fall, and
/// what its source leaves open.
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
    calls::tell(&mut page, policy);
    page.heading("What it stands on");
    for fact in facts(policy) {
        page.item(fact);
    }
    page.heading("Where it is expected to fall");
    if !expected(&mut page, scenarios, |scenario, it| falls(scenario, &fleet, it)) {
        page.text("In none of the scenarios.");
    }
    let open = |scenario: &Scenario, it| scenario.expectations.find_open(&fleet, it).is_some();
    let is_open = |it: &Arc<Scenario>| it.properties.iter().any(|property| open(it, *property));
    if scenarios.iter().any(is_open) {
        page.heading("Where the scenarios do not say what to expect");
        properties(&mut page, scenarios, open);
    }
    if !policy.leaves_open.is_empty() {
        page.heading("What its source leaves open, and how it is read here");
        for question in &policy.leaves_open {
            page.item(question);
        }
    }
    if let Some(row) = row(&policy.name).filter(|_| !of_file) {
        page.heading("Its row, to be copied to a policy file and changed");
        page.verbatim(&row);
    }
    page.0
}

/// An item for each scenario and reason, with the properties that go for it; whether there is
/// any.
fn expected<'a>(
    page: &mut Page,
    scenarios: &'a [Arc<Scenario>],
    because: impl Fn(&'a Scenario, PropertyName) -> Option<&'a str>,
) -> bool {
    let mut any = false;
    for scenario in scenarios {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for property in &scenario.properties {
            let Some(because) = because(scenario, *property) else { continue };
            match reasons.iter_mut().find(|(reason, _)| *reason == because) {
                Some((_, properties)) => properties.push(property.as_str()),
                None => reasons.push((because, vec![property.as_str()])),
            }
        }
        for (because, properties) in &reasons {
            page.item(&format!("{}: {}. {because}", scenario.name, listed(properties)));
        }
        any |= !reasons.is_empty();
    }
    any
}

/// An item for each scenario with the properties in question.
fn properties(
    page: &mut Page,
    scenarios: &[Arc<Scenario>],
    in_question: impl Fn(&Scenario, PropertyName) -> bool,
) {
    for scenario in scenarios {
        let all = scenario.properties.iter();
        let properties: Vec<&str> =
            all.filter(|it| in_question(scenario, **it)).map(|it| it.as_str()).collect();
        if !properties.is_empty() {
            page.item(&format!("{}: {}", scenario.name, listed(&properties)));
        }
    }
}

/// Why a property is expected to fall, if it is.
fn falls<'a>(scenario: &'a Scenario, fleet: &Fleet, property: PropertyName) -> Option<&'a str> {
    let expectation = scenario.expectations.find(fleet, property).ok()??;
    (expectation.verdict == Expected::Violated).then_some(expectation.because.as_str())
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
