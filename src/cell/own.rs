use std::ops::ControlFlow;
use std::sync::Arc;

use super::judge::judge_cast;
use super::{Cell, Question, Room};
use crate::cast::Cast;
use crate::fleet::Fleet;
use crate::own::Own;
use crate::scenario::Scenario;

/// Judges a scenario whose contenders use a lock of one's own: the story without its faults, the
/// story, so many random runs, and every run there is if there is room for that. Nothing is
/// expected of it, since it has no parts.
///
/// # Errors
///
/// When a contender does more with its lock than to take it, work and release it.
pub fn judge_own(
    scenario: &Scenario,
    own: &Own,
    runs: u64,
    room: Option<Room>,
) -> Result<Cell, String> {
    let fleet = Fleet::from(&Arc::new(own.stand_in()));
    let cast = Cast::with_own(scenario, own)?;
    let question = Question { scenario: Arc::new(scenario.clone()), fleet, seed: 0, runs };
    let report = &mut |_| ControlFlow::Continue(());
    let mut cell = judge_cast(&question, &cast, room, Vec::new(), report);
    for property in &mut cell.properties {
        (property.expected, property.because, property.as_expected) = (None, None, true);
    }
    Ok(cell)
}
