use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use locklab_models::Policy;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Looking;
use crate::cell::{Cell, Room, Verdict};
use crate::gaps::{Count, Trend, gaps};
use crate::scenario::Scenario;
use crate::variant::Change;

/// A scenario in which a change makes for more gaps, or fewer.
#[derive(Clone, Debug)]
pub struct GapsChanged {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// How many the policy has.
    pub before: Count,
    /// How many it has with the change.
    pub after: Count,
    /// What that is.
    pub trend: Trend,
}

/// The policy itself, or one with a change, by its number.
type Whose = Option<usize>;

/// How many gaps there are, by whose and by the number of the scenario.
pub(super) struct GapCounts(BTreeMap<(Whose, usize), Option<Count>>);

impl Looking<'_> {
    /// Counts the gaps wherever something falls, before a change or with it, that has gaps;
    /// nothing if that takes too long for somebody.
    pub(super) fn count_gaps(
        &self,
        policy: &Arc<Policy>,
        before: &[Cell],
        after: &[(Change, Vec<Cell>)],
    ) -> Option<GapCounts> {
        let mut wanted: BTreeSet<(Whose, usize)> = BTreeSet::new();
        for (index, (_, cells)) in after.iter().enumerate() {
            for (nth, (before, after)) in before.iter().zip(cells).enumerate() {
                if falls(before) || falls(after) {
                    wanted.extend([(None, nth), (Some(index), nth)]);
                }
            }
        }
        (self.watch.more)(wanted.len() as u64);
        let wanted: Vec<_> = wanted.into_iter().collect();
        let counts = wanted.into_par_iter().map(|(whose, nth)| {
            let policy = whose.map_or(policy, |index| &after[index].0.policy);
            let question = self.question(&self.scenarios[nth], policy);
            let room = Room::from(u64::MAX);
            let found = gaps(&question, room, &mut |_| self.watch.may_go_on());
            (self.watch.done)();
            (!(self.watch.is_enough)()).then_some(((whose, nth), found.count()))
        });
        counts.collect::<Option<BTreeMap<_, _>>>().map(GapCounts)
    }
}

impl GapCounts {
    /// Where the change of this number makes a difference.
    pub(super) fn changed(&self, scenarios: &[Arc<Scenario>], index: usize) -> Vec<GapsChanged> {
        let count = |whose, nth| self.0.get(&(whose, nth)).copied().flatten();
        let changed = scenarios.iter().enumerate().filter_map(|(nth, scenario)| {
            let (before, after) = (count(None, nth)?, count(Some(index), nth)?);
            let trend = before.trend_to(after)?;
            Some(GapsChanged { scenario: Arc::clone(scenario), before, after, trend })
        });
        changed.collect()
    }
}

fn falls(cell: &Cell) -> bool {
    let is_fallen = |verdict: &Verdict| matches!(verdict, Verdict::Violated { .. });
    cell.properties.iter().any(|it| it.name.is_safety() && is_fallen(&it.verdict))
}
