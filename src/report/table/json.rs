use std::collections::BTreeMap;
use std::iter;

use serde::Serialize;

use super::cost::{MetricsJson, RankingJson, of_metrics};
use super::{Comparison, Row};
use crate::arm::Arm;
use crate::cell::{Cell, Evidence, PropertyResult, Verdict};
use crate::report::effects::{budgets, took_effect};
use crate::report::teeth::TeethJson;
use crate::report::tool::Tool;
use crate::scenario::PropertyName;

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    tool: Tool,
    seed: u64,
    cells: Vec<CellReport<'a>>,
    /// The policies by what they cost, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<RankingJson<'a>>,
}

#[derive(Serialize)]
struct CellReport<'a> {
    slot: &'a str,
    scenario: &'a str,
    policy: &'a str,
    verdict: &'a Verdict,
    properties: Vec<PropertyReport<'a>>,
    evidence: Vec<EvidenceReport<'a>>,
    counterexample: Option<CounterexampleReport>,
    expected: Option<&'static str>,
    as_expected: bool,
    /// Whether it rests on what no real kernel has confirmed.
    model_only: bool,
    /// Empty if nobody asked for them.
    metrics: MetricsJson,
}

#[derive(Serialize)]
struct PropertyReport<'a> {
    name: PropertyName,
    verdict: &'a Verdict,
    /// What fell, in a sentence.
    message: Option<&'a str>,
    /// In which arm it fell, the most telling one.
    arm: Option<Arm>,
    expected: Option<&'static str>,
    as_expected: bool,
    /// Why nothing, or less than it seems, can be said.
    reasons: &'a [String],
    /// A change of one part with which it falls, if it holds.
    teeth: Option<TeethJson<'a>>,
}

#[derive(Serialize)]
struct EvidenceReport<'a> {
    arm: Arm,
    runs: u64,
    /// Different ones.
    schedules: u64,
    /// Runs do not count states.
    states: Option<u64>,
    /// Whether these are all there are.
    complete: Option<bool>,
    /// How many choices lead to the last of them.
    depth: Option<u32>,
    steps: u64,
    /// How often each fault took effect, in all runs together.
    took_effect: BTreeMap<&'a str, u64>,
    bounds: Bounds<'a>,
}

#[derive(Serialize)]
struct Bounds<'a> {
    horizon_s: f64,
    steps: u32,
    states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mib: Option<u64>,
    /// How often each fault may take effect in one run; nothing where that is free.
    #[serde(flatten)]
    budgets: BTreeMap<&'a str, Option<u32>>,
}

#[derive(Serialize)]
struct CounterexampleReport {
    schedule: String,
    steps: u64,
    property: PropertyName,
    minimal: bool,
}

/// The cells for programs. Keys are only ever added to this form.
pub fn json(comparison: &Comparison) -> String {
    let rows = comparison.rows.iter();
    let report = Report {
        schema_version: 1,
        tool: Tool::THIS,
        seed: comparison.seed,
        cells: rows.flat_map(of_row).collect(),
        ranking: comparison.ranking.as_ref().map(RankingJson::of),
    };
    let text = serde_json::to_string_pretty(&report).expect("the report has only string keys");
    text + "\n"
}

fn of_row(row: &Row) -> impl Iterator<Item = CellReport<'_>> {
    let metrics = row.metrics.iter().map(of_metrics).chain(iter::repeat_with(MetricsJson::new));
    row.cells.iter().zip(metrics).map(move |(cell, metrics)| of_cell(row, cell, metrics))
}

fn of_cell<'a>(row: &'a Row, cell: &'a Cell, metrics: MetricsJson) -> CellReport<'a> {
    let properties = cell.properties.iter();
    CellReport {
        slot: &cell.slot,
        scenario: &cell.scenario,
        policy: &cell.policy,
        verdict: cell.verdict(),
        properties: properties.map(of_property).collect(),
        evidence: cell.evidence.iter().map(|evidence| of_evidence(row, evidence)).collect(),
        counterexample: cell.counterexample().map(|it| CounterexampleReport {
            schedule: it.schedule.to_string(),
            steps: it.steps,
            property: it.property,
            minimal: it.minimal,
        }),
        expected: cell.expected(),
        as_expected: cell.as_expected(),
        model_only: !cell.unconfirmed.is_empty(),
        metrics,
    }
}

fn of_property(property: &PropertyResult) -> PropertyReport<'_> {
    let (message, arm) = match &property.verdict {
        Verdict::Violated { message, arm, .. } => (Some(message.as_str()), Some(*arm)),
        _ => (None, None),
    };
    let &PropertyResult { name, ref verdict, ref reasons, expected, as_expected, .. } = property;
    let teeth = property.teeth.as_ref().and_then(TeethJson::of);
    PropertyReport { name, verdict, message, arm, expected, as_expected, reasons, teeth }
}

fn of_evidence<'a>(row: &Row, evidence: &'a Evidence) -> EvidenceReport<'a> {
    let is_adversary = matches!(evidence.arm, Arm::Sampled | Arm::Exhaustive);
    let states = evidence.states;
    EvidenceReport {
        arm: evidence.arm,
        runs: evidence.runs,
        schedules: evidence.schedules,
        states: states.map(|states| states.seen),
        complete: states.map(|states| states.all),
        depth: states.map(|states| states.depth),
        steps: evidence.steps,
        took_effect: took_effect(evidence),
        bounds: Bounds {
            horizon_s: row.limits.horizon.as_secs_f64(),
            steps: row.limits.steps,
            states: states.map(|states| states.bound),
            memory_mib: row.memory.filter(|_| states.is_some()).map(|bytes| bytes >> 20),
            budgets: if is_adversary { budgets(evidence) } else { BTreeMap::new() },
        },
    }
}
