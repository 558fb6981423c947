//! Scenario files: a story, what it asks about, and what is expected.

mod builtin;
mod duration;
mod expectation;
mod property_name;
mod read;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use locklab_models::{Policy, Program};
use locklab_sim::kernel::MachineConfig;
use locklab_sim::{Adversary, Fault, Unconfirmed};
use locklab_sys::{Fingerprint, Uid};
use serde::Deserialize;
use smol_str::SmolStr;

use crate::diagnostic::{Diagnostic, Problems};
use crate::fleet::Fleet;
use crate::room::Room;

pub use builtin::{builtin, load, parse};
pub use expectation::{
    Conflict, Expectation, Expectations, Expected, OpenQuestion, Parts, Scope, Whom,
};
pub use property_name::{NoSuchProperty, PropertyName};

/// A scenario, read and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The name under which it is asked for.
    pub name: SmolStr,
    /// What it is, in a line.
    pub title: String,
    /// What it teaches, in a few sentences.
    pub lesson: String,
    /// Where it was told.
    pub source: Option<String>,
    /// How what it tells stands, if nobody knows that it was so.
    pub hypothesis: Option<Hypothesis>,
    /// The slot that a cell's policy fills: `lock`.
    pub vary: SmolStr,
    /// What it asks about, the most telling first.
    pub properties: Vec<PropertyName>,
    /// How long a process that polls keeps trying.
    pub patience: Duration,
    /// How soon a dead holder must be succeeded, where that is asked.
    pub prompt: Option<Duration>,
    /// The virtual time after which a run is cut off.
    pub horizon: Duration,
    /// What must happen in the story; without it nothing can be said.
    pub reached: Vec<Reached>,
    /// The machines, in the order of the file.
    pub machines: Vec<MachineConfig>,
    /// The processes that init launches, in the order of the file.
    pub processes: Vec<ProcessSpec>,
    /// The faults of the story.
    pub faults: Vec<Fault>,
    /// What a sampled run may spend, and a search. Silent if the file grants nothing.
    pub adversary: Adversary,
    /// How far a search of each cell goes; none is made without.
    pub search: Option<Room>,
    /// What is expected of which policies.
    pub expectations: Expectations,
    /// The file's path, or its name if it is compiled in.
    pub origin: String,
    /// The file's text.
    pub text: String,
    name_span: Range<usize>,
    properties_span: Range<usize>,
}

/// How a story stands that supposes a cause for what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hypothesis {
    /// It may have been so.
    Open,
    /// It was checked, and it was not so.
    Refuted,
}

impl Hypothesis {
    /// What that means, in a sentence.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Open => "A hypothesis: it may have been so, and nobody has seen that it was.",
            Self::Refuted => "A hypothesis, refuted: it was checked, and it was not so.",
        }
    }
}

/// A process that init launches.
#[derive(Clone, Debug)]
pub struct ProcessSpec {
    /// Its name in schedules and traces.
    pub name: SmolStr,
    /// An index into [`Scenario::machines`].
    pub machine: usize,
    /// Whose it is.
    pub uid: Uid,
    /// The container it runs in, if it does.
    pub container: Option<SmolStr>,
    /// When it is launched, since the world began.
    pub start: Duration,
    /// Whether it is launched again after each boot.
    pub every_boot: bool,
    /// What it runs in the baseline.
    pub program: Program,
    /// What it runs in the story and in sampled runs: the same, with the
    /// story's changes.
    pub changed: Program,
    /// Its program's slots.
    pub slots: Vec<Slot>,
}

/// A slot of a program, and which policy fills it.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its name.
    pub name: &'static str,
    /// Always this one; the cell's if `None`.
    pub fixed: Option<Arc<Policy>>,
}

/// A mark that must be seen in the story.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reached {
    /// An index into [`Scenario::processes`].
    pub process: usize,
    /// The mark's name.
    pub mark: SmolStr,
    /// How often, at least.
    pub nth: u32,
}

const ESSAYS: [&str; 2] = ["Locks Prove Ownership", "I Was the Stranger"];

impl Scenario {
    /// Whether one of the two essays that the first locks are from tells of it.
    pub fn is_of_an_essay(&self) -> bool {
        self.source.as_deref().is_some_and(|source| ESSAYS.contains(&source))
    }

    /// The fingerprint of all that a run depends on. Prose and expectations
    /// are not in it, nor is how far a search goes.
    pub fn fingerprint(&self) -> Fingerprint {
        let processes: Vec<_> = self.processes.iter().map(ProcessSpec::fingerprint).collect();
        Fingerprint::of(&(&self.name, &self.vary, &self.machines, processes))
            .then(&(&self.faults, &self.adversary, &self.reached))
            .then(&(&self.properties, self.patience, self.prompt, self.horizon))
    }

    /// The contenders, in the order in which they start: indices of processes.
    pub fn contenders(&self) -> Vec<usize> {
        let all = self.processes.iter().enumerate();
        let mut contenders: Vec<usize> =
            all.filter(|(_, process)| process.is_contender()).map(|(index, _)| index).collect();
        contenders.sort_by_key(|index| self.processes[*index].start);
        contenders
    }

    /// Whether the story has a fault or a change, without which it can be told.
    pub fn tells_something(&self) -> bool {
        !self.faults.is_empty() || self.processes.iter().any(|it| it.changed != it.program)
    }

    /// What of it no real kernel has confirmed: a cell of it is true of the model only.
    pub fn unconfirmed(&self) -> Vec<Unconfirmed> {
        Unconfirmed::of(&self.machines, &self.faults, &self.adversary)
    }

    /// Checks that one thing is expected of `fleet` for every property, or
    /// that the question is left open. Of a mixed fleet nothing need be said.
    pub fn check_expectations(&self, fleet: &Fleet) -> Result<(), Problems> {
        let diagnostics: Vec<Diagnostic> = self
            .properties
            .iter()
            .flat_map(|property| match self.expectations.find(fleet, *property) {
                Ok(Some(_)) => Vec::new(),
                Ok(None) if self.expectations.find_open(fleet, *property).is_some() => Vec::new(),
                Ok(None) => fleet
                    .only()
                    .map(|it| self.nothing_expected(it, *property))
                    .into_iter()
                    .collect(),
                Err(conflict) => conflict.diagnostics(fleet, *property).into(),
            })
            .collect();
        if diagnostics.is_empty() {
            return Ok(());
        }
        Err(Problems { origin: self.origin.clone(), source: self.text.clone(), diagnostics })
    }

    /// What is expected of `property` under `fleet`; nothing where the file
    /// leaves it open or contradicts itself.
    pub fn expectation(&self, fleet: &Fleet, property: PropertyName) -> Option<&Expectation> {
        self.expectations.find(fleet, property).ok().flatten()
    }

    fn nothing_expected(&self, policy: &Policy, property: PropertyName) -> Diagnostic {
        Diagnostic::new(
            format!("nothing is expected of {property} under policy `{}`", policy.name),
            self.properties_span.clone(),
        )
        .label("no `[[expect]]` covers it")
        .help(format!("its parts are {}", describe(policy)))
    }
}

/// The parts of a policy, for messages.
fn describe(policy: &Policy) -> String {
    let parts: Vec<String> =
        policy.parts().into_iter().map(|(part, word)| format!("{part} {word}")).collect();
    parts.join(", ")
}

impl ProcessSpec {
    /// Whether the cell's policy fills one of its slots.
    pub fn is_contender(&self) -> bool {
        self.slots.iter().any(|slot| slot.fixed.is_none())
    }

    fn fingerprint(&self) -> Fingerprint {
        let fixed = |slot: &Slot| slot.fixed.as_ref().map(|policy| policy.fingerprint().0);
        let slots: Vec<_> = self.slots.iter().map(|slot| (slot.name, fixed(slot))).collect();
        let print = Fingerprint::of(&(&self.name, self.machine, self.start, slots))
            .then(&(&self.program, &self.changed));
        // What is as by default moves no seed.
        let print = if self.every_boot { print.then(&"every boot") } else { print };
        match (self.uid, &self.container) {
            (Uid::USER, None) => print,
            identity => print.then(&identity),
        }
    }
}
