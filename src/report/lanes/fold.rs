use std::collections::BTreeMap;

use super::row::{Lane, Line, Part, Row};
use crate::count::counted;
use crate::report::style::Tone;

/// Fewer rows than this are not worth folding.
const WORTHWHILE: usize = 4;

/// Folds rows that only repeat what their process did the round before.
pub(super) fn fold(rows: Vec<Row>) -> Vec<Row> {
    let dull = dull(&rows);
    let mut folded = Vec::new();
    let mut run: Vec<Row> = Vec::new();
    for (row, dull) in rows.into_iter().zip(dull) {
        if dull {
            run.push(row);
        } else {
            close(&mut run, &mut folded);
            folded.push(row);
        }
    }
    close(&mut run, &mut folded);
    folded
}

/// Which rows belong to a round that repeats the one before, where nothing
/// came of either.
fn dull(rows: &[Row]) -> Vec<bool> {
    let mut dull = vec![false; rows.len()];
    let mut rounds: BTreeMap<Lane, Rounds<'_>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        // What happens to a process from outside breaks its round.
        for lane in row.cells.keys() {
            if row.part.as_ref().is_none_or(|part| part.lane != *lane) {
                rounds.remove(lane);
            }
        }
        let Some(part) = &row.part else { continue };
        let rounds = rounds.entry(part.lane).or_default();
        rounds.this.push((index, part));
        if part.last {
            let this = std::mem::take(&mut rounds.this);
            if rounds.before.as_ref().is_some_and(|before| repeats(before, &this)) {
                this.iter().for_each(|(index, _)| dull[*index] = true);
            }
            rounds.before = Some(this);
        }
    }
    dull
}

#[derive(Default)]
struct Rounds<'a> {
    before: Option<Vec<(usize, &'a Part)>>,
    this: Vec<(usize, &'a Part)>,
}

/// The round before may have begun with more: a process's first one does.
fn repeats(before: &[(usize, &Part)], this: &[(usize, &Part)]) -> bool {
    before.len() >= this.len()
        && before.iter().rev().zip(this.iter().rev()).all(|((_, a), (_, b))| a == b && a.idle)
}

/// Puts the run behind what is folded already: as one row if that is worth it.
fn close(run: &mut Vec<Row>, folded: &mut Vec<Row>) {
    let rounds =
        |run: &[Row]| run.iter().flat_map(|row| &row.part).filter(|part| part.last).count();
    if run.len() < WORTHWHILE || rounds(run) < 2 {
        folded.append(run);
        return;
    }
    let mut times: BTreeMap<Lane, (u64, bool)> = BTreeMap::new();
    for part in run.iter().flat_map(|row| &row.part) {
        let (rounds, schedules) = times.entry(part.lane).or_default();
        *rounds += u64::from(part.last);
        *schedules |= part.schedules;
    }
    let last = run.pop().expect("a run that is worth folding has rows");
    run.clear();
    let mut row = Row { folded: true, cells: BTreeMap::new(), part: None, ..last };
    for (lane, (rounds, schedules)) in times {
        let noun = if schedules { "tick" } else { "poll" };
        if rounds > 0 {
            let more = counted(rounds, &format!("more {noun}"));
            row.say(lane, Line::new(format!("… {more}"), Tone::Dim));
        }
    }
    folded.push(row);
}
