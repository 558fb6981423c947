//! How much is done in a second.

use super::REPETITIONS;
use super::row::{Column, Figure, Row, Unit};
use crate::peer::{futures, locklab, shuttle, stateright};
use crate::protocol::{Case, Kind, Walk, Walked};

/// The largest, in which nothing falls.
const CASE: Case = Case { kind: Kind::Guarded, keepers: 4, rounds: 2 };

/// Random steps.
pub fn steps() -> Row {
    let walk = |seed, runs| Walk { case: CASE, seed, runs, until_fall: false };
    let best = |column, walked: &Vec<Walked>| {
        let rates = walked.iter().map(|it| it.steps as f64 / it.seconds);
        let sum = |part: fn(&Walked) -> u64| walked.iter().map(part).sum::<u64>() as f64;
        let runs = sum(|it| it.runs);
        Figure {
            column,
            value: rates.fold(0.0, f64::max),
            work: [
                format!("{:.1}", sum(|it| it.steps) / runs),
                format!("{:.1}", sum(|it| it.choices) / runs),
            ],
            states: None,
        }
    };
    let mut all: [Vec<Walked>; 4] = Default::default();
    for seed in 1..=REPETITIONS as u64 {
        all[0].push(locklab::walk(walk(seed, 5_000)));
        all[1].push(futures::walk(walk(seed, 50_000)));
        all[2].push(shuttle::walk(walk(seed, 5_000)));
        all[3].push(stateright::walk(CASE, seed, 250_000));
    }
    let columns = [Column::Locklab, Column::Futures, Column::Shuttle, Column::Stateright];
    Row {
        title: "random steps".to_owned(),
        counts: ["steps of a run", "choices of a run"],
        unit: Unit::PerSecond,
        figures: columns.into_iter().zip(&all).map(|(column, it)| best(column, it)).collect(),
    }
}

/// Worlds of two processes that are about to make their first steps.
pub fn worlds() -> Row {
    const WORLDS: u32 = 50_000;
    let rates = (0..REPETITIONS).map(|_| f64::from(WORLDS) / locklab::fresh_worlds(WORLDS));
    let value = rates.fold(0.0, f64::max);
    let figure = Figure { column: Column::Locklab, value, work: Default::default(), states: None };
    Row {
        title: "fresh worlds of two".to_owned(),
        counts: ["", ""],
        unit: Unit::PerSecond,
        figures: vec![figure],
    }
}
