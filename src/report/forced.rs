//! A run that was forced upon a real Linux, for people.

mod rounds;

use std::time::Duration;

use super::style::Tone;
use super::text::{WIDTH, cell, paragraph, seconds, shorten};
use crate::count::counted;
use crate::on_host::{End, Forced, LAUNCHED, Line};
use rounds::{Part, parts};

/// What a process is called takes no more than this.
const NAME_MAX: usize = 16;

/// Each step and move with what Linux said, and what the run comes to.
pub fn draw(forced: &Forced) -> String {
    let columns = Columns::of(forced);
    let mut out = columns.head();
    for part in parts(&forced.lines) {
        match part {
            Part::Once(line) => columns.line(&mut out, line),
            Part::Again { times, length } => {
                let again = if length == 1 { "this".to_owned() } else { format!("these {length}") };
                let words = format!("… {again} {times} more times: the same, and Linux agrees");
                let blanks = " ".repeat(columns.what_from());
                out.push_str(&format!("{blanks}{}\n", Tone::Dim.paint(&words)));
            }
        }
    }
    out.push_str(&columns.rule());
    out
}

/// What was done from outside, what the real processes came to, and how far Linux
/// agreed.
pub fn sum_up(forced: &Forced) -> String {
    let mut out = String::new();
    paragraph(
        &mut out,
        &format!("On this Linux: {}.", deeds(forced).join("; ")),
        "  ",
        Tone::Plain,
    );
    match forced.crowds.first() {
        Some(first) => crowd(&mut out, &first.lock, &first.inside),
        None => {
            paragraph(&mut out, "✓ nobody was inside beside another, for real", "  ", Tone::Good)
        }
    }
    match &forced.end {
        End::Agreed(steps) => {
            let words = format!("✓ Linux agreed at each of {}", counted((*steps).into(), "step"));
            paragraph(&mut out, &words, "  ", Tone::Good);
        }
        End::Differs { number, how } => {
            let words = format!("✗ Linux does not agree at step {number}: {how}");
            paragraph(&mut out, &words, "  ", Tone::Bad);
        }
        End::NotForced { number, why } => {
            let words = format!("? step {number} could not be forced: {why}");
            paragraph(&mut out, &words, "  ", Tone::Warn);
        }
    }
    out
}

struct Columns {
    who: usize,
    what: usize,
    linux: usize,
}

const NUMBER: usize = 6;
const TIME: usize = 9;

impl Columns {
    fn of(forced: &Forced) -> Self {
        let names = forced.lines.iter().filter_map(|line| line.process.as_ref());
        let who = names.map(|name| name.len()).max().unwrap_or(0).clamp(7, NAME_MAX) + 1;
        let rest = WIDTH - NUMBER - TIME - who - 2;
        let what = rest * 3 / 5;
        Self { who, what, linux: rest - what }
    }

    fn what_from(&self) -> usize {
        NUMBER + TIME + self.who
    }

    fn head(&self) -> String {
        let cells = [("", NUMBER), ("", TIME), ("process", self.who), ("call or move", self.what)];
        let head: String =
            cells.iter().map(|(text, width)| cell(text, Tone::Dim, *width)).collect();
        format!("{head}{}\n{}", Tone::Dim.paint("Linux"), self.rule())
    }

    fn rule(&self) -> String {
        format!("{}\n", Tone::Dim.paint(&"─".repeat(WIDTH)))
    }

    fn line(&self, out: &mut String, line: &Line) {
        let time = seconds(Duration::from_nanos(line.time_ns));
        let who = shorten(line.process.as_deref().unwrap_or_default(), self.who - 1);
        out.push_str(&Tone::Dim.paint(&format!("{:>5}{:>9} ", line.number, time)));
        out.push_str(&cell(&who, Tone::Plain, self.who));
        out.push_str(&cell(&shorten(&line.what, self.what - 1), Tone::Plain, self.what));
        if line.agrees {
            out.push_str(&cell(&shorten(&line.linux, self.linux), Tone::Plain, self.linux + 1));
            out.push_str(&format!("{}\n", Tone::Good.paint("✓")));
        } else {
            out.push_str(&format!("{}\n", Tone::Bad.paint("✗ not as here")));
        }
        for mark in &line.marks {
            let words = format!("{} {}", mark.mark, mark.subject);
            let blanks = " ".repeat(self.what_from());
            out.push_str(&format!("{blanks}{}\n", Tone::Strong.paint(&words)));
            if !mark.crowd.is_empty() {
                crowd(out, &mark.subject, &mark.crowd);
            }
        }
    }
}

fn crowd(out: &mut String, lock: &str, inside: &[locklab_sys::SmolStr]) {
    let names = inside.join(", ");
    let words = format!("✗ {} are inside {lock} at once, for real: {names}", inside.len());
    paragraph(out, &words, "  ", Tone::Bad);
}

/// The moves that were made, and how.
fn deeds(forced: &Forced) -> Vec<String> {
    let deeds = &forced.deeds;
    let launched = forced.lines.iter().filter(|line| line.what == LAUNCHED).count();
    let mut words = vec![count(launched, "process was launched", "processes were launched")];
    for (how, names) in
        [("SIGSTOP", &deeds.stopped), ("SIGCONT", &deeds.continued), ("SIGKILL", &deeds.killed)]
    {
        if !names.is_empty() {
            words.push(format!("{how} to {}", names.join(", ")));
        }
    }
    words.extend(deeds.reused.iter().map(|pid| format!("pid {pid} reused by a stranger")));
    if !deeds.set_back.is_zero() {
        words.push(format!("mtimes set back by {} in all", seconds(deeds.set_back)));
    }
    if deeds.sleeps > 0 {
        words.push(count(deeds.sleeps as usize, "sleep was not slept", "sleeps were not slept"));
    }
    words
}

fn count(number: usize, one: &str, several: &str) -> String {
    if number == 1 { format!("one {one}") } else { format!("{number} {several}") }
}
