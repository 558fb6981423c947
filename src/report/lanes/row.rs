use std::collections::BTreeMap;

use crate::report::style::Tone;

/// A process's column, or that of the claims, by its place.
pub(super) type Lane = usize;

/// One line in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// What stands in the gutter, if not the state after the row.
    pub(super) gutter: Option<Gutter>,
    pub(super) text: String,
    pub(super) tone: Tone,
}

impl Line {
    pub(super) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { gutter: None, text: text.into(), tone }
    }

    pub(super) fn beside(self, symbol: char, tone: Tone) -> Self {
        Self { gutter: Some(Gutter { symbol, tone }), ..self }
    }
}

/// What the edge of a lane shows of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gutter {
    pub(super) symbol: char,
    pub(super) tone: Tone,
}

/// A step or a move, as it is drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) time_ns: u64,
    /// What is said in each lane that has something to say.
    pub(super) cells: BTreeMap<Lane, Vec<Line>>,
    /// What happened to no process in particular.
    pub(super) world: Vec<String>,
    /// What fell.
    pub(super) falls: Vec<String>,
    /// The gutter of each lane from here on.
    pub(super) gutters: Vec<Gutter>,
    /// Of whose round it is a part, if of anybody's.
    pub(super) part: Option<Part>,
    /// Whether it stands for many rows, of which it shows the last's time.
    pub(super) folded: bool,
}

/// A row as a part of somebody's round of polling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) lane: Lane,
    /// Rows of the same sign do the same.
    pub(super) sign: String,
    /// Whether nothing came of it, so that its repetition is dull.
    pub(super) idle: bool,
    /// Whether the round ends with it: it sleeps.
    pub(super) last: bool,
    /// Whether it scheduled something, rather than polled for a lock.
    pub(super) schedules: bool,
}

impl Row {
    pub(super) fn say(&mut self, lane: Lane, line: Line) {
        self.cells.entry(lane).or_default().push(line);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.world.is_empty() && self.falls.is_empty()
    }
}
