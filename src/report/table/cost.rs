//! What policies cost, as tables: how each number is told, and under which head.

mod json;
mod text;

use std::time::Duration;

use locklab_models::word::mark;

use super::Comparison;
use crate::count::{counted, thousands};
use crate::metrics::{Fallen, Metrics, Rank, Ranking, Tally};
use crate::report::text::{listed, seconds};

pub(super) use json::{MetricsJson, RankingJson, of_metrics};
pub(super) use text::{markdown, text};

/// What nobody could measure.
const UNMEASURED: &str = "-";

/// Of more cells than these only the ranking is shown to people.
const CELLS_MAX: usize = 40;

/// A table of words.
struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// Under what heads they stand, each a word that is explained.
pub const METRICS: [&str; 8] =
    [TWO_INSIDE, COSTS[0], COSTS[1], COSTS[2], LONGEST_WAIT, mark::REFUSED, LATE, PROVED];

const TWO_INSIDE: &str = "two inside";
const LONGEST_WAIT: &str = "longest wait";
const PROVED: &str = "proved in";

/// What policies are ranked by, in that order.
const COSTS: [&str; 3] = ["uncontended", "takeover", "death to entry"];

const LATE: &str = "stuck or late in";

/// The policies that were safe in every cell, the cheapest first.
fn ranked(ranking: &Ranking) -> Table {
    let row = |(index, rank): (usize, &Rank)| {
        let mut row = vec![format!("{}. {}", index + 1, rank.policy)];
        row.extend(costs(rank));
        row.extend([rank.late.len(), rank.proved].map(scenarios));
        row
    };
    let head = ["policy"].into_iter().chain(COSTS).chain([LATE, PROVED]);
    Table { head: head.collect(), rows: ranking.safe.iter().enumerate().map(row).collect() }
}

/// The others.
fn fallen(ranking: &Ranking) -> Table {
    let row = |fallen: &Fallen| {
        let fell = format!("{} of {}", fallen.fell.len(), ranking.scenarios);
        let mut row = vec![fallen.rank.policy.to_string(), fell];
        row.push(double_occupancy(&fallen.rank.metrics));
        row.extend(costs(&fallen.rank));
        row.push(scenarios(fallen.rank.late.len()));
        row
    };
    let head = ["policy", "fell in", TWO_INSIDE].into_iter().chain(COSTS).chain([LATE]);
    Table { head: head.collect(), rows: ranking.fallen.iter().map(row).collect() }
}

fn costs(rank: &Rank) -> [String; 3] {
    let metrics = &rank.metrics;
    [
        told(metrics.uncontended_calls.median(), calls),
        takeover(rank.is_kept_by_kernel, told(metrics.takeover_calls.median(), calls)),
        told(metrics.succession_ns.median(), time),
    ]
}

/// Each cell of a scenario; of each policy, whether the kernel keeps its locks.
fn cells(policies: &[(&str, &Metrics, bool)]) -> Table {
    let row = |(policy, metrics, is_kept_by_kernel): &(&str, &Metrics, bool)| {
        vec![
            (*policy).to_owned(),
            double_occupancy(metrics),
            range(&metrics.succession_ns, time),
            range(&metrics.uncontended_calls, calls),
            takeover(*is_kept_by_kernel, range(&metrics.takeover_calls, calls)),
            told(metrics.wait_ns.most(), time),
            told(metrics.refused(), thousands),
        ]
    };
    let head =
        ["policy", TWO_INSIDE, COSTS[2], COSTS[0], COSTS[1], LONGEST_WAIT, mark::REFUSED].to_vec();
    Table { head, rows: policies.iter().map(row).collect() }
}

/// Where the kernel lets go there is nothing to take over.
fn takeover(is_kept_by_kernel: bool, calls: String) -> String {
    if is_kept_by_kernel { "none".to_owned() } else { calls }
}

fn double_occupancy(metrics: &Metrics) -> String {
    let runs = metrics.double_occupancy_ns.count();
    match metrics.longest_double_occupancy_ns() {
        Some(longest) if runs > 0 => format!("{} in {}", time(longest), counted(runs, "run")),
        Some(_) => "never".to_owned(),
        None => UNMEASURED.to_owned(),
    }
}

/// From the least to the most, and the one in the middle if all three are different.
fn range(tally: &Tally, tell: fn(u64) -> String) -> String {
    match (tally.least(), tally.median(), tally.most()) {
        (Some(least), Some(median), Some(most)) if least != most => {
            let range = format!("{}–{}", bare(&tell(least)), tell(most));
            if median == least || median == most {
                range
            } else {
                format!("{range}, median {}", tell(median))
            }
        }
        (_, median, _) => told(median, tell),
    }
}

/// Without its unit.
fn bare(told: &str) -> &str {
    told.split(' ').next().unwrap_or(told)
}

fn told(value: Option<u64>, tell: fn(u64) -> String) -> String {
    value.map_or_else(|| UNMEASURED.to_owned(), tell)
}

fn calls(number: u64) -> String {
    counted(number, "call")
}

fn scenarios(number: usize) -> String {
    if number == 0 { "none".to_owned() } else { counted(number as u64, "scenario") }
}

/// To the millisecond.
fn time(ns: u64) -> String {
    seconds(Duration::from_millis(ns.div_ceil(1_000_000)))
}

/// What the ranking rests on.
fn basis(comparison: &Comparison, ranking: &Ranking) -> String {
    format!(
        "Measured in the virtual time and the calls of the simulated Linux, in {} of each cell \
         (its story, and random ones), {} for each policy. A cost is the median of them all; `-` \
         is what nobody could measure.",
        told_runs(comparison.rows.iter().flat_map(|row| &row.metrics)),
        counted(ranking.scenarios as u64, "scenario"),
    )
}

/// How many runs each was measured in.
fn told_runs<'a>(all: impl Iterator<Item = &'a Metrics>) -> String {
    let runs: Vec<u64> = all.map(|metrics| metrics.runs).collect();
    let most = runs.iter().copied().max().unwrap_or(0);
    let up_to = if runs.iter().any(|it| *it != most) { "up to " } else { "" };
    format!("{up_to}{}", counted(most, "run"))
}

/// What there is to say besides: of whom nothing can be said, and what tells nobody apart.
fn remarks(comparison: &Comparison, ranking: &Ranking) -> Vec<String> {
    let unclear = ranking.fallen.iter().filter(|it| !it.unclear.is_empty());
    let mut remarks: Vec<String> = unclear
        .map(|it| {
            let policy = &it.rank.policy;
            format!(
                "Of {policy} nothing can be said in {}, which is not safe.",
                listed(&it.unclear)
            )
        })
        .collect();
    if comparison.policies.len() > 1 && !ranking.felled_all.is_empty() {
        remarks.push(format!(
            "Every policy fell in {}: without them there would be more to rank.",
            listed(&ranking.felled_all)
        ));
    }
    remarks
}
