//! One run, for people or for programs.

use std::time::Duration;

use locklab_models::Policy;
use locklab_sim::{End, Trace};
use serde::Serialize;

use super::lanes;
use super::style::Tone;
use super::text::{paragraph, seconds};
use super::tool::Tool;
use super::{Files, forced, quoted};
use crate::arm::Arm;
use crate::count::steps_and_moves;
use crate::fleet::Fleet;
use crate::on_host::Forced;
use crate::scenario::{PropertyName, Scenario};
use crate::show::Shown;

/// A run with what it is a run of.
#[derive(Clone, Copy, Debug)]
pub struct Single<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What its contenders follow.
    pub fleet: &'a Fleet,
    /// The run.
    pub shown: &'a Shown,
    /// What it takes to replay it elsewhere.
    pub files: &'a Files,
}

impl Single<'_> {
    /// The run as lanes, with what it teaches above and what fell below.
    pub fn lanes(&self) -> String {
        let mut out = String::new();
        self.head(&mut out);
        out.push_str(&lanes::draw(&self.shown.trace));
        self.results(&mut out);
        self.foot(&mut out);
        self.replay_line(&mut out);
        out
    }

    /// The run as it was forced upon a real Linux, step by step.
    pub fn on_host(&self, run: &Forced) -> String {
        let mut out = String::new();
        self.head(&mut out);
        out.push_str(&forced::draw(run));
        self.results(&mut out);
        self.foot(&mut out);
        out.push_str(&forced::sum_up(run));
        self.replay_line(&mut out);
        out
    }

    fn head(&self, out: &mut String) {
        let Self { scenario, fleet, shown, .. } = self;
        let arm = match shown.line.arm {
            Arm::Baseline => "the story without its faults".to_owned(),
            Arm::Story => "the story".to_owned(),
            Arm::Sampled => format!("a random run, seed {}", shown.line.seed),
            Arm::Exhaustive => "a run that a search found".to_owned(),
            Arm::OneStop => "one stop, and the story without any".to_owned(),
        };
        let title = format!("{} under {}: {arm}", scenario.name, fleet.name());
        paragraph(out, &title, "", Tone::Strong);
        paragraph(out, &format!("{}. {}", scenario.title, scenario.lesson), "", Tone::Plain);
        if let Some(hypothesis) = scenario.hypothesis {
            paragraph(out, hypothesis.says(), "", Tone::Warn);
        }
        self.rules(out);
        out.push('\n');
    }

    fn rules(&self, out: &mut String) {
        let mut rule = |of: String, policy: &Policy| {
            paragraph(out, &format!("{of}: {}", policy.rule), "", Tone::Dim);
        };
        if let Some(policy) = self.fleet.only() {
            return rule(format!("The rule of {}", policy.name), policy);
        }
        for (nth, process) in self.scenario.contenders().into_iter().enumerate() {
            let policy = self.fleet.of_contender(nth);
            let process = &self.scenario.processes[process].name;
            rule(format!("{process} follows {}", policy.name), policy);
        }
    }

    fn results(&self, out: &mut String) {
        let names = self.shown.results.iter().map(|(property, _)| property.as_str().len());
        let width = names.max().unwrap_or(0);
        let indent = " ".repeat(width + 4);
        for (property, message) in &self.shown.results {
            let name = format!("{:width$}", property.as_str());
            match message {
                Some(message) => {
                    let when = self.when(*property).map(|time| format!(" at {}", seconds(time)));
                    let when = when.unwrap_or_default();
                    paragraph(out, &format!("✗ {name}  fell{when}: {message}"), &indent, Tone::Bad);
                }
                None if self.shown.reasons.is_empty() => {
                    paragraph(out, &format!("✓ {name}  did not fall"), &indent, Tone::Good);
                }
                None => {
                    paragraph(out, &format!("? {name}  did not fall"), &indent, Tone::Warn);
                }
            }
        }
        for reason in &self.shown.reasons {
            paragraph(out, &format!("? inconclusive: {reason}"), "  ", Tone::Warn);
        }
    }

    /// The virtual time at which a property fell.
    fn when(&self, property: PropertyName) -> Option<Duration> {
        let steps = self.shown.trace.steps.iter();
        let mut falls = steps.flat_map(|step| step.falls.iter().map(move |fall| (step, fall)));
        let (step, _) = falls.find(|(_, fall)| fall.property == property.as_str())?;
        Some(Duration::from_nanos(step.time_ns))
    }

    fn foot(&self, out: &mut String) {
        let end = match self.shown.trace.end {
            Some(End::Finished) => "; every process has ended",
            Some(End::Hung) => "; somebody waits for what will never come",
            Some(End::Horizon) => "; cut off at the horizon",
            Some(End::StepBound | End::Abandoned) | None => "; the schedule ends here",
        };
        let unconfirmed = self.scenario.unconfirmed();
        if !unconfirmed.is_empty() {
            let words: Vec<&str> = unconfirmed.iter().map(|it| it.as_str()).collect();
            let line = format!("Model-only: no real kernel has confirmed {}.", words.join(", "));
            paragraph(out, &line, "", Tone::Dim);
        }
        let steps = steps_and_moves(self.shown.trace.steps.len() as u64);
        let time = seconds(self.shown.time);
        let line = format!("{steps} in {time} of virtual time{end}.");
        paragraph(out, &line, "", Tone::Dim);
    }

    fn replay_line(&self, out: &mut String) {
        out.push_str(&format!("Replay: {}\n", self.replay()));
    }

    /// The command that replays the run. A line that is to be copied is not
    /// broken, however long.
    fn replay(&self) -> String {
        let line = quoted(&self.shown.line.to_string());
        format!("locklab replay {line}{}", self.files.arguments())
    }

    /// The run for programs; if it was forced upon a real Linux, with what that said.
    pub fn json(&self, on_host: Option<&Forced>) -> String {
        let results = self.shown.results.iter();
        let report = Report {
            schema_version: 1,
            tool: Tool::THIS,
            scenario: &self.scenario.name,
            policy: self.fleet.name(),
            properties: results.map(|(name, message)| self.result(*name, message)).collect(),
            reasons: &self.shown.reasons,
            schedule: self.shown.line.to_string(),
            model_only: !self.scenario.unconfirmed().is_empty(),
            trace: &self.shown.trace,
            on_host,
        };
        let text = serde_json::to_string_pretty(&report).expect("the report has only string keys");
        text + "\n"
    }

    fn result<'b>(&self, name: PropertyName, message: &'b Option<String>) -> PropertyReport<'b> {
        let verdict = match message {
            Some(_) => "violated",
            None if self.shown.reasons.is_empty() => "not-found",
            None => "inconclusive",
        };
        PropertyReport { name, verdict, message: message.as_deref() }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    tool: Tool,
    scenario: &'a str,
    policy: &'a str,
    properties: Vec<PropertyReport<'a>>,
    reasons: &'a [String],
    schedule: String,
    model_only: bool,
    trace: &'a Trace,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_host: Option<&'a Forced>,
}

#[derive(Serialize)]
struct PropertyReport<'a> {
    name: PropertyName,
    verdict: &'static str,
    message: Option<&'a str>,
}
