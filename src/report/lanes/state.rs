use locklab_sys::SmolStr;

use super::row::Gutter;
use crate::report::style::Tone;

/// What a lane's gutter must know of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) halt: Halt,
    /// The claims inside which it believes to be, as often as it entered, and
    /// who entered: itself, or who speaks in its lane.
    pub(super) inside: Vec<(SmolStr, SmolStr)>,
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
    pub(super) fn enter(&mut self, who: &str, claim: &SmolStr) {
        self.inside.push((who.into(), claim.clone()));
    }

    pub(super) fn leave(&mut self, who: &str, claim: &SmolStr) {
        let is_it = |(by, inside): &(SmolStr, SmolStr)| by == who && inside == claim;
        if let Some(index) = self.inside.iter().rposition(is_it) {
            self.inside.remove(index);
        }
    }

    /// Who has ended is inside no more.
    pub(super) fn forget(&mut self, who: &str) {
        self.inside.retain(|(by, _)| by != who);
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

/// Whether somebody else is inside where this process, or who speaks in its
/// lane, is.
pub(super) fn is_crowded(states: &[State], lane: usize) -> bool {
    let mut all = states.iter().flat_map(|state| &state.inside);
    all.any(|(who, claim)| {
        states[lane].inside.iter().any(|(other, inside)| inside == claim && other != who)
    })
}
