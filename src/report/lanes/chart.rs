use std::time::Duration;

use super::row::{Gutter, Lane, Line, Row};
use crate::report::style::Tone;
use crate::report::text::{WIDTH, cell, seconds, shorten, wrap};

/// The width of a picture of few lanes.
const NARROW: usize = 80;
/// Less than this and a lane tells nothing.
const LANE_MIN: usize = 15;
/// Less than this and it is hard to read: rather without those who mark nothing.
const LANE_GOOD: usize = 19;
/// The gutter, a blank, and a blank between two lanes.
const LANE_FRAME: usize = 3;
/// More lines than this of one call, or note, are not shown.
const LINES_MAX: usize = 4;

/// Rows in columns.
pub(super) struct Chart<'a> {
    rows: &'a [Row],
    titles: &'a [String],
    /// The lanes that are drawn, in order.
    drawn: Vec<Lane>,
    time_width: usize,
    lane_width: usize,
    width: usize,
}

impl<'a> Chart<'a> {
    /// The last of the titles is that of the claims, the others are the
    /// processes'. If there are too many, those that mark nothing are left out
    /// first, and the least busy of the others.
    pub(super) fn new(rows: &'a [Row], titles: &'a [String], marks: impl Fn(Lane) -> bool) -> Self {
        let time_width = rows.iter().map(|row| time_words(row).len()).max().unwrap_or(0);
        let width = if titles.len() <= 3 { NARROW } else { WIDTH };
        let room = width - time_width - 1;
        let mut drawn = busiest(rows, titles.len(), room / (LANE_MIN + LANE_FRAME), &marks);
        let is_crowded = room / drawn.len().max(1) < LANE_GOOD + LANE_FRAME;
        if is_crowded && drawn.iter().filter(|lane| marks(**lane)).count() > 1 {
            drawn.retain(|lane| marks(*lane) || *lane + 1 == titles.len());
        }
        let lane_width = room / drawn.len().max(1) - LANE_FRAME;
        Self { rows, titles, drawn, time_width, lane_width, width }
    }

    /// The titles of the lanes for which there is no room.
    pub(super) fn left_out(&self) -> Vec<&str> {
        let lanes = self.titles.iter().enumerate();
        lanes.filter(|(lane, _)| !self.drawn.contains(lane)).map(|(_, title)| &title[..]).collect()
    }

    pub(super) fn draw(&self, out: &mut String) {
        self.title(out);
        let mut gutters = vec![Gutter { symbol: ' ', tone: Tone::Plain }; self.titles.len()];
        let mut time_before = None;
        for row in self.rows {
            let time = time_words(row);
            let shown = if time_before.as_ref() == Some(&time) { "" } else { &time };
            self.world(out, row, shown);
            let shown = if row.world.is_empty() { shown } else { "" };
            self.cells(out, row, shown, &mut gutters);
            self.falls(out, row);
            gutters.clone_from(&row.gutters);
            if !row.folded {
                time_before = Some(time);
            }
        }
        out.push_str(&Tone::Dim.paint(&"─".repeat(self.width)));
        out.push('\n');
    }

    fn title(&self, out: &mut String) {
        let mut line = format!("{:>w$}", "", w = self.time_width);
        for lane in &self.drawn {
            let title = shorten(&self.titles[*lane], self.lane_width);
            line.push_str(&format!("   {}", cell(&title, Tone::Strong, self.lane_width)));
        }
        out.push_str(line.trim_end());
        out.push('\n');
        out.push_str(&Tone::Dim.paint(&"─".repeat(self.width)));
        out.push('\n');
    }

    fn cells(&self, out: &mut String, row: &Row, time: &str, gutters: &mut [Gutter]) {
        let cells: Vec<Vec<Line>> = self.drawn.iter().map(|lane| self.lines(row, *lane)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for index in 0..height {
            let time = if index == 0 { time } else { "" };
            let mut line = Tone::Dim.paint(&format!("{time:>w$}", w = self.time_width));
            for (lane, lines) in self.drawn.iter().zip(&cells) {
                let said = lines.get(index);
                if let Some(gutter) = said.and_then(|line| line.gutter) {
                    gutters[*lane] = beneath(gutter, row.gutters[*lane]);
                    line.push_str(&self.piece(gutter, said));
                } else {
                    line.push_str(&self.piece(gutters[*lane], said));
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }

    fn piece(&self, gutter: Gutter, said: Option<&Line>) -> String {
        let (text, tone) = said.map_or(("", Tone::Plain), |line| (&line.text, line.tone));
        let symbol = gutter.symbol.to_string();
        let symbol = if symbol == " " { symbol } else { gutter.tone.paint(&symbol) };
        format!(" {symbol} {}", cell(text, tone, self.lane_width))
    }

    /// What a lane says in a row, wrapped to its width.
    fn lines(&self, row: &Row, lane: Lane) -> Vec<Line> {
        let mut lines = Vec::new();
        for line in row.cells.get(&lane).into_iter().flatten() {
            for (index, text) in self.wrapped(&line.text).into_iter().enumerate() {
                let gutter = line.gutter.filter(|_| index == 0);
                lines.push(Line { gutter, text, tone: line.tone });
            }
        }
        lines
    }

    fn wrapped(&self, text: &str) -> Vec<String> {
        let mut lines = wrap(text, self.lane_width, "  ");
        if lines.len() > LINES_MAX {
            let rest = lines.split_off(LINES_MAX - 1).concat();
            lines.push(shorten(&rest, self.lane_width));
        }
        lines
    }

    fn world(&self, out: &mut String, row: &Row, time: &str) {
        for (index, text) in row.world.iter().enumerate() {
            let time = if index == 0 { time } else { "" };
            let line = format!("{time:>w$}   ~ {text} ~", w = self.time_width);
            out.push_str(&Tone::Dim.paint(&line));
            out.push('\n');
        }
    }

    fn falls(&self, out: &mut String, row: &Row) {
        for text in row.falls.iter().flat_map(|fall| wrap(fall, self.width, "  ")) {
            out.push_str(&Tone::Bad.paint(&text));
            out.push('\n');
        }
    }
}

/// What a gutter's symbol leaves beneath it.
fn beneath(symbol: Gutter, after: Gutter) -> Gutter {
    match symbol.symbol {
        '└' | '×' | '○' => Gutter { symbol: ' ', tone: Tone::Plain },
        _ => after,
    }
}

fn time_words(row: &Row) -> String {
    let time = seconds(Duration::from_nanos(row.time_ns));
    if row.folded { format!("to {time}") } else { time }
}

/// The lanes with the most to say, and the last, in order.
fn busiest(rows: &[Row], lanes: usize, room: usize, marks: &impl Fn(Lane) -> bool) -> Vec<Lane> {
    let processes = lanes - 1;
    let says = |lane: Lane| rows.iter().filter(|row| row.cells.contains_key(&lane)).count();
    let mut drawn: Vec<Lane> = (0..processes).collect();
    drawn.sort_by_key(|lane| std::cmp::Reverse((marks(*lane), says(*lane))));
    drawn.truncate(room.saturating_sub(1).max(1));
    drawn.sort_unstable();
    drawn.push(processes);
    drawn
}
