//! How long a random walk takes until two are inside at once.

use super::REPETITIONS;
use super::row::{Column, Figure, Row, Unit, median};
use crate::peer::{locklab, shuttle};
use crate::protocol::{Case, Kind, Walk, Walked, name};

const SEEDS: u64 = 50;

/// More than any seed needs.
const RUNS_MAX: u64 = 1_000_000;

/// For each kind that is not guarded, with as few keepers as can fall.
pub fn falls() -> Vec<Row> {
    [Kind::ByName, Kind::Compare].into_iter().map(fall).collect()
}

type Make = fn(Walk) -> Walked;

fn fall(kind: Kind) -> Row {
    let case = Case { kind, keepers: 2, rounds: 1 };
    let peers: [(Column, Make); 2] =
        [(Column::Locklab, locklab::walk), (Column::Shuttle, shuttle::walk)];
    let mut best: [Vec<Walked>; 2] = Default::default();
    for repetition in 0..REPETITIONS {
        for seed in 1..=SEEDS {
            let walk = Walk { case, seed, runs: RUNS_MAX, until_fall: true };
            for ((_, make), best) in peers.iter().zip(&mut best) {
                let walked = make(walk);
                assert_eq!(walked.falls, 1, "{walk:?}");
                match best.get_mut(seed as usize - 1) {
                    Some(before) => before.seconds = before.seconds.min(walked.seconds),
                    None => {
                        assert_eq!(repetition, 0);
                        best.push(walked);
                    }
                }
            }
        }
    }
    let figure = |column, walked: &[Walked]| {
        let middle = |part: fn(&Walked) -> u64| median(walked.iter().map(part).collect());
        Figure {
            column,
            value: median(walked.iter().map(|it| it.seconds).collect()),
            work: [middle(|it| it.runs).to_string(), middle(|it| it.steps).to_string()],
            states: None,
        }
    };
    let figures = peers.iter().zip(&best).map(|((column, _), it)| figure(*column, it)).collect();
    Row {
        title: format!("first fall, {}", name(kind)),
        counts: ["runs", "steps"],
        unit: Unit::Seconds,
        figures,
    }
}
