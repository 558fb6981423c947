use super::words::{period, times};
use super::{Page, cast};
use crate::count::counted;
use crate::report::text::listed;
use crate::room::mib;
use crate::scenario::{Parts, PropertyName, Scenario, Scope, Whom};

/// A scenario: what it teaches, its story, and what is expected of whom.
pub fn scenario(scenario: &Scenario) -> String {
    let mut page = Page::titled(&scenario.name, "scenario", &scenario.title);
    page.text(&scenario.lesson);
    if let Some(source) = &scenario.source {
        page.text(&format!("From “{source}”."));
    }
    if let Some(hypothesis) = scenario.hypothesis {
        page.text(hypothesis.says());
    }
    page.heading("The story");
    for sentence in cast::launches(scenario).iter().chain(&cast::faults(scenario)) {
        page.item(sentence);
    }
    page.item(&patience(scenario));
    for reached in &scenario.reached {
        let process = &scenario.processes[reached.process].name;
        let often = times(reached.nth);
        page.item(&format!(
            "The run counts only if {process} has said `{}` {often}.",
            reached.mark
        ));
    }
    page.heading("The adversary");
    page.text(&cast::adversary(scenario));
    if let Some(room) = scenario.search {
        let (states, memory) = (counted(room.states, "state"), mib(room.memory));
        page.text(&format!(
            "Every run that it can bring about is looked at, too, up to {states} and {memory}."
        ));
    }
    page.heading("What it asks");
    for property in &scenario.properties {
        page.item(&question(scenario, *property));
    }
    expectations(&mut page, scenario);
    page.0
}

fn patience(scenario: &Scenario) -> String {
    format!("Whoever waits for a lock gives up after {}.", period(scenario.patience))
}

fn question(scenario: &Scenario, property: PropertyName) -> String {
    match (property, scenario.prompt) {
        (PropertyName::PromptTakeover, Some(prompt)) => {
            format!("{property}: {}, {}", property.summary(), period(prompt))
        }
        _ => format!("{property}: {}", property.summary()),
    }
}

fn expectations(page: &mut Page, scenario: &Scenario) {
    page.heading("What is expected");
    for expectation in &scenario.expectations.told {
        let blame =
            expectation.cause.as_ref().map(|part| format!(" (cause: {part})")).unwrap_or_default();
        let verdict = expectation.verdict.as_str();
        page.item(&expected(
            &expectation.scope,
            &format!("{verdict}{blame}"),
            &expectation.because,
        ));
    }
    for open in &scenario.expectations.open {
        page.item(&expected(&open.scope, "open", &open.because));
    }
}

fn expected(scope: &Scope, verdict: &str, because: &str) -> String {
    let properties: Vec<String> = scope.properties.iter().map(ToString::to_string).collect();
    format!("{}: {} {verdict}. {because}", whom(scope), listed(&properties))
}

/// The policies of a scope, by their parts.
fn whom(scope: &Scope) -> String {
    match &scope.whom {
        Whom::All(parts) if parts.is_empty() => "every policy".to_owned(),
        Whom::All(parts) => in_words(parts),
        Whom::InTurn(turns) => {
            let turns: Vec<String> = turns.iter().map(in_words).collect();
            format!("a mixed fleet, first {}", turns.join("; then "))
        }
    }
}

fn in_words(parts: &Parts) -> String {
    if parts.is_empty() {
        return "anything".to_owned();
    }
    let parts = parts.iter().map(|(part, words)| {
        let words: Vec<&str> =
            words.iter().map(|word| if word == "-" { "not in question" } else { word }).collect();
        format!("{part} {}", words.join(" or "))
    });
    parts.collect::<Vec<_>>().join(", ")
}
