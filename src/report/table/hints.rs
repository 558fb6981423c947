use super::{Comparison, Row};
use crate::arm::Arm;
use crate::cell::{Cell, Verdict};
use crate::fleet::JOINT;
use crate::report::quoted;

/// Three commands to try next, chosen from what was compared.
pub(super) fn hints(comparison: &Comparison) -> Vec<String> {
    let cells: Vec<(&Row, &Cell)> = comparison
        .rows
        .iter()
        .flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
        .filter(|(_, cell)| cell.was_run())
        .collect();
    let to_run = worth_running(&cells);
    let run = to_run.map(|(row, cell)| {
        let scenario = row.path.as_deref().unwrap_or(&row.scenario);
        let files = comparison.files(row, &cell.policy);
        let more = files.policy_arguments().unwrap_or_default();
        format!("locklab run {} --policy {}{more}", quoted(scenario), quoted(&cell.policy))
    });
    let others: Vec<(&Row, &Cell)> = cells
        .iter()
        .filter(|(_, cell)| to_run.is_none_or(|(_, it)| !std::ptr::eq(it, *cell)))
        .copied()
        .collect();
    let replay =
        worth_replaying(&others).or_else(|| worth_replaying(&cells)).map(|(row, cell, line)| {
            let more = comparison.files(row, &cell.policy).arguments();
            format!("locklab replay {}{more}", quoted(&line))
        });
    let explain = best_policy(comparison).map(|(row, policy)| {
        let more = comparison.files(row, policy).policy_arguments().unwrap_or_default();
        format!("locklab explain {}{more}", quoted(policy))
    });
    [run, replay, explain].into_iter().flatten().collect()
}

/// The first cell that surprises, else the first that falls in its story, which
/// is what `run` shows, else the first; none where things fall by chance only.
fn worth_running<'a>(cells: &[(&'a Row, &'a Cell)]) -> Option<(&'a Row, &'a Cell)> {
    let surprises = cells.iter().find(|(_, cell)| !cell.as_expected());
    let falls = || cells.iter().find(|(_, cell)| falls_in_story(cell));
    let by_chance = cells.iter().any(|(_, cell)| has_fallen(cell));
    let first = || cells.first().filter(|_| !by_chance);
    surprises.or_else(falls).or_else(first).copied()
}

/// The shortest counterexample, rather of what the story does not show: that
/// `run` does.
fn worth_replaying<'a>(cells: &[(&'a Row, &'a Cell)]) -> Option<(&'a Row, &'a Cell, String)> {
    let found = cells.iter().filter_map(|(row, cell)| {
        let line = &cell.counterexample()?.schedule;
        let told = !matches!(
            cell.verdict(),
            Verdict::Violated { arm: Arm::Sampled | Arm::Exhaustive, .. }
        );
        Some((told, *row, *cell, line.to_string()))
    });
    let best = found.min_by_key(|(told, _, _, line)| (*told, line.len()))?;
    Some((best.1, best.2, best.3))
}

/// The policy that falls in the fewest scenarios.
fn best_policy(comparison: &Comparison) -> Option<(&Row, &str)> {
    let falls =
        |index: &usize| comparison.rows.iter().filter(|row| has_fallen(&row.cells[*index])).count();
    let mixed = |index: &usize| comparison.policies[*index].contains(JOINT);
    let policies = (0..comparison.policies.len()).filter(|index| !mixed(index));
    let best = policies.min_by_key(falls)?;
    Some((comparison.rows.first()?, &comparison.policies[best]))
}

fn falls_in_story(cell: &Cell) -> bool {
    matches!(cell.verdict(), Verdict::Violated { arm: Arm::Baseline | Arm::Story, .. })
}

fn has_fallen(cell: &Cell) -> bool {
    matches!(cell.verdict(), Verdict::Violated { .. })
}
