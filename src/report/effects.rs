use std::collections::BTreeMap;

use locklab_sim::Adversary;

use super::text::thousands;
use crate::cell::Evidence;

/// How often each fault took effect, and may: `48 kills (at most 1 in a run)`.
pub(super) fn effects(evidence: &Evidence) -> Vec<String> {
    let effect = |(kind, times, budget): &(String, u64, u32)| {
        let times = thousands(*times);
        match counted(*budget) {
            Some(budget) => format!("{times} {kind} (at most {budget} in a run)"),
            None => format!("{times} {kind} (as often as it likes)"),
        }
    };
    evidence.faults.iter().map(effect).collect()
}

/// How often each fault took effect.
pub(super) fn took_effect(evidence: &Evidence) -> BTreeMap<&str, u64> {
    evidence.faults.iter().map(|(kind, times, _)| (&**kind, *times)).collect()
}

/// How often each fault may take effect in one run; nothing where that is free.
pub(super) fn budgets(evidence: &Evidence) -> BTreeMap<&str, Option<u32>> {
    evidence.faults.iter().map(|(kind, _, budget)| (&**kind, counted(*budget))).collect()
}

fn counted(budget: u32) -> Option<u32> {
    (budget != Adversary::FREE).then_some(budget)
}
