use std::cmp::Ordering;

use locklab_models::Lock;
use smol_str::SmolStr;

use super::Metrics;
use crate::cell::{Cell, Verdict};
use crate::fleet::Fleet;
use crate::scenario::PropertyName;

/// Policies by what they cost, those that were safe in every cell first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// Safe everywhere, the cheapest first.
    pub safe: Vec<Rank>,
    /// Of these something fell that must not happen, or nothing can be said somewhere: the
    /// fewest scenarios first in which that is so.
    pub fallen: Vec<Fallen>,
    /// The scenarios that no policy came through.
    pub felled_all: Vec<SmolStr>,
    /// How many scenarios there are.
    pub scenarios: usize,
}

/// A policy with what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rank {
    /// The policy.
    pub policy: SmolStr,
    /// Measured in all of its cells together.
    pub metrics: Metrics,
    /// Whether nobody needs to take anything over, since the kernel lets go.
    pub is_kept_by_kernel: bool,
    /// The scenarios in which somebody was kept out for ever, or for too long.
    pub late: Vec<SmolStr>,
    /// In how many scenarios all was proved.
    pub proved: usize,
}

/// A policy that was not safe everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallen {
    /// What it costs.
    pub rank: Rank,
    /// The scenarios in which something fell that must not happen.
    pub fell: Vec<SmolStr>,
    /// The scenarios of which nothing can be said.
    pub unclear: Vec<SmolStr>,
}

/// What a cell says of a policy's safety.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safe {
    /// Nothing that must not happen did.
    Yes,
    /// Something that must not happen did.
    No,
    /// Nothing can be said.
    Unclear,
}

impl Safe {
    /// What this cell says.
    pub fn of(cell: &Cell) -> Self {
        let fell = |name: PropertyName, verdict: &Verdict| {
            name.is_safety() && matches!(verdict, Verdict::Violated { .. })
        };
        // What nobody has looked at did not happen there, which says nothing.
        let is_unclear = |verdict: &Verdict| *verdict == Verdict::Inconclusive;
        let mut properties = cell.properties.iter();
        if properties.clone().any(|it| fell(it.name, &it.verdict)) {
            Self::No
        } else if !cell.was_run() || properties.any(|it| is_unclear(&it.verdict)) {
            Self::Unclear
        } else {
            Self::Yes
        }
    }
}

impl Ranking {
    /// Ranks policies by their cells and what was measured in them, each policy's in the
    /// order of the scenarios.
    pub fn new(policies: &[(Fleet, Vec<(&Cell, &Metrics)>)]) -> Self {
        let scenarios = policies.first().map_or(&[][..], |(_, cells)| cells);
        let no_policy_is_safe =
            |index: usize| policies.iter().all(|(_, cells)| Safe::of(cells[index].0) == Safe::No);
        let felled_all =
            scenarios.iter().enumerate().filter(|(index, _)| no_policy_is_safe(*index));
        let mut ranking = Self {
            safe: Vec::new(),
            fallen: Vec::new(),
            felled_all: felled_all.map(|(_, (cell, _))| cell.scenario.clone()).collect(),
            scenarios: scenarios.len(),
        };
        for (fleet, cells) in policies {
            let rank = Rank::new(fleet, cells);
            let that_are = |safe: Safe| names(cells, |cell| Safe::of(cell) == safe);
            let (fell, unclear) = (that_are(Safe::No), that_are(Safe::Unclear));
            match fell.is_empty() && unclear.is_empty() {
                true => ranking.safe.push(rank),
                false => ranking.fallen.push(Fallen { rank, fell, unclear }),
            }
        }
        ranking.safe.sort_by(Rank::by_cost);
        ranking.fallen.sort_by(|one, other| {
            let falls = |it: &Fallen| (it.fell.len(), it.unclear.len());
            falls(one).cmp(&falls(other)).then_with(|| one.rank.by_cost(&other.rank))
        });
        ranking
    }
}

impl Rank {
    fn new(fleet: &Fleet, cells: &[(&Cell, &Metrics)]) -> Self {
        let mut metrics = Metrics::default();
        cells.iter().for_each(|(_, of_cell)| metrics.merge(of_cell));
        let is_late = |cell: &Cell| {
            let falls = |verdict: &Verdict| matches!(verdict, Verdict::Violated { .. });
            cell.properties.iter().any(|it| !it.name.is_safety() && falls(&it.verdict))
        };
        let is_proved = |cell: &Cell| matches!(cell.verdict(), Verdict::Holds { .. });
        Self {
            policy: fleet.name().clone(),
            metrics,
            is_kept_by_kernel: fleet.members().iter().all(|it| matches!(it.lock, Lock::Kernel(_))),
            late: names(cells, is_late),
            proved: cells.iter().filter(|(cell, _)| is_proved(cell)).count(),
        }
    }

    /// How many calls a takeover takes: none where there is nothing to take over.
    fn takeover_calls(&self) -> Option<u64> {
        if self.is_kept_by_kernel { Some(0) } else { self.metrics.takeover_calls.median() }
    }

    /// The cheaper first; what nobody could measure counts for more than what was.
    fn by_cost(&self, other: &Self) -> Ordering {
        let costs = |rank: &Self| {
            [
                rank.metrics.uncontended_calls.median(),
                rank.takeover_calls(),
                rank.metrics.succession_ns.median(),
            ]
            .map(|cost| (cost.is_none(), cost))
        };
        costs(self).cmp(&costs(other)).then_with(|| self.policy.cmp(&other.policy))
    }
}

fn names(cells: &[(&Cell, &Metrics)], are: impl Fn(&Cell) -> bool) -> Vec<SmolStr> {
    let cells = cells.iter().filter(|(cell, _)| are(cell));
    cells.map(|(cell, _)| cell.scenario.clone()).collect()
}
