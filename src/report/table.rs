//! Cells as a table: scenarios down, policies across.

mod cost;
mod hints;
mod json;
mod layout;
mod legend;
mod markdown;
mod proofs;
mod text;

use std::ops::Range;
use std::path::PathBuf;

use locklab_sim::Limits;
use smol_str::SmolStr;

use crate::arm::Arm;
use crate::cell::{Cell, Verdict};
use crate::count::{all_states, thousands};
use crate::fleet::JOINT;
use crate::metrics::{Metrics, Ranking};
use crate::variant::base;

use super::Files;
use super::style::Tone;

pub use cost::METRICS;
pub use json::json;
pub use markdown::markdown;
pub use text::text;

/// Cells that were asked for together.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What seeded the sampled runs.
    pub seed: u64,
    /// The names of the policies, in order.
    pub policies: Vec<SmolStr>,
    /// The headings under which they stand, each with how many stand there; none if the
    /// policies are not parted.
    pub groups: Vec<(String, usize)>,
    /// A row a scenario.
    pub rows: Vec<Row>,
    /// The policies by what they cost, if that was asked for.
    pub ranking: Option<Ranking>,
    /// The file from which some of the policies come.
    pub policy_file: Option<PathBuf>,
    /// The policies that come from it.
    pub of_file: Vec<SmolStr>,
}

/// The cells of a scenario.
#[derive(Clone, Debug)]
pub struct Row {
    /// The scenario's name.
    pub scenario: SmolStr,
    /// The scenario's file, if it is not compiled in.
    pub path: Option<String>,
    /// The memory that a search of it takes at most, in bytes, if it is searched.
    pub memory: Option<u64>,
    /// Where its runs are cut off.
    pub limits: Limits,
    /// A cell for each policy, in order.
    pub cells: Vec<Cell>,
    /// What was measured in each cell, if that was asked for.
    pub metrics: Vec<Metrics>,
}

impl Comparison {
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flat_map(|row| &row.cells)
    }

    /// Whether the locks of a policy are kept by the kernel, so that nothing is taken over.
    fn is_kept(&self, policy: &str) -> bool {
        let ranking = self.ranking.iter();
        let mut ranks =
            ranking.flat_map(|it| it.safe.iter().chain(it.fallen.iter().map(|it| &it.rank)));
        ranks.any(|rank| rank.policy == policy && rank.is_kept_by_kernel)
    }

    /// The groups, each with where its policies are in the order of all; one without a
    /// heading if they are not parted.
    fn groups(&self) -> Vec<(Option<&str>, Range<usize>)> {
        if self.groups.is_empty() {
            return vec![(None, 0..self.policies.len())];
        }
        let mut end = 0;
        let group = |(_, count): &(String, usize)| {
            let begin = end;
            end += count;
            begin..end
        };
        let ranges: Vec<Range<usize>> = self.groups.iter().map(group).collect();
        self.groups.iter().map(|(heading, _)| Some(&**heading)).zip(ranges).collect()
    }

    /// What a printed command must name to find a cell of the row again.
    fn files(&self, row: &Row, policy: &str) -> Files {
        let mut members = policy.split(JOINT);
        let of_file = members.any(|member| self.of_file.iter().any(|name| name == base(member)));
        Files { scenario: row.path.clone(), policies: None }
            .for_policy(self.policy_file.as_deref(), of_file)
    }
}

/// What a table says of a cell: a phrase for each property that fell or is not
/// as expected; one for all if there is none such.
fn phrases(cell: &Cell) -> Vec<(String, Tone)> {
    let mut phrases: Vec<(String, Tone)> = Vec::new();
    for property in &cell.properties {
        let fell = matches!(property.verdict, Verdict::Violated { .. });
        let tone = if property.as_expected { Tone::Fallen } else { Tone::Bad };
        let phrase = (phrase(&property.verdict), tone);
        if (fell || !property.as_expected) && !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    if phrases.is_empty() {
        let verdict = cell.verdict();
        let is_open = cell.expected() == Some("open");
        let is_clean =
            matches!(verdict, Verdict::Holds { .. } | Verdict::NotFound { .. }) && !is_open;
        let open = if is_open { "open: " } else { "" };
        let tone = if is_clean { Tone::Good } else { Tone::Warn };
        phrases.push((format!("{open}{}", phrase(verdict)), tone));
    }
    phrases
}

fn phrase(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds { states } => format!("safe ({})", all_states(*states)),
        Verdict::NotFound { schedules } => format!("0 of {}", thousands(*schedules)),
        Verdict::Inconclusive => "?".to_owned(),
        Verdict::Violated { word, arm: Arm::Sampled, .. } => format!("{word}*"),
        Verdict::Violated { word, arm: Arm::Exhaustive, .. } => format!("{word}†"),
        Verdict::Violated { word, arm: Arm::Baseline, .. } => format!("{word}°"),
        Verdict::Violated { word, .. } => word.to_string(),
    }
}
