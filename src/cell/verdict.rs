use std::fmt;

use locklab_sim::Unconfirmed;
use locklab_sys::SmolStr;
use serde::Serialize;

use super::{Counterexample, Evidence, Teeth};
use crate::arm::Arm;
use crate::count::{all_states, thousands};
use crate::scenario::PropertyName;

/// What can be said of a property, from the best to the worst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It falls in no schedule there is, within the bounds.
    Holds {
        /// How many states were seen, which is all.
        states: u64,
    },
    /// It did not fall in any of the schedules tried.
    NotFound {
        /// How many different ones that was.
        schedules: u64,
    },
    /// Nothing can be said: [`PropertyResult::reasons`] say why.
    Inconclusive,
    /// It fell.
    Violated {
        /// In two words, for a table: `2 IN`.
        word: SmolStr,
        /// What fell, in a sentence.
        message: String,
        /// The most telling arm in which it fell: even without the story's
        /// faults, or in the story, or in a search, or in a random run only.
        arm: Arm,
        /// In how many runs of that arm.
        times: u64,
    },
}

impl Verdict {
    /// Its name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Holds { .. } => "holds",
            Self::NotFound { .. } => "not-found",
            Self::Inconclusive => "inconclusive",
            Self::Violated { .. } => "violated",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds { states } => write!(f, "safe ({})", all_states(*states)),
            Self::NotFound { schedules } => write!(f, "0 of {}", thousands(*schedules)),
            Self::Inconclusive => f.write_str("inconclusive"),
            Self::Violated { word, .. } => f.write_str(word),
        }
    }
}

/// A property's verdict in a cell, and whether it was expected.
#[derive(Clone, Debug)]
pub struct PropertyResult {
    /// The property.
    pub name: PropertyName,
    /// What was seen.
    pub verdict: Verdict,
    /// Why the runs show less than they should, whatever fell in them.
    pub reasons: Vec<String>,
    /// What the scenario expects: `violated`, `holds`, `safe` or `inconclusive`, or
    /// that it is `open`; nothing if it does not speak of such a policy.
    pub expected: Option<&'static str>,
    /// Why it is expected.
    pub because: Option<String>,
    /// Whether what was seen is what is expected; true where nothing is.
    pub as_expected: bool,
    /// The shortest schedule known in which it falls.
    pub counterexample: Option<Counterexample>,
    /// What makes it fall here, where it holds and that was looked for.
    pub teeth: Option<Teeth>,
}

/// A scenario under a policy, judged.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The scenario's name.
    pub scenario: SmolStr,
    /// The policy's name.
    pub policy: SmolStr,
    /// The slot that the policy fills: `lock`.
    pub slot: SmolStr,
    /// A verdict for each property that the scenario asks about, in its order.
    pub properties: Vec<PropertyResult>,
    /// What the verdicts rest on.
    pub evidence: Vec<Evidence>,
    /// What of the scenario no real kernel has confirmed.
    pub unconfirmed: Vec<Unconfirmed>,
    /// What a search and random runs disagree about: a fault of locklab.
    pub contradictions: Vec<String>,
}

impl Cell {
    /// The worst of its verdicts; the first of equals.
    pub fn verdict(&self) -> &Verdict {
        let rank = |verdict: &Verdict| match verdict {
            Verdict::Holds { .. } => 0,
            Verdict::NotFound { .. } => 1,
            Verdict::Inconclusive => 2,
            Verdict::Violated { .. } => 3,
        };
        let worst = self.properties.iter().rev().max_by_key(|property| rank(&property.verdict));
        &worst.expect("a scenario asks about something").verdict
    }

    /// The shortest schedule known for the first property that fell.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        self.properties.iter().find_map(|property| property.counterexample.as_ref())
    }

    /// Whether anything was run: a mixed fleet may not fit the scenario.
    pub fn was_run(&self) -> bool {
        !self.evidence.is_empty()
    }

    /// Whether every verdict is the one that the scenario expects.
    pub fn as_expected(&self) -> bool {
        self.properties.iter().all(|property| property.as_expected)
    }

    /// The worst that is expected, if the scenario says anything.
    pub fn expected(&self) -> Option<&'static str> {
        let rank = |word: &str| match word {
            "violated" => 4,
            "inconclusive" => 3,
            "open" => 2,
            "holds" => 1,
            _ => 0,
        };
        self.properties.iter().filter_map(|p| p.expected).max_by_key(|word| rank(word))
    }
}

/// Serialises as the word of the verdict.
impl Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
