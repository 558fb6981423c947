use locklab_sys::SmolStr;

use super::row::Gutter;
use crate::report::style::Tone;

/// What a lane's gutter must know of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) halt: Halt,
    /// The claims inside which it believes to be, as often as it entered.
    pub(super) inside: Vec<SmolStr>,
}

/// Whether a process runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Halt {
    #[default]
    Runs,
    Stopped,
    /// It could run, and has no processor.
    Starved,
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
        let symbol = match (self.inside.is_empty(), self.halt) {
            (true, Halt::Runs) => ' ',
            (true, Halt::Stopped | Halt::Starved) => '╏',
            (false, Halt::Runs) => '│',
            (false, Halt::Stopped) => '┃',
            (false, Halt::Starved) => '┇',
        };
        let tone = match (crowded, self.halt) {
            (true, _) => Tone::Bad,
            (false, Halt::Runs) => Tone::Good,
            (false, Halt::Stopped | Halt::Starved) => Tone::Warn,
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
