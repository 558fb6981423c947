use std::ops::Range;

use textwrap::core::display_width;

use crate::report::style::Tone;
use crate::report::text::{WIDTH, wrap, wrap_at_hyphens};

/// Between two columns.
pub(super) const GAP: usize = 2;

/// A column of the table before it has a width.
pub(super) struct Column {
    pub(super) title: String,
    pub(super) cells: Vec<Vec<(String, Tone)>>,
}

/// Some of the columns side by side, each with its width.
pub(super) struct Layout {
    pub(super) first_width: usize,
    pub(super) columns: Range<usize>,
    pub(super) widths: Vec<usize>,
}

impl Column {
    /// The width in which nothing wraps.
    fn natural(&self) -> usize {
        self.of_phrases().max(display_width(&self.title))
    }

    /// The width in which no phrase wraps, though the title may.
    fn of_phrases(&self) -> usize {
        let phrases = self.cells.iter().flatten().map(|(phrase, _)| display_width(phrase));
        phrases.max().unwrap_or(0)
    }

    /// The width in which only words are whole.
    fn least(&self) -> usize {
        let phrases = self.cells.iter().flatten();
        let words = phrases.flat_map(|(phrase, _)| phrase.split(' ')).map(display_width);
        words.chain([least_title(&self.title)]).max().unwrap_or(0)
    }
}

/// The width of a name that is parted at every hyphen.
fn least_title(title: &str) -> usize {
    title.split_inclusive('-').map(display_width).max().unwrap_or(0)
}

/// One table if there is any way to make it fit, else several.
pub(super) fn lay_out(first: &[&str], columns: &[Column]) -> Vec<Layout> {
    let natural: Vec<usize> = columns.iter().map(Column::natural).collect();
    let least: Vec<usize> = columns.iter().map(Column::least).collect();
    let first_natural = first.iter().map(|name| display_width(name)).max().unwrap_or(0);
    let first_least = first.iter().map(|name| least_title(name)).max().unwrap_or(0);
    let total = |first: usize, widths: &[usize]| {
        first + widths.iter().map(|width| width + GAP).sum::<usize>()
    };
    for (first_width, widths) in
        [(first_natural, &natural), (first_natural, &least), (first_least, &least)]
    {
        if let Some(room) = WIDTH.checked_sub(total(first_width, widths)) {
            let widths = widened(columns, widths, room);
            return vec![Layout { first_width, columns: 0..columns.len(), widths }];
        }
    }
    let mut layouts = Vec::new();
    let mut begin = 0;
    for end in 1..=columns.len() {
        let is_last = end == columns.len();
        if is_last || total(first_natural, &least[begin..=end]) > WIDTH {
            let room = WIDTH.saturating_sub(total(first_natural, &least[begin..end]));
            let widths = widened(&columns[begin..end], &least[begin..end], room);
            layouts.push(Layout { first_width: first_natural, columns: begin..end, widths });
            begin = end;
        }
    }
    layouts
}

/// Widens the columns whose phrases wrap for as long as there is room.
fn widened(columns: &[Column], widths: &[usize], mut room: usize) -> Vec<usize> {
    let widen = |(column, width): (&Column, &usize)| {
        let wanted = column.of_phrases().saturating_sub(*width);
        let given = if wanted <= room { wanted } else { 0 };
        room -= given;
        width + given
    };
    columns.iter().zip(widths).map(widen).collect()
}

/// A phrase in lines; words longer than the width stay whole.
pub(super) fn phrase_lines(phrase: &str, width: usize) -> Vec<String> {
    wrap(phrase, width, "")
}

/// A name in lines, parted at its hyphens.
pub(super) fn title_lines(title: &str, width: usize) -> Vec<String> {
    wrap_at_hyphens(title, width)
}
