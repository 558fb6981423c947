use locklab_sys::SmolStr;

use super::row::Gutter;
use crate::report::style::Tone;

/// What a lane's gutter must know of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Stopped, or without a processor.
    pub(super) halted: bool,
    /// The claims inside which it believes to be, as often as it entered.
    pub(super) inside: Vec<SmolStr>,
}

impl State {
    pub(super) fn enter(&mut self, claim: &SmolStr) {
        self.inside.push(claim.clone());
    }

    pub(super) fn leave(&mut self, claim: &SmolStr) {
        if let Some(index) = self.inside.iter().rposition(|inside| inside == claim) {
            self.inside.remove(index);
        }
    }

    pub(super) fn gutter(&self, crowded: bool) -> Gutter {
        let symbol = match (self.inside.is_empty(), self.halted) {
            (true, false) => ' ',
            (true, true) => '╏',
            (false, false) => '│',
            (false, true) => '┃',
        };
        let tone = match (crowded, self.halted) {
            (true, _) => Tone::Bad,
            (false, true) => Tone::Warn,
            (false, false) => Tone::Good,
        };
        Gutter { symbol, tone }
    }
}

/// Whether somebody else is inside where this process is.
pub(super) fn is_crowded(states: &[State], lane: usize) -> bool {
    states.iter().enumerate().any(|(other, state)| {
        other != lane && state.inside.iter().any(|claim| states[lane].inside.contains(claim))
    })
}
