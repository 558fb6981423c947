//! What a search has found, for people or for programs.

use std::collections::BTreeMap;

use locklab_sim::Limits;
use serde::Serialize;

use super::effects::{budgets, effects, took_effect};
use super::gaps::{self, GapsJson};
use super::least::{self, LeastJson};
use super::single::Single;
use super::style::Tone;
use super::teeth::{self, TeethJson};
use super::text::paragraph;
use super::tool::Tool;
use super::{Files, quoted};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::cell::{Counterexample, EndlessEvidence, Question, States, Verdict};
use crate::count::{all_states, counted, steps_and_moves, thousands};
use crate::find::{Discovery, Finding, Looker};
use crate::scenario::PropertyName;
use crate::show;

/// What was found, and where.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Who was looked at.
    pub question: &'a Question,
    /// Who looked.
    pub looker: Looker,
    /// What was found.
    pub discovery: &'a Discovery,
    /// What it takes to replay it elsewhere.
    pub files: &'a Files,
}

impl Report<'_> {
    /// The first property that falls, in the run that takes the least, drawn; and what was found
    /// of each.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if let Some(fall) = self.discovery.first_fall() {
            out.push_str(&self.drawn(fall));
            out.push('\n');
        }
        self.title(&mut out);
        let names = self.discovery.findings.iter().map(|it| it.property.as_str().len());
        let width = names.max().unwrap_or(0);
        for finding in &self.discovery.findings {
            self.finding(&mut out, finding, width);
        }
        for reason in &self.discovery.reasons {
            paragraph(&mut out, &format!("? inconclusive: {reason}"), "  ", Tone::Warn);
        }
        self.evidence(&mut out);
        self.teeth(&mut out);
        if let Some(gaps) = &self.discovery.gaps {
            gaps::text(&mut out, gaps, self.files);
        }
        out
    }

    fn drawn(&self, fall: &Counterexample) -> String {
        let Question { scenario, fleet, .. } = self.question;
        let shown = show::replay(&fall.schedule, scenario, fleet);
        let shown = shown.unwrap_or_else(|stale| panic!("what was just found is {stale}"));
        Single { scenario, fleet, shown: &shown, files: self.files }.lanes()
    }

    fn title(&self, out: &mut String) {
        let Question { scenario, fleet, seed, .. } = self.question;
        let how = match self.looker {
            Looker::Random { runs } => format!("{}, seed {seed}", counted(runs, "random run")),
            Looker::Pct { runs, depth } => {
                let runs = counted(runs, "random run");
                format!("{runs} by priorities, depth {depth}, seed {seed}")
            }
            Looker::Exhaustive { .. } => "every run there is".to_owned(),
        };
        let title = format!("{} under {}, the adversary alone: {how}", scenario.name, fleet.name());
        paragraph(out, &title, "", Tone::Strong);
    }

    fn finding(&self, out: &mut String, finding: &Finding, width: usize) {
        let name = format!("{:width$}", finding.property.as_str());
        let indent = " ".repeat(width + 4);
        let (sign, said, tone) = match &finding.verdict {
            Verdict::Violated { message, .. } => ("✗", format!("falls: {message}"), Tone::Bad),
            Verdict::Holds { states } => ("✓", self.holds(finding, *states), Tone::Good),
            Verdict::NotFound { schedules } => {
                ("✓", format!("did not fall in {}", counted(*schedules, "schedule")), Tone::Good)
            }
            Verdict::Inconclusive => ("?", "did not fall".to_owned(), Tone::Warn),
        };
        paragraph(out, &format!("{sign} {name}  {said}"), &indent, tone);
        let falls = matches!(finding.verdict, Verdict::Violated { .. });
        if falls && finding.counterexample.is_none() {
            let no_line = "for ever: under the scenario's own patience no run of it is judged";
            out.push_str(&format!("{indent}{}\n", Tone::Dim.paint(no_line)));
        }
        if let Some(counterexample) = &finding.counterexample {
            let mut say = |said: &str| {
                paragraph(out, &format!("{indent}{said}"), &indent, Tone::Dim);
            };
            if let Some(least) = &finding.least {
                say(&least::said(least));
                if let Some(border) = least.border {
                    say(&least::border(border));
                }
            }
            let shortest = match finding.least.as_ref().and_then(|least| least.shorter) {
                Some(steps) => format!("; a run with more faults or preemptions has {steps}"),
                None if counterexample.minimal => "; no fewer choices suffice".to_owned(),
                None => String::new(),
            };
            say(&format!("{}{shortest}:", steps_and_moves(counterexample.steps)));
            let line = quoted(&counterexample.schedule.to_string());
            out.push_str(&format!("{indent}locklab replay {line}{}\n", self.files.arguments()));
        }
    }

    fn holds(&self, finding: &Finding, states: u64) -> String {
        let fairly = match self.endless(finding) {
            Some(_) => ": with the adversary silent from any of them, whoever waits gets in",
            None => "",
        };
        format!("holds in {}{fairly}", all_states(states))
    }

    /// What was found of progress in a search for it alone.
    fn endless(&self, finding: &Finding) -> Option<EndlessEvidence> {
        self.discovery.endless.filter(|_| finding.property == PropertyName::Progress)
    }

    fn evidence(&self, out: &mut String) {
        let evidence = &self.discovery.evidence;
        let mut said = match evidence.states {
            Some(States { seen, depth, .. }) => format!(
                "{}, up to {} deep, and {} made from them",
                counted(seen, "state"),
                counted(depth.into(), "choice"),
                counted(evidence.steps, "choice"),
            ),
            None => format!(
                "{} in {}, {}",
                counted(evidence.schedules, "different schedule"),
                counted(evidence.runs, "run"),
                steps_and_moves(evidence.steps),
            ),
        };
        let effects = effects(evidence);
        if !effects.is_empty() {
            let among = if evidence.states.is_some() { "Among these are" } else { "In them were" };
            said.push_str(&format!(". {among} {}", effects.join(", ")));
        }
        paragraph(out, &format!("{said}."), "", Tone::Dim);
        if let Some(EndlessEvidence { states, quiet, .. }) = self.discovery.endless {
            let said = format!(
                "Progress: {} in which who waits never gives up, in {} of them with the \
                 adversary silent for good; whoever can always go on does so at some time.",
                counted(states.seen, "state"),
                thousands(quiet),
            );
            paragraph(out, &said, "", Tone::Dim);
        }
    }

    /// What makes the properties fall that hold.
    fn teeth(&self, out: &mut String) {
        let found = self.discovery.findings.iter();
        let teeth: Vec<_> =
            found.filter_map(|it| Some((it.property, it.teeth.as_ref()?))).collect();
        if !teeth.is_empty() {
            paragraph(out, "With one part of the rule changed:", "", Tone::Strong);
            teeth::text(out, &teeth, self.files, "  ");
        }
    }

    /// What was found, for programs. Keys are only ever added to this form.
    pub fn json(&self) -> String {
        let Question { scenario, fleet, seed, .. } = self.question;
        let evidence = &self.discovery.evidence;
        let report = Json {
            schema_version: 1,
            tool: Tool::THIS,
            scenario: &scenario.name,
            policy: fleet.name(),
            strategy: match self.looker {
                Looker::Random { .. } => "random",
                Looker::Pct { .. } => "pct",
                Looker::Exhaustive { .. } => "exhaustive",
            },
            seed: *seed,
            properties: self.discovery.findings.iter().map(property).collect(),
            reasons: &self.discovery.reasons,
            evidence: EvidenceJson {
                arm: evidence.arm,
                runs: evidence.runs,
                schedules: evidence.schedules,
                states: evidence.states.map(|states| states.seen),
                complete: evidence.states.map(|states| states.all),
                depth: evidence.states.map(|states| states.depth),
                steps: evidence.steps,
                took_effect: took_effect(evidence),
                bounds: budgets(evidence),
            },
            limits: self.limits(),
            progress: self.discovery.endless.map(|endless| EndlessJson {
                states: endless.states.seen,
                complete: endless.states.all,
                depth: endless.states.depth,
                quiet: endless.quiet,
                steps: endless.steps,
            }),
            gaps: self.discovery.gaps.as_ref().map(GapsJson::of),
            model_only: !scenario.unconfirmed().is_empty(),
        };
        let text = serde_json::to_string_pretty(&report).expect("the report has only string keys");
        text + "\n"
    }
}

impl Report<'_> {
    fn limits(&self) -> LimitsJson {
        let Limits { horizon, steps } =
            Cast::new(&self.question.scenario, &self.question.fleet).limits();
        let limits =
            LimitsJson { horizon_s: horizon.as_secs_f64(), steps, ..LimitsJson::default() };
        match self.looker {
            Looker::Random { runs } => LimitsJson { runs: Some(runs), ..limits },
            Looker::Pct { runs, depth } => {
                LimitsJson { runs: Some(runs), depth: Some(depth), ..limits }
            }
            Looker::Exhaustive { states, memory } => {
                LimitsJson { states: Some(states), memory_mib: Some(memory >> 20), ..limits }
            }
        }
    }
}

fn property(finding: &Finding) -> PropertyJson<'_> {
    let counterexample = finding.counterexample.as_ref();
    PropertyJson {
        name: finding.property,
        verdict: &finding.verdict,
        message: match &finding.verdict {
            Verdict::Violated { message, .. } => Some(message),
            _ => None,
        },
        schedule: counterexample.map(|it| it.schedule.to_string()),
        steps: counterexample.map(|it| it.steps),
        minimal: counterexample.map(|it| it.minimal),
        least: finding.least.as_ref().map(LeastJson::of),
        teeth: finding.teeth.as_ref().and_then(TeethJson::of),
    }
}

#[derive(Serialize)]
struct Json<'a> {
    schema_version: u32,
    tool: Tool,
    scenario: &'a str,
    policy: &'a str,
    strategy: &'static str,
    seed: u64,
    properties: Vec<PropertyJson<'a>>,
    reasons: &'a [String],
    evidence: EvidenceJson<'a>,
    limits: LimitsJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<EndlessJson>,
    /// The places at which one stop suffices, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    gaps: Option<GapsJson<'a>>,
    model_only: bool,
}

#[derive(Serialize)]
struct PropertyJson<'a> {
    name: PropertyName,
    verdict: &'a Verdict,
    message: Option<&'a str>,
    schedule: Option<String>,
    steps: Option<u64>,
    minimal: Option<bool>,
    /// What the schedule takes, if every run was looked at for it.
    least: Option<LeastJson<'a>>,
    /// A change of one part with which it falls, if it holds.
    teeth: Option<TeethJson<'a>>,
}

/// How far it was to look: what a search goes by, or random runs.
#[derive(Default, Serialize)]
struct LimitsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<u64>,
    /// Orderings, of runs by priorities.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mib: Option<u64>,
    horizon_s: f64,
    /// Steps and moves of one run.
    steps: u32,
}

/// What is found of progress rests on.
#[derive(Serialize)]
struct EndlessJson {
    states: u64,
    complete: bool,
    depth: u32,
    /// In how many states the adversary is silent for good.
    quiet: u64,
    steps: u64,
}

#[derive(Serialize)]
struct EvidenceJson<'a> {
    arm: Arm,
    runs: u64,
    schedules: u64,
    states: Option<u64>,
    complete: Option<bool>,
    depth: Option<u32>,
    steps: u64,
    took_effect: BTreeMap<&'a str, u64>,
    /// How often each fault may take effect in one run; nothing where that is free.
    bounds: BTreeMap<&'a str, Option<u32>>,
}
