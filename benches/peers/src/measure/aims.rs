//! What was aimed at, and whether this run has it.

use super::row::{Column, Row, Unit, thousands};

/// A line an aim.
pub fn aims(rows: &[Row]) -> String {
    let row = |title: &str| rows.iter().find(|row| row.title.starts_with(title));
    let (steps, worlds) = (row("random steps"), row("fresh worlds"));
    let largest = row("every state, guarded, 4 × 2");
    let ratio = |row: Option<&Row>, column| row.and_then(|it| it.ratio(column));
    let ours = |row: Option<&Row>| {
        row.and_then(|it| it.figure(Column::Locklab)).expect("locklab is always there").value
    };
    let mut lines = Vec::new();
    let mut say = |aim: &str, has: String, is_met: bool| {
        let word = if is_met { "met" } else { "MISSED" };
        lines.push(format!("{word:<6}  {aim}: {has}"));
    };
    if let Some(theirs) = ratio(steps, Column::Shuttle) {
        say("random steps, four times shuttle's", format!("{:.2}", 1.0 / theirs), theirs <= 0.25);
    }
    if let Some(theirs) = ratio(steps, Column::Futures) {
        let aim = "random steps, no less than a third of hand-written futures'";
        say(aim, format!("one in {theirs:.1}"), theirs <= 3.0);
    }
    let per_second = ours(worlds);
    say("300,000 fresh worlds a second", Unit::PerSecond.show(per_second), per_second >= 3e5);
    let is_guarded = |row: &&Row| row.title.starts_with("every state, guarded");
    let most = rows.iter().filter(is_guarded).filter_map(states_in_bare).fold(0.0, f64::max);
    say("guarded, no more than twice the bare states", format!("{most:.2} at most"), most <= 2.0);
    let states = largest.and_then(|it| it.figure(Column::Locklab)?.states).expect("it has states");
    let rate = states as f64 / ours(largest);
    say("guarded, 4 × 2: a million states a second", thousands(rate as u64), rate >= 1e6);
    for (column, name) in [(Column::Stateright, "stateright"), (Column::Spin, "Spin")] {
        if let Some(theirs) = ratio(largest, column) {
            let aim = format!("guarded, 4 × 2: the whole answer before {name}");
            say(&aim, format!("{name} takes {theirs:.2} of the time"), theirs >= 1.0);
        }
    }
    lines.join("\n")
}

/// locklab's states, in those of a bare state machine.
fn states_in_bare(row: &Row) -> Option<f64> {
    let states = |column| Some(row.figure(column)?.states? as f64);
    Some(states(Column::Locklab)? / states(Column::Stateright)?)
}
