use std::sync::Arc;

use locklab_models::Policy;
use locklab_sys::Fingerprint;

use super::arms::{ArmReport, Found, run_once, sample};
use super::{Cell, Counterexample, PropertyResult, Verdict};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::property;
use crate::scenario::{Expected, PropertyName, Scenario};

/// What is asked of a cell.
#[derive(Clone, Debug)]
pub struct Question {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The policy for the slot that the scenario varies.
    pub policy: Arc<Policy>,
    /// Seeds the sampled runs.
    pub seed: u64,
    /// How many sampled runs.
    pub runs: u64,
}

impl Question {
    /// The seed of one sampled run: it depends on scenario, policy and seed,
    /// not on what else is asked.
    pub fn run_seed(&self, run: u64) -> u64 {
        let cell = (self.scenario.fingerprint(), self.policy.fingerprint(), self.seed);
        Fingerprint::of(&(cell, run)).0 as u64
    }
}

/// Judges a cell: the story without its faults, the story, and sampled runs.
pub fn judge(question: &Question) -> Cell {
    let Question { scenario, policy, .. } = question;
    let cast = Cast::new(scenario, policy);
    let baseline = run_once(&cast, scenario, Arm::Baseline);
    let story = run_once(&cast, scenario, Arm::Story);
    let sampled = sample(&cast, question);
    let arms = Arms { baseline, story, sampled };
    let properties = scenario
        .properties
        .iter()
        .enumerate()
        .map(|(index, property)| arms.result(question, index, *property))
        .collect();
    Cell {
        scenario: scenario.name.clone(),
        policy: policy.name.clone(),
        slot: "lock".into(),
        properties,
        counterexample: arms.counterexample(&cast, question),
        evidence: vec![arms.story.evidence, arms.sampled.evidence],
    }
}

struct Arms {
    baseline: ArmReport,
    story: ArmReport,
    sampled: ArmReport,
}

impl Arms {
    fn result(&self, question: &Question, index: usize, property: PropertyName) -> PropertyResult {
        let verdict = self.verdict(index, property);
        let expectation = question.scenario.expectation(&question.policy, property);
        let as_expected = match expectation.map(|expectation| expectation.verdict) {
            None => true,
            Some(Expected::Violated) => matches!(verdict, Verdict::Violated { in_story: true, .. }),
            Some(Expected::Safe) => matches!(verdict, Verdict::NotFound { .. }),
            Some(Expected::Inconclusive) => matches!(verdict, Verdict::Inconclusive { .. }),
        };
        PropertyResult {
            name: property,
            verdict,
            expected: expectation.map(|expectation| expectation.verdict.as_str()),
            because: expectation.map(|expectation| expectation.because.clone()),
            as_expected,
        }
    }

    fn verdict(&self, index: usize, property: PropertyName) -> Verdict {
        if let Some(found) = &self.baseline.found[index] {
            let reason = format!("a broken scenario: without its faults, {}", found.message);
            return Verdict::Inconclusive { reasons: vec![reason] };
        }
        let in_story = self.story.found[index].as_ref().map(|found| (found, true));
        let in_sample = || self.sampled.found[index].as_ref().map(|found| (found, false));
        if let Some((found, in_story)) = in_story.or_else(in_sample) {
            return Verdict::Violated {
                word: property::word(property, &found.message).into(),
                message: found.message.clone(),
                in_story,
            };
        }
        let reasons: Vec<String> = [&self.baseline, &self.story, &self.sampled]
            .into_iter()
            .flat_map(|arm| arm.reasons.iter().cloned())
            .collect();
        if !reasons.is_empty() {
            return Verdict::Inconclusive { reasons };
        }
        let runs = self.story.evidence.schedules + self.sampled.evidence.schedules;
        Verdict::NotFound { runs }
    }

    fn counterexample(&self, cast: &Cast<'_>, question: &Question) -> Option<Counterexample> {
        let scenario = &question.scenario;
        let of = |arm: &ArmReport, property: usize| -> Option<(Arm, Found)> {
            Some((arm.evidence.arm, arm.found[property].clone()?))
        };
        scenario.properties.iter().enumerate().find_map(|(index, property)| {
            if self.baseline.found[index].is_some() {
                return None;
            }
            let (arm, found) = of(&self.story, index).or_else(|| of(&self.sampled, index))?;
            let schedule = cast.line(arm, found.seed, &found.path);
            Some(Counterexample {
                property: *property,
                steps: found.path.len() as u64,
                word: property::word(*property, &found.message).into(),
                message: found.message,
                schedule,
                minimal: false,
            })
        })
    }
}
