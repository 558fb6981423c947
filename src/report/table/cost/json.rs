use std::collections::BTreeMap;

use serde::Serialize;
use smol_str::SmolStr;

use crate::metrics::{Metrics, Rank, Ranking};

/// By the name of each, with its unit last; nothing where nobody could measure it.
pub(in super::super) type MetricsJson = BTreeMap<&'static str, Option<u64>>;

/// The policies in their order.
#[derive(Serialize)]
pub(in super::super) struct RankingJson<'a> {
    /// How many there are.
    scenarios: usize,
    /// Those that no policy came through.
    felled_all: &'a [SmolStr],
    policies: Vec<RankJson<'a>>,
}

#[derive(Serialize)]
struct RankJson<'a> {
    policy: &'a str,
    /// From 1; nothing of one that was not safe in every cell.
    rank: Option<usize>,
    /// The scenarios in which a property of safety fell.
    fell: &'a [SmolStr],
    /// Those of which nothing can be said.
    inconclusive: &'a [SmolStr],
    /// Those in which somebody was kept out for ever or for too long.
    late: &'a [SmolStr],
    /// In how many of them all was proved.
    proved: usize,
    /// Whether the kernel lets go, so that nothing is ever taken over.
    kept_by_kernel: bool,
    metrics: MetricsJson,
}

impl<'a> RankingJson<'a> {
    pub(in super::super) fn of(ranking: &'a Ranking) -> Self {
        let safe = ranking.safe.iter().enumerate();
        let safe = safe.map(|(index, rank)| of_rank(rank, Some(index + 1), &[], &[]));
        let fallen = ranking.fallen.iter();
        let fallen = fallen.map(|it| of_rank(&it.rank, None, &it.fell, &it.unclear));
        Self {
            scenarios: ranking.scenarios,
            felled_all: &ranking.felled_all,
            policies: safe.chain(fallen).collect(),
        }
    }
}

fn of_rank<'a>(
    of: &'a Rank,
    rank: Option<usize>,
    fell: &'a [SmolStr],
    inconclusive: &'a [SmolStr],
) -> RankJson<'a> {
    RankJson {
        policy: &of.policy,
        rank,
        fell,
        inconclusive,
        late: &of.late,
        proved: of.proved,
        kept_by_kernel: of.is_kept_by_kernel,
        metrics: of_metrics(&of.metrics),
    }
}

/// All of them, by name.
pub(in super::super) fn of_metrics(metrics: &Metrics) -> MetricsJson {
    let Metrics {
        runs,
        contended_runs,
        double_occupancy_ns,
        succession_ns,
        unsucceeded,
        uncontended_calls,
        takeover_calls,
        wait_ns,
        unended_waits,
        refusals: _,
    } = metrics;
    BTreeMap::from([
        ("runs", Some(*runs)),
        ("contended_runs", Some(*contended_runs)),
        ("double_occupancy_ns_max", metrics.longest_double_occupancy_ns()),
        ("double_occupancy_runs", Some(double_occupancy_ns.count())),
        ("death_to_entry_ns_min", succession_ns.least()),
        ("death_to_entry_ns_median", succession_ns.median()),
        ("death_to_entry_ns_max", succession_ns.most()),
        ("deaths_followed_by_entry", Some(succession_ns.count())),
        ("deaths_followed_by_nobody", Some(*unsucceeded)),
        ("uncontended_calls_min", uncontended_calls.least()),
        ("uncontended_calls_median", uncontended_calls.median()),
        ("uncontended_calls_max", uncontended_calls.most()),
        ("uncontended_acquisitions", Some(uncontended_calls.count())),
        ("takeover_calls_min", takeover_calls.least()),
        ("takeover_calls_median", takeover_calls.median()),
        ("takeover_calls_max", takeover_calls.most()),
        ("takeovers", Some(takeover_calls.count())),
        ("wait_ns_max", wait_ns.most()),
        ("waits", Some(wait_ns.count())),
        ("waits_cut_short", Some(*unended_waits)),
        ("refusals", metrics.refused()),
    ])
}
