use std::ops::Range;

use locklab_models::Policy;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::PropertyName;
use crate::diagnostic::Diagnostic;
use crate::fleet::Fleet;

/// What a scenario expects of the policies with certain parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Whom and what it is about.
    pub scope: Scope,
    /// What is expected.
    pub verdict: Expected,
    /// The part that is to blame: with another word there, the verdict is another.
    pub cause: Option<SmolStr>,
    /// Why, in a sentence.
    pub because: String,
}

/// What can be expected of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// It falls, in the story or in a search.
    Violated,
    /// It is proved not to fall.
    Holds,
    /// It does not fall.
    Safe,
    /// Nothing can be said.
    Inconclusive,
}

impl Expected {
    /// Its name in files and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::Holds => "holds",
            Self::Safe => "safe",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// A question that a scenario leaves open: the story does not tell, and what
/// its adversary finds is news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    /// Whom and what it is about.
    pub scope: Scope,
    /// Why it is left open, in a sentence.
    pub because: String,
}

/// The policies and properties that an `[[expect]]` is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The policies.
    pub whom: Whom,
    /// The properties.
    pub properties: Vec<PropertyName>,
    pub(super) span: Range<usize>,
}

/// Parts, each with the words that match; every part must match.
pub type Parts = Vec<(SmolStr, Vec<SmolStr>)>;

/// Whose policies an `[[expect]]` is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Fleets that all follow one policy, with such parts.
    All(Parts),
    /// Mixed fleets: the first contender's policy has the first of these parts,
    /// and so on; the last are also those of all who start later.
    InTurn(Vec<Parts>),
}

impl Scope {
    fn covers(&self, fleet: &Fleet, property: PropertyName) -> bool {
        self.properties.contains(&property) && self.whom.covers(fleet)
    }
}

impl Whom {
    fn covers(&self, fleet: &Fleet) -> bool {
        match (self, fleet.only()) {
            (Self::All(parts), Some(policy)) => fits(parts, policy),
            (Self::InTurn(parts), None) => {
                let last = parts.len() - 1;
                let turns = parts.len().max(fleet.members().len());
                (0..turns).all(|nth| fits(&parts[nth.min(last)], fleet.of_contender(nth)))
            }
            _ => false,
        }
    }
}

fn fits(parts: &Parts, policy: &Policy) -> bool {
    let has = policy.parts();
    parts.iter().all(|(part, words)| {
        has.iter().any(|(name, word)| name == part && words.iter().any(|it| it == word))
    })
}

/// All that a scenario expects, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// What is expected.
    pub told: Vec<Expectation>,
    /// What is left open.
    pub open: Vec<OpenQuestion>,
}

/// Two that cannot both be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict<'a>([(&'a Scope, &'static str); 2]);

impl Expectations {
    /// What is expected of `property` under `fleet`; the first that says so.
    pub fn find(
        &self,
        fleet: &Fleet,
        property: PropertyName,
    ) -> Result<Option<&Expectation>, Conflict<'_>> {
        let mut matching = self.told.iter().filter(|it| it.scope.covers(fleet, property));
        let Some(first) = matching.next() else { return Ok(None) };
        if let Some(other) = matching.find(|other| other.verdict != first.verdict) {
            let pair = [first, other];
            return Err(Conflict(pair.map(|it| (&it.scope, it.verdict.as_str()))));
        }
        match self.find_open(fleet, property) {
            Some(open) => {
                Err(Conflict([(&first.scope, first.verdict.as_str()), (&open.scope, "open")]))
            }
            None => Ok(Some(first)),
        }
    }

    /// Whether and why the question is left open.
    pub fn find_open(&self, fleet: &Fleet, property: PropertyName) -> Option<&OpenQuestion> {
        self.open.iter().find(|it| it.scope.covers(fleet, property))
    }
}

impl Conflict<'_> {
    pub(super) fn diagnostics(&self, fleet: &Fleet, property: PropertyName) -> [Diagnostic; 2] {
        self.0.map(|(scope, verdict)| {
            Diagnostic::new(
                format!("two things are expected of {property} under policy `{}`", fleet.name()),
                scope.span.clone(),
            )
            .label(format!("this says {verdict}"))
        })
    }
}
