//! What was seen of what there can be.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::outcome::Outcome;
use crate::program::Program;

/// The outcomes of a program's runs.
pub struct Tally<'p> {
    program: &'p Program,
    allowed: BTreeSet<Outcome>,
    seen: BTreeMap<Outcome, u64>,
    runs: usize,
}

impl<'p> Tally<'p> {
    pub fn new(program: &'p Program, allowed: BTreeSet<Outcome>) -> Self {
        Self { program, allowed, seen: BTreeMap::new(), runs: 0 }
    }

    pub fn count(&mut self, outcomes: Vec<Outcome>) {
        self.runs += outcomes.len();
        for outcome in outcomes {
            *self.seen.entry(outcome).or_default() += 1;
        }
    }

    /// Whether each outcome is one of the simulated kernel's, or known to be
    /// Linux's.
    pub fn is_right(&self) -> bool {
        self.seen.keys().all(|it| self.allowed.contains(it) || self.why(it).is_some())
    }

    /// Whether it has been seen that who comes first matters, if it does.
    pub fn is_telling(&self) -> bool {
        self.of_model().count() > 1 || self.allowed.len() < 2
    }

    fn of_model(&self) -> impl Iterator<Item = &Outcome> {
        self.allowed.iter().filter(|it| self.seen.contains_key(*it))
    }

    fn why(&self, outcome: &Outcome) -> Option<&'static str> {
        let known = self.program.known.iter().find(|it| it.excuses(outcome, &self.allowed));
        known.map(|known| known.why)
    }

    /// One line, and more for what is not as one would think; with all
    /// outcomes, if wanted or if one is wrong.
    pub fn report(&self, all: bool) -> String {
        let (name, runs) = (self.program.name, self.runs);
        let (seen, allowed) = (self.of_model().count(), self.allowed.len());
        let mut report = format!("  {name:26} {seen} of {allowed} outcomes in {runs} runs\n");
        let mut line = |text: String| writeln!(report, "    {text}").expect("a string takes all");
        for known in &self.program.known {
            let besides = self.seen.iter().filter(|(it, _)| !self.allowed.contains(*it));
            let besides: Vec<_> =
                besides.filter(|(it, _)| self.why(it) == Some(known.why)).collect();
            let times: u64 = besides.iter().map(|(_, times)| **times).sum();
            line(format!("known: {}: {times} times", known.why));
            besides.iter().take(EXAMPLES).for_each(|(it, _)| line(format!("  as {it}")));
        }
        let all = all || !self.is_right();
        for outcome in &self.allowed {
            match self.seen.get(outcome) {
                Some(times) if all => line(format!("{times} times: {outcome}")),
                Some(_) => {}
                None => line(format!("not seen: {outcome}")),
            }
        }
        for (outcome, times) in &self.seen {
            if !self.allowed.contains(outcome) && self.why(outcome).is_none() {
                line(format!("NOT IN THE SET, {times} times: {outcome}"));
            }
        }
        report
    }
}

/// So many outcomes are told that only Linux gives.
const EXAMPLES: usize = 1;
