use std::collections::BTreeSet;

use locklab_models::word::mark;
use locklab_sim::{Trace, TracedEvent, TracedFall, TracedOutcome, TracedStep};
use locklab_sys::{Call, ExitStatus, SmolStr};

use super::marks::{fleet_words, lock_words};
use super::moves::{self, Told};
use super::paths::Paths;
use super::people::{People, is_guest, lives_again, spoken};
use super::row::{Gutter, Lane, Line, Part, Row};
use super::state::{Halt, State, is_crowded};
use super::words::call_and_reply;
use crate::report::style::Tone;

/// Draws each step and move of a trace as a row.
pub(super) struct Teller<'a> {
    trace: &'a Trace,
    people: People,
    paths: Paths,
    states: Vec<State>,
    /// The claims that exist: by path.
    claimed: BTreeSet<SmolStr>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let people = People::of(trace);
        let states = vec![State::default(); people.count()];
        Self { trace, people, paths: Paths::of(trace), states, claimed: BTreeSet::new() }
    }

    /// Who has a lane.
    pub(super) fn people(&self) -> &People {
        &self.people
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

    fn pid_of(&self, process: &str) -> Option<u32> {
        self.trace.processes.iter().find(|it| it.name == process).map(|it| it.pid)
    }

    fn claim_lane(&self) -> Lane {
        self.people.count()
    }

    fn lane(&self, process: &str) -> Lane {
        self.people.lane(process)
    }

    /// Says it where the process is heard. Only who has a lane of its own has
    /// something in the gutter.
    fn say(&self, row: &mut Row, process: &str, line: Line) {
        let gutter = line.gutter.filter(|_| !is_guest(process));
        row.say(self.lane(process), Line { gutter, text: spoken(process, &line.text), ..line });
    }

    fn halt(&mut self, process: &str, halt: Halt) {
        let lane = self.lane(process);
        if !is_guest(process) {
            self.states[lane].halt = halt;
        }
    }

    fn row(&mut self, step: &TracedStep) -> Row {
        let mut row = Row { time_ns: step.time_ns, ..Row::default() };
        let told = moves::told(&step.choice);
        if let (Some(process), Some(call)) = (&step.process, &step.call) {
            let words = call_and_reply(process, call, step.outcome.as_ref(), &self.paths);
            if let Some(words) = words {
                self.say(&mut row, process, Line::new(words, Tone::Plain));
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
            // The call that starts it tells of it.
            TracedEvent::Started { process, .. } if is_guest(process) => {}
            TracedEvent::Started { process, pid } => {
                let words = match told {
                    Told::Stranger(dead) => match self.pid_of(dead) {
                        Some(of_dead) if of_dead != *pid => {
                            format!("is given pid {pid}, its thread the id {of_dead}")
                        }
                        _ => format!("is given pid {pid}"),
                    },
                    _ if lives_again(process) => format!("starts again, pid {pid}"),
                    _ => format!("starts, pid {pid}"),
                };
                self.say(row, process, Line::new(words, Tone::Dim));
            }
            TracedEvent::Stopped { process } => {
                let words = match told {
                    Told::StopFor(time) => format!("stopped for {time}"),
                    _ => "stopped".to_owned(),
                };
                self.halted(row, process, Halt::Stopped, words);
            }
            TracedEvent::Starved { process } => {
                let words = match told {
                    Told::StarveFor(time) => format!("starved for {time}"),
                    _ => "starved".to_owned(),
                };
                self.halted(row, process, Halt::Starved, words);
            }
            TracedEvent::Continued { process } => self.goes_on(row, process, "continues"),
            TracedEvent::Fed { process } => self.goes_on(row, process, "runs again"),
            TracedEvent::Ended { process, status } => self.ended(row, process, *status, step),
            // As above, and the call that ends it.
            TracedEvent::ThreadStarted { .. } => {}
            TracedEvent::ThreadEnded { thread } => {
                let lane = self.lane(thread);
                self.states[lane].forget(thread);
            }
            TracedEvent::Aborted { process, message } => {
                let line = Line::new(format!("ABORTS: {message}"), Tone::Bad);
                self.say(row, process, line.beside('×', Tone::Bad));
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
            TracedEvent::NameLost { path, .. } if self.paths.is_claim(path) => {
                self.claimed.remove(path);
                let line = Line::new(format!("{}not there after", self.which(path)), Tone::Warn);
                row.say(self.claim_lane(), line.beside('○', Tone::Warn));
            }
            TracedEvent::NameFound { path, maker, .. } if self.paths.is_claim(path) => {
                self.claimed.insert(path.clone());
                let what = self.which(path);
                let line = Line::new(format!("{what}{maker}'s again"), Tone::Warn);
                row.say(self.claim_lane(), line.beside('●', Tone::Warn));
            }
            TracedEvent::NameAdded { .. }
            | TracedEvent::NameRemoved { .. }
            | TracedEvent::NameLost { .. }
            | TracedEvent::NameFound { .. }
            | TracedEvent::IoFailed { .. } => {}
            TracedEvent::Mark { process, name, subject, value } => {
                self.mark(row, process, name, subject, *value);
            }
            TracedEvent::Quiet => {
                let words = "the adversary is silent from here on: who was stopped continues";
                row.world.push(words.to_owned());
            }
        }
    }

    fn halted(&mut self, row: &mut Row, process: &str, halt: Halt, words: String) {
        self.halt(process, halt);
        let bar = self.bar(self.lane(process));
        self.say(row, process, Line::new(words, Tone::Warn).beside(bar, Tone::Warn));
    }

    fn goes_on(&mut self, row: &mut Row, process: &str, words: &str) {
        self.halt(process, Halt::Runs);
        self.say(row, process, Line::new(words, Tone::Warn));
    }

    fn ended(&mut self, row: &mut Row, process: &str, status: ExitStatus, step: &TracedStep) {
        if !is_guest(process) {
            let lane = self.lane(process);
            self.states[lane] = State::default();
        }
        if status == ExitStatus::Alarmed {
            let words = Line::new("ENDED by SIGALRM", Tone::Warn);
            self.say(row, process, words.beside('×', Tone::Warn));
        }
        if status == ExitStatus::Killed {
            let words = match &step.process {
                Some(killer) if killer != process => format!("KILLED by {killer}"),
                _ => "KILLED".to_owned(),
            };
            self.say(row, process, Line::new(words, Tone::Warn).beside('×', Tone::Warn));
        }
    }

    fn mark(&mut self, row: &mut Row, process: &str, name: &str, subject: &SmolStr, value: i64) {
        match fleet_words(name, subject) {
            Some(line) => self.say(row, process, line),
            None => self.lock_mark(row, process, name, subject, value),
        }
    }

    fn lock_mark(&mut self, row: &mut Row, process: &str, name: &str, claim: &SmolStr, depth: i64) {
        let lane = self.lane(process);
        let before = self.bar(lane);
        match name {
            mark::ENTERED => self.states[lane].enter(process, claim),
            mark::LEAVING => self.states[lane].leave(process, claim),
            _ => {}
        }
        let tone = if is_crowded(&self.states, lane) { Tone::Bad } else { Tone::Strong };
        let words = lock_words(name, self.which(claim).trim_end_matches(": "), depth);
        let line = match name {
            mark::ENTERED if before == ' ' => Line::new(words, tone).beside('┌', tone),
            mark::LEAVING if self.bar(lane) == ' ' => {
                Line::new(words, Tone::Strong).beside('└', Tone::Good)
            }
            mark::WAITING => Line::new(words, Tone::Dim),
            mark::ENTERED | mark::LEAVING | mark::REFUSED => Line::new(words, tone),
            _ => Line::new(words, Tone::Plain),
        };
        self.say(row, process, line);
    }

    fn notes(&self, row: &mut Row, step: &TracedStep) {
        let started = step.events.iter().find_map(|event| match event {
            TracedEvent::Started { process, .. } => Some(process),
            _ => None,
        });
        let Some(process) = step.process.as_ref().or(started) else { return };
        for note in &step.notes {
            self.say(row, process, Line::new(format!("“{note}”"), Tone::Dim));
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
