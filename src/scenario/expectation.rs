use std::ops::Range;

use locklab_models::Policy;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::PropertyName;
use crate::diagnostic::Diagnostic;

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
    /// It falls, in the story.
    Violated,
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
    /// Parts, each with the words that match; every part must match.
    pub parts: Vec<(SmolStr, Vec<SmolStr>)>,
    /// The properties.
    pub properties: Vec<PropertyName>,
    pub(super) span: Range<usize>,
}

impl Scope {
    fn covers(&self, parts: &[(&str, String)], property: PropertyName) -> bool {
        let matches = |(part, words): &(SmolStr, Vec<SmolStr>)| {
            parts.iter().any(|(name, word)| name == part && words.iter().any(|it| it == word))
        };
        self.properties.contains(&property) && self.parts.iter().all(matches)
    }
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
    /// What is expected of `property` under `policy`; the first that says so.
    pub fn find(
        &self,
        policy: &Policy,
        property: PropertyName,
    ) -> Result<Option<&Expectation>, Conflict<'_>> {
        let parts = policy.parts();
        let mut matching = self.told.iter().filter(|it| it.scope.covers(&parts, property));
        let Some(first) = matching.next() else { return Ok(None) };
        if let Some(other) = matching.find(|other| other.verdict != first.verdict) {
            let pair = [first, other];
            return Err(Conflict(pair.map(|it| (&it.scope, it.verdict.as_str()))));
        }
        match self.find_open(policy, property) {
            Some(open) => {
                Err(Conflict([(&first.scope, first.verdict.as_str()), (&open.scope, "open")]))
            }
            None => Ok(Some(first)),
        }
    }

    /// Whether and why the question is left open.
    pub fn find_open(&self, policy: &Policy, property: PropertyName) -> Option<&OpenQuestion> {
        let parts = policy.parts();
        self.open.iter().find(|it| it.scope.covers(&parts, property))
    }
}

impl Conflict<'_> {
    pub(super) fn diagnostics(&self, policy: &Policy, property: PropertyName) -> [Diagnostic; 2] {
        self.0.map(|(scope, verdict)| {
            Diagnostic::new(
                format!("two things are expected of {property} under policy `{}`", policy.name),
                scope.span.clone(),
            )
            .label(format!("this says {verdict}"))
        })
    }
}
