use std::ops::ControlFlow;
use std::sync::Arc;

use locklab_sys::Fingerprint;

use super::arms::{ArmReport, Found, Walk, run_once, sample};
use super::endless::{Endless, prove, told_apart};
use super::exhaustive::none_takes_effect;
use super::expected::Expectation;
use super::{Cell, Counterexample, Evidence, PropertyResult, Room, Stage, Verdict};
use crate::arm::Arm;
use crate::cast::Cast;
use crate::count::all_states;
use crate::fleet::Fleet;
use crate::property;
use crate::room::cuts;
use crate::scenario::{Expected, PropertyName, Scenario};

/// What is asked of a cell.
#[derive(Clone, Debug)]
pub struct Question {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// What its contenders follow in the slot that it varies.
    pub fleet: Fleet,
    /// Seeds the sampled runs.
    pub seed: u64,
    /// How many sampled runs.
    pub runs: u64,
}

impl Question {
    /// The seed of one sampled run: it depends on scenario, policy and seed,
    /// not on what else is asked.
    pub fn run_seed(&self, run: u64) -> u64 {
        let cell = (self.scenario.fingerprint(), self.fleet.fingerprint(), self.seed);
        Fingerprint::of(&(cell, run)).0 as u64
    }
}

/// Judges a cell: the story without its faults, the story, sampled runs, and every run
/// there is where the scenario asks for that.
pub fn judge(question: &Question) -> Cell {
    judge_until(question, &mut |_| ControlFlow::Continue(()))
}

/// The same; `report` is told how far it is, and may end it.
pub fn judge_until(question: &Question, report: &mut dyn FnMut(Stage) -> ControlFlow<()>) -> Cell {
    judge_with(question, question.scenario.search, Vec::new(), report)
}

/// The same, but every run is looked at wherever there is room for that: where there is not,
/// what the other arms show counts.
pub fn judge_within(
    question: &Question,
    room: Room,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Cell {
    judge_with(question, Some(room), excuses(question, room), report)
}

/// Why a search may prove nothing, though nothing is wrong.
fn excuses(question: &Question, room: Room) -> Vec<String> {
    let kinds = question.scenario.adversary.budgets().map(|(kind, _)| none_takes_effect(kind));
    let cuts = cuts(room);
    let of_progress = cuts.iter().map(|cut| told_apart(cut));
    of_progress.chain(kinds).chain(cuts.iter().cloned()).collect()
}

fn judge_with(
    question: &Question,
    room: Option<Room>,
    excused: Vec<String>,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Cell {
    let cast = Cast::new(&question.scenario, &question.fleet);
    match cast.misfit() {
        Some(misfit) => unseen(question, &misfit),
        None => judge_cast(question, &cast, room, excused, report),
    }
}

pub(super) fn judge_cast(
    question: &Question,
    cast: &Cast<'_>,
    room: Option<Room>,
    excused: Vec<String>,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Cell {
    let scenario = &question.scenario;
    // Without anything to leave out, it is the story.
    let baseline = scenario.tells_something().then(|| run_once(cast, scenario, Arm::Baseline));
    let story = run_once(cast, scenario, Arm::Story);
    let sampled = sample(cast, question, Walk::Random, report);
    let (exhaustive, endless) = match room.map(|room| prove(cast, scenario, room, report)) {
        Some((arm, endless)) => (Some(arm), endless),
        None => (None, None),
    };
    let is_judged = endless.as_ref().is_some_and(|it| excused.is_empty() || !it.is_unclear());
    let impatience = cast.impatience().filter(|_| !is_judged);
    let arms = Arms { impatience, baseline, story, exhaustive, endless, sampled, excused };
    let properties = scenario.properties.iter().enumerate();
    let properties = properties.map(|(index, property)| PropertyResult {
        counterexample: arms.counterexample(cast, index, *property),
        ..arms.result(question, index, *property)
    });
    Cell {
        properties: properties.collect(),
        contradictions: arms.contradictions(question),
        evidence: arms.evidence(),
        ..blank(question)
    }
}

fn blank(question: &Question) -> Cell {
    Cell {
        scenario: question.scenario.name.clone(),
        policy: question.fleet.name().clone(),
        slot: question.scenario.vary.clone(),
        properties: Vec::new(),
        evidence: Vec::new(),
        unconfirmed: question.scenario.unconfirmed(),
        contradictions: Vec::new(),
    }
}

/// A cell in which nothing can be run.
fn unseen(question: &Question, reason: &str) -> Cell {
    let properties = question.scenario.properties.iter().map(|property| {
        let reasons = vec![reason.to_owned()];
        let expectation = Expectation::of(question, *property);
        let verdict = Verdict::Inconclusive;
        let as_expected = expectation.is_met_by(&verdict);
        let Expectation { expected, because, .. } = expectation;
        let (name, counterexample, teeth) = (*property, None, None);
        PropertyResult {
            name,
            verdict,
            reasons,
            expected,
            because,
            as_expected,
            counterexample,
            teeth,
        }
    });
    Cell { properties: properties.collect(), ..blank(question) }
}

struct Arms {
    /// Why nobody waits long enough to be called stuck, if so.
    impatience: Option<String>,
    baseline: Option<ArmReport>,
    story: ArmReport,
    /// If the scenario asks for it.
    exhaustive: Option<ArmReport>,
    /// And for progress.
    endless: Option<Endless>,
    sampled: ArmReport,
    /// Reasons that leave nothing in doubt: nobody asked for a proof.
    excused: Vec<String>,
}

impl Arms {
    fn result(&self, question: &Question, index: usize, property: PropertyName) -> PropertyResult {
        let reasons = self.reasons(property);
        let verdict = self.verdict(index, property, !reasons.is_empty());
        let expectation = Expectation::of(question, property);
        // A story whose faults never fired has not shown why anything fell.
        let untold = expectation.told == Some(Expected::Violated)
            && !self.story.reasons.is_empty()
            && !self.falls_in_search(index);
        let as_expected = !untold && expectation.is_met_by(&verdict);
        let Expectation { expected, because, .. } = expectation;
        let (name, counterexample, teeth) = (property, None, None);
        PropertyResult {
            name,
            verdict,
            reasons,
            expected,
            because,
            as_expected,
            counterexample,
            teeth,
        }
    }

    fn verdict(&self, index: usize, property: PropertyName, in_doubt: bool) -> Verdict {
        if let Some((arm, found)) = self.found(index) {
            return Verdict::Violated {
                word: property::word(property, &found.message).into(),
                message: found.message.clone(),
                arm,
                times: found.times,
            };
        }
        if in_doubt {
            return Verdict::Inconclusive;
        }
        match self.all_states(property) {
            Some(states) => Verdict::Holds { states },
            None => Verdict::NotFound {
                schedules: self.story.evidence.schedules + self.sampled.evidence.schedules,
            },
        }
    }

    /// How many states a search saw for a property, if those are all and show all that they
    /// should. Of those who give up, one that lets them shows only who did so too soon.
    fn all_states(&self, property: PropertyName) -> Option<u64> {
        if property == PropertyName::Progress {
            return self.endless.as_ref().and_then(Endless::proved);
        }
        let search = self.exhaustive.as_ref().filter(|search| search.reasons.is_empty())?;
        let states = search.evidence.states.filter(|states| states.all)?;
        Some(states.seen)
    }

    /// What fell in random runs, of which a search has shown that it falls in none: one of
    /// the two is wrong, and locklab with it. The story's faults may be others than the
    /// adversary's, so it contradicts nothing.
    fn contradictions(&self, question: &Question) -> Vec<String> {
        let properties = question.scenario.properties.iter().enumerate();
        let contradiction = |(index, property): (usize, &PropertyName)| {
            let states = self.all_states(*property).filter(|_| !self.falls_in_search(index))?;
            let found = self.sampled.found[index].as_ref()?;
            let (states, message) = (all_states(states), &found.message);
            Some(format!("{property} holds in {states}, and fell in a random run: {message}"))
        };
        properties.filter_map(contradiction).collect()
    }

    fn falls_in_search(&self, index: usize) -> bool {
        self.exhaustive.as_ref().is_some_and(|search| search.found[index].is_some())
    }

    /// Why the arms show less of a property than they should, each reason once. To a
    /// search that saw all, random runs add nothing; the story does, since its faults may
    /// be others than the adversary's.
    fn reasons(&self, property: PropertyName) -> Vec<String> {
        let mut reasons: Vec<String> = Vec::new();
        if property == PropertyName::Progress {
            reasons.extend(self.impatience.clone());
            reasons.extend(self.endless.iter().flat_map(|endless| endless.reasons()));
        }
        let is_proved = self.all_states(property).is_some();
        let counts = |arm: &&ArmReport| arm.evidence.arm != Arm::Sampled || !is_proved;
        for reason in self.all().filter(counts).flat_map(|arm| &arm.reasons) {
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
        reasons.retain(|reason| !self.excused.contains(reason));
        reasons
    }

    /// The arms, the most telling first.
    fn all(&self) -> impl Iterator<Item = &ArmReport> {
        self.baseline.iter().chain([&self.story]).chain(&self.exhaustive).chain([&self.sampled])
    }

    /// What was done, the baseline left out.
    fn evidence(self) -> Vec<Evidence> {
        let arms = [self.story, self.sampled].into_iter().chain(self.exhaustive);
        arms.map(|arm| arm.evidence).collect()
    }

    /// The most telling arm in which a property fell.
    fn found(&self, index: usize) -> Option<(Arm, &Found)> {
        self.all().find_map(|arm| arm.found[index].as_ref().map(|found| (arm.evidence.arm, found)))
    }

    /// The shortest schedule known in which a property falls.
    fn counterexample(
        &self,
        cast: &Cast<'_>,
        index: usize,
        property: PropertyName,
    ) -> Option<Counterexample> {
        let found = |arm: &ArmReport| Some((arm.evidence.arm, arm.found[index].clone()?));
        let all = self.all().filter_map(found);
        let (arm, found) = all.min_by_key(|(_, found)| found.path.len())?;
        Some(Counterexample {
            property,
            schedule: cast.line(arm, found.seed, &found.path),
            steps: found.path.len() as u64,
            minimal: found.minimal,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{ArmReport, Arms, Found, Question};
    use crate::arm::Arm;
    use crate::cell::{Evidence, States};
    use crate::policy_file;
    use crate::scenario::builtin;

    fn arm(arm: Arm, falls: bool, states: Option<States>) -> ArmReport {
        let found = Found {
            times: 1,
            message: "2 are inside".to_owned(),
            seed: 0,
            path: Vec::new(),
            minimal: false,
        };
        let found = vec![falls.then_some(found), None];
        let faults = Vec::new();
        let evidence = Evidence { arm, runs: 1, schedules: 1, states, steps: 1, faults };
        ArmReport { evidence, found, reasons: Vec::new() }
    }

    fn contradictions(story: bool, searched: bool, sampled: bool, all: bool) -> Vec<String> {
        let states = States { seen: 7, depth: 1, all, bound: 10 };
        let arms = Arms {
            impatience: None,
            baseline: None,
            story: arm(Arm::Story, story, None),
            exhaustive: Some(arm(Arm::Exhaustive, searched, Some(states))),
            endless: None,
            sampled: arm(Arm::Sampled, sampled, None),
            excused: Vec::new(),
        };
        let scenario = builtin().iter().find(|it| it.name == "two-contenders").unwrap();
        let fleet = (&policy_file::named()[0]).into();
        let question = Question { scenario: Arc::new(scenario.clone()), fleet, seed: 0, runs: 1 };
        arms.contradictions(&question)
    }

    #[test]
    fn a_proof_and_a_random_run_must_not_say_different_things() {
        let said = contradictions(false, false, true, true);
        let expected = "mutual-exclusion holds in all 7 states, and fell in a random run: \
                        2 are inside";
        assert_eq!(said, [expected]);
        for (story, searched, sampled, all) in [
            (false, false, false, true),
            (false, true, true, true),
            (false, false, true, false),
            // Its faults may be others than the adversary's.
            (true, false, false, true),
        ] {
            assert!(contradictions(story, searched, sampled, all).is_empty());
        }
    }
}
