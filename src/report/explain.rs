//! What there is, told in sentences made from the data itself.

mod calls;
mod cast;
mod facts;
mod glossary;
mod policy;
mod scenario;
mod words;

use std::sync::Arc;

use locklab_models::word::POINTS;
use locklab_models::{Program, ProgramInfo};

use super::style::Tone;
use super::text::{WIDTH, wrap};
use crate::scenario::{PropertyName, Scenario};

pub use glossary::{WORDS, mark, word};
pub use policy::policy;
pub use scenario::scenario;

/// A text that grows by headings and paragraphs.
#[derive(Default)]
struct Page(String);

impl Page {
    fn titled(name: &str, kind: &str, title: &str) -> Self {
        let mut page = Self::default();
        page.paragraph(&format!("{name} ({kind}): {title}"), "", Tone::Strong);
        page
    }

    fn heading(&mut self, text: &str) {
        self.0.push('\n');
        self.paragraph(text, "", Tone::Strong);
    }

    fn text(&mut self, text: &str) {
        self.paragraph(text, "", Tone::Plain);
    }

    /// A point of a list.
    fn item(&mut self, text: &str) {
        self.paragraph(&format!("- {text}"), "  ", Tone::Plain);
    }

    fn paragraph(&mut self, text: &str, indent: &str, tone: Tone) {
        for line in wrap(text, WIDTH, indent) {
            self.0.push_str(&tone.paint(&line));
            self.0.push('\n');
        }
    }

    /// Lines as they are, for copying.
    fn verbatim(&mut self, text: &str) {
        for line in text.trim_end().lines() {
            self.0.push_str(line);
            self.0.push('\n');
        }
    }
}

/// A program: what it does and what it can be told.
pub fn program(program: &ProgramInfo, scenarios: &[Arc<Scenario>]) -> String {
    let mut page = Page::titled(program.name, "program", program.summary);
    if !program.slots.is_empty() {
        page.text(&format!("A policy fills its slot: {}.", program.slots.join(", ")));
    }
    page.heading("Parameters, with their defaults");
    for parameter in program.parameters {
        page.item(&format!("{} = {}: {}", parameter.name, parameter.default, parameter.help));
    }
    let meaning = |point: &str| {
        POINTS.iter().find(|(name, _)| *name == point).map_or("", |(_, meaning)| meaning)
    };
    let mut points = program.points().peekable();
    if points.peek().is_some() {
        page.heading("Points at which a fault can be aimed");
        points.for_each(|point| page.item(&format!("{point}: {}", meaning(point))));
    }
    let runs = |scenario: &Scenario| {
        scenario.processes.iter().any(|process| process.program.info().name == program.name)
    };
    used_by(&mut page, "Scenarios that run it", scenarios, runs);
    page.0
}

/// A property: what it says, and who asks about it.
pub fn property(property: PropertyName, scenarios: &[Arc<Scenario>]) -> String {
    let mut page = Page::titled(property.as_str(), "property", property.summary());
    let asks = |scenario: &Scenario| scenario.properties.contains(&property);
    used_by(&mut page, "Scenarios that ask about it", scenarios, asks);
    page.0
}

/// A point: what it names, and which faults are aimed at it.
pub fn point(point: &str, meaning: &str, scenarios: &[Arc<Scenario>]) -> String {
    let mut page = Page::titled(point, "point", meaning);
    page.text("A fault aimed at it takes effect before the process's next call, or so long after.");
    let comes = Program::all().iter().filter(|it| it.points().any(|own| own == point));
    let programs: Vec<&str> = comes.map(|it| it.name).collect();
    page.text(&format!("Programs that come to it: {}.", programs.join(", ")));
    let aims = |scenario: &Scenario| scenario.faults.iter().any(|fault| fault.at.contains(point));
    used_by(&mut page, "Scenarios that aim at it", scenarios, aims);
    page.0
}

fn used_by(
    page: &mut Page,
    heading: &str,
    scenarios: &[Arc<Scenario>],
    uses: impl Fn(&Scenario) -> bool,
) {
    let scenarios: Vec<&Arc<Scenario>> =
        scenarios.iter().filter(|scenario| uses(scenario)).collect();
    if scenarios.is_empty() {
        return;
    }
    page.heading(heading);
    for scenario in scenarios {
        page.item(&format!("{}: {}", scenario.name, scenario.title));
    }
}
