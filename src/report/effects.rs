use std::collections::BTreeMap;

use locklab_sim::Adversary;

use crate::cell::Evidence;
use crate::count::thousands;

/// How often each fault took effect, and may: `48 kills (at most 1 in a run)`.
pub(super) fn effects(evidence: &Evidence) -> Vec<String> {
    let effect = |(kind, times, budget): &(String, u64, u32)| {
        let kind = if *times == 1 { singular(kind) } else { kind };
        let times = thousands(*times);
        match counted(*budget) {
            Some(budget) => {
                format!("{times} {kind} (at most {} in a run)", thousands(budget.into()))
            }
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

/// How one of what may be spent is called: `kill`.
fn singular(kind: &str) -> &str {
    match kind {
        "passes" => "pass",
        "power-losses" => "power-loss",
        other => other.strip_suffix('s').unwrap_or(other),
    }
}

/// How one move is called that is taken from a budget, and how many are.
pub(super) fn moves(budget: &str) -> (&str, &str) {
    match budget {
        "stops" => ("stop", "stops"),
        "kills" => ("kill", "kills"),
        "passes" => ("passing of time", "passings of time"),
        "reuses" => ("reused pid", "reused pids"),
        "io-errors" => ("failing call on a file", "failing calls on files"),
        "sleeps" => ("sleep of the machine", "sleeps of the machine"),
        "pauses" => ("pause of the virtual machine", "pauses of the virtual machine"),
        "reboots" => ("reboot", "reboots"),
        "power-losses" => ("loss of power", "losses of power"),
        "clock-steps" => ("step of the clock", "steps of the clock"),
        "full-disks" => ("full disk", "full disks"),
        other => (other, other),
    }
}

/// `2 kills`.
pub(super) fn counted_moves(budget: &str, count: u32) -> String {
    let (one, many) = moves(budget);
    format!("{} {}", thousands(count.into()), if count == 1 { one } else { many })
}
