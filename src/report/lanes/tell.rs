use std::collections::BTreeSet;

use locklab_models::word::mark;
use locklab_sim::{Trace, TracedEvent, TracedFall, TracedOutcome, TracedStep};
use locklab_sys::{Call, ExitStatus, SmolStr};

use super::moves::{self, Told};
use super::paths::Paths;
use super::row::{Gutter, Lane, Line, Part, Row};
use super::state::{State, is_crowded};
use super::words::call_and_reply;
use crate::report::style::Tone;

/// Draws each step and move of a trace as a row.
pub(super) struct Teller<'a> {
    trace: &'a Trace,
    paths: Paths,
    states: Vec<State>,
    /// The claims that exist: by path.
    claimed: BTreeSet<SmolStr>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let states = vec![State::default(); trace.processes.len()];
        Self { trace, paths: Paths::of(trace), states, claimed: BTreeSet::new() }
    }

    /// The paths of the claims.
    pub(super) fn claims(&self) -> &[SmolStr] {
        self.paths.claims()
    }

    pub(super) fn rows(mut self) -> Vec<Row> {
        let mut rows = Vec::new();
        for step in &self.trace.steps {
            let row = self.row(step);
            if !row.is_empty() {
                rows.push(row);
            }
        }
        rows.extend(self.end());
        rows
    }

    fn claim_lane(&self) -> Lane {
        self.trace.processes.len()
    }

    fn lane(&self, process: &str) -> Lane {
        let named = self.trace.processes.iter().position(|it| it.name == process);
        named.expect("who takes part was started")
    }

    fn row(&mut self, step: &TracedStep) -> Row {
        let mut row = Row { time_ns: step.time_ns, ..Row::default() };
        let told = moves::told(&step.choice);
        if let (Some(process), Some(call)) = (&step.process, &step.call) {
            let words = call_and_reply(process, call, step.outcome.as_ref(), &self.paths);
            if let Some(words) = words {
                row.say(self.lane(process), Line::new(words, Tone::Plain));
            }
        }
        if let Told::World(text) = &told {
            row.world.push(text.clone());
        }
        // A program notes what it thinks of a reply before it acts on it.
        let said = |event: &TracedEvent| {
            matches!(event, TracedEvent::Mark { .. } | TracedEvent::Aborted { .. })
        };
        let acts = step.events.iter().position(said).unwrap_or(step.events.len());
        for event in &step.events[..acts] {
            self.event(&mut row, event, step, &told);
        }
        self.notes(&mut row, step);
        for event in &step.events[acts..] {
            self.event(&mut row, event, step, &told);
        }
        self.paths.follow(step);
        row.falls.extend(step.falls.iter().map(fall_words));
        row.gutters = self.gutters();
        row.part = self.part(&row, step);
        row
    }

    fn event(&mut self, row: &mut Row, event: &TracedEvent, step: &TracedStep, told: &Told) {
        match event {
            TracedEvent::Started { process, pid } => {
                let words = match told {
                    Told::Stranger => format!("is given pid {pid}"),
                    _ => format!("starts, pid {pid}"),
                };
                row.say(self.lane(process), Line::new(words, Tone::Dim));
            }
            TracedEvent::Stopped { process } => {
                let lane = self.lane(process);
                self.states[lane].stopped = true;
                let words = match told {
                    Told::StopFor(time) => format!("stopped for {time}"),
                    _ => "stopped".to_owned(),
                };
                row.say(lane, Line::new(words, Tone::Warn).beside(self.bar(lane), Tone::Warn));
            }
            TracedEvent::Continued { process } => {
                let lane = self.lane(process);
                self.states[lane].stopped = false;
                row.say(lane, Line::new("continues", Tone::Warn));
            }
            TracedEvent::Ended { process, status } => self.ended(row, process, *status, step),
            TracedEvent::Aborted { process, message } => {
                let line = Line::new(format!("ABORTS: {message}"), Tone::Bad);
                row.say(self.lane(process), line.beside('×', Tone::Bad));
            }
            TracedEvent::NameAdded { path, ino, maker, exclusive, .. }
                if self.paths.is_claim(path) =>
            {
                self.claimed.insert(path.clone());
                let what = self.which(path);
                let whose =
                    if *exclusive { format!("{maker}'s") } else { format!("made by {maker}") };
                let line = Line::new(format!("{what}{whose}, inode {ino}"), Tone::Plain);
                row.say(self.claim_lane(), line.beside('●', Tone::Plain));
            }
            TracedEvent::NameRemoved { path, maker, by, .. } if self.paths.is_claim(path) => {
                self.claimed.remove(path);
                let what = self.which(path);
                let tone = if maker == by { Tone::Plain } else { Tone::Warn };
                let line = Line::new(format!("{what}removed by {by}"), tone);
                row.say(self.claim_lane(), line.beside('○', tone));
            }
            TracedEvent::NameAdded { .. } | TracedEvent::NameRemoved { .. } => {}
            TracedEvent::Mark { process, name, subject, value } => {
                self.mark(row, process, name, subject, *value);
            }
            TracedEvent::Quiet => {
                let words = "the adversary is silent from here on: who was stopped continues";
                row.world.push(words.to_owned());
            }
        }
    }

    fn ended(&mut self, row: &mut Row, process: &str, status: ExitStatus, step: &TracedStep) {
        let lane = self.lane(process);
        self.states[lane] = State::default();
        if status == ExitStatus::Killed {
            let words = match &step.process {
                Some(killer) if killer != process => format!("KILLED by {killer}"),
                _ => "KILLED".to_owned(),
            };
            row.say(lane, Line::new(words, Tone::Warn).beside('×', Tone::Warn));
        }
    }

    fn mark(&mut self, row: &mut Row, process: &str, name: &str, claim: &SmolStr, depth: i64) {
        let lane = self.lane(process);
        let before = self.bar(lane);
        match name {
            mark::ENTERED => self.states[lane].enter(claim),
            mark::LEAVING => self.states[lane].leave(claim),
            _ => {}
        }
        let tone = if is_crowded(&self.states, lane) { Tone::Bad } else { Tone::Strong };
        let which = self.which(claim);
        let which = which.trim_end_matches(": ");
        let mut words = match name {
            mark::SCHEDULED => format!("SCHEDULES ({depth})"),
            mark::WAITING => "wants it".to_owned(),
            mark::REFUSED => "GIVES UP".to_owned(),
            _ => name.to_uppercase(),
        };
        if !which.is_empty() {
            words = format!("{words} {which}");
        }
        if depth > 1 && name != mark::SCHEDULED {
            words = format!("{words} ({depth} deep)");
        }
        row.say(
            lane,
            match name {
                mark::ENTERED if before == ' ' => Line::new(words, tone).beside('┌', tone),
                mark::LEAVING if self.bar(lane) == ' ' => {
                    Line::new(words, Tone::Strong).beside('└', Tone::Good)
                }
                mark::WAITING => Line::new(words, Tone::Dim),
                mark::ENTERED | mark::LEAVING | mark::REFUSED => Line::new(words, tone),
                _ => Line::new(words, Tone::Plain),
            },
        );
    }

    fn notes(&self, row: &mut Row, step: &TracedStep) {
        let started = step.events.iter().find_map(|event| match event {
            TracedEvent::Started { process, .. } => Some(process),
            _ => None,
        });
        let Some(process) = step.process.as_ref().or(started) else { return };
        for note in &step.notes {
            row.say(self.lane(process), Line::new(format!("“{note}”"), Tone::Dim));
        }
    }

    /// Names the claim, where there are several.
    fn which(&self, path: &str) -> String {
        match self.paths.short(path) {
            "" => String::new(),
            name => format!("{name}: "),
        }
    }

    fn bar(&self, lane: Lane) -> char {
        self.states[lane].gutter(false).symbol
    }

    fn gutters(&self) -> Vec<Gutter> {
        let process = |lane: Lane| self.states[lane].gutter(is_crowded(&self.states, lane));
        let claim = if self.claimed.is_empty() { ' ' } else { '│' };
        let claim = Gutter { symbol: claim, tone: Tone::Plain };
        (0..self.states.len()).map(process).chain([claim]).collect()
    }

    fn part(&self, row: &Row, step: &TracedStep) -> Option<Part> {
        let lane = self.lane(step.process.as_ref()?);
        let scheduled = |event: &TracedEvent| matches!(event, TracedEvent::Mark { name, .. } if *name == mark::SCHEDULED);
        let words = row.cells.get(&lane).into_iter().flatten().map(|line| line.text.as_str());
        let sign = words.collect::<Vec<_>>().join("\n").replace(|c: char| c.is_ascii_digit(), "");
        Some(Part {
            lane,
            sign,
            idle: step.falls.is_empty() && step.events.iter().all(scheduled),
            last: matches!(step.call, Some(Call::Nanosleep { .. }))
                && step.outcome == Some(TracedOutcome::Waits),
            schedules: step.events.iter().any(scheduled),
        })
    }

    fn end(&self) -> Option<Row> {
        let last = self.trace.steps.last()?;
        let falls: Vec<String> = self.trace.falls_at_end.iter().map(fall_words).collect();
        let time_ns = last.time_ns;
        let row = Row { time_ns, falls, gutters: self.gutters(), ..Row::default() };
        (!row.is_empty()).then_some(row)
    }
}

fn fall_words(fall: &TracedFall) -> String {
    format!("✗ {}: {}", fall.property, fall.message)
}
