//! What a litmus program is.

use std::collections::BTreeSet;

use locklab_sys::host::Step;
use locklab_sys::{Call, Fd, Pid};

use crate::outcome::Outcome;

/// A few processes that make a few calls each, at once.
pub struct Program {
    pub name: &'static str,
    /// What there is when they begin.
    pub begin: Begin,
    /// Each process's steps, in order.
    racers: Vec<Vec<Step>>,
    /// What is looked at when they have ended, by another process.
    pub look: Vec<Call>,
    /// What Linux does, and the simulated kernel does not.
    pub known: Vec<Known>,
}

/// What there is when processes begin to race.
pub enum Begin {
    /// Files, made by calls of another process. Who races has nothing open, and
    /// closes all in the end.
    Files(Vec<Call>),
    /// Processes: each one that is begun races.
    Processes(Vec<Beginning>),
}

/// How processes get what they begin with. In calls, a pid is the number of a
/// process, in the order in which they are begun.
pub enum Beginning {
    /// Init starts the next process.
    Launch,
    /// A process forks: that is the next one. It inherits these descriptors.
    Fork { parent: usize, keep: Vec<Fd> },
    /// A process makes calls.
    Calls(usize, Vec<Call>),
}

/// What Linux tells, and the simulated kernel does not. All else must be as in an
/// outcome of the simulated kernel.
pub struct Known {
    pub why: &'static str,
    /// Of which process and which of its calls.
    at: &'static [(usize, usize)],
    /// Whether Linux may tell the first where the simulated kernel tells the second.
    may_be: fn(&str, &str) -> bool,
}

impl Known {
    pub fn excuses(&self, outcome: &Outcome, allowed: &BTreeSet<Outcome>) -> bool {
        let may_be =
            |at, there: &str, here: &str| self.at.contains(&at) && (self.may_be)(there, here);
        allowed.iter().any(|it| outcome.is_like(it, may_be))
    }
}

impl Program {
    pub fn new(name: &'static str, racers: Vec<Vec<Step>>) -> Self {
        let begin = Begin::Files(Vec::new());
        Self { name, begin, racers, look: Vec::new(), known: Vec::new() }
    }

    /// How many processes race.
    pub fn racers(&self) -> usize {
        self.racers.len()
    }

    /// What one who races does, when the first process begun has this pid.
    pub fn steps(&self, who: usize, first: Pid) -> Vec<Step> {
        let steps = self.racers[who].iter().cloned();
        match self.begin {
            Begin::Files(_) => steps.chain([Step::CloseAll]).collect(),
            Begin::Processes(_) => steps.map(|step| aimed_step(step, first)).collect(),
        }
    }

    #[must_use]
    pub fn with_files(self, calls: impl IntoIterator<Item = Call>) -> Self {
        Self { begin: Begin::Files(calls.into_iter().collect()), ..self }
    }

    #[must_use]
    pub fn with_processes(self, beginnings: Vec<Beginning>) -> Self {
        Self { begin: Begin::Processes(beginnings), ..self }
    }

    #[must_use]
    pub fn look(self, calls: impl IntoIterator<Item = Call>) -> Self {
        Self { look: calls.into_iter().collect(), ..self }
    }

    #[must_use]
    pub fn known(
        mut self,
        why: &'static str,
        at: &'static [(usize, usize)],
        may_be: fn(&str, &str) -> bool,
    ) -> Self {
        self.known.push(Known { why, at, may_be });
        self
    }
}

fn aimed_step(step: Step, first: Pid) -> Step {
    match step {
        Step::Call(call) => Step::Call(aimed(&call, first)),
        other => other,
    }
}

/// The call, with a process's pid for its number.
pub fn aimed(call: &Call, first: Pid) -> Call {
    let mut call = call.clone();
    match &mut call {
        Call::Wait { pid }
        | Call::Kill { pid, .. }
        | Call::ProcStat { pid }
        | Call::ProcStatus { pid }
        | Call::PidfdOpen { pid } => pid.0 += first.0,
        _ => {}
    }
    call
}
