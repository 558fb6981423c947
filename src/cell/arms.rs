use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use locklab_sim::{Adversary, Choice, Finished, Pct, Random, Strategy, Turns, World, run};
use locklab_sys::Fingerprint;

use super::{Evidence, Question, Stage};
use crate::arm::Arm;
use crate::cast::{Cast, Watchers, cut_off};
use crate::count::{counted, thousands};
use crate::scenario::Scenario;

/// After so many runs that were cut off there is no use in more.
pub(crate) const CUT_OFF_MAX: u64 = 3;

/// What one arm has shown.
pub(crate) struct ArmReport {
    pub(crate) evidence: Evidence,
    /// For each property, the shortest run in which it fell.
    pub(crate) found: Vec<Option<Found>>,
    /// Why the arm shows less than it should.
    pub(crate) reasons: Vec<String>,
}

/// The shortest run in which a property fell, up to there, and in how many it
/// did.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) times: u64,
    pub(crate) message: String,
    pub(crate) seed: u64,
    pub(crate) path: Vec<Choice>,
    /// Whether no shorter one exists.
    pub(crate) minimal: bool,
}

/// Runs the one schedule of the baseline or of the story.
pub(crate) fn run_once(cast: &Cast<'_>, scenario: &Scenario, arm: Arm) -> ArmReport {
    let mut world = cast.world(arm, 0);
    let mut watchers = cast.watchers(arm);
    let mut turns = Turns::default();
    let finished = run(&mut world, &mut turns, &mut watchers.jury, cast.limits(), None);
    let mut found = vec![None; scenario.properties.len()];
    find(&mut found, &finished, 0);
    let faults = world.setup().story.iter().zip(world.fired()).map(|(fault, fired)| {
        let process = &scenario.processes[fault.process].name;
        (format!("{process}@{}", fault.at), u64::from(*fired), 1)
    });
    ArmReport {
        evidence: Evidence {
            arm,
            runs: 1,
            schedules: 1,
            states: None,
            steps: finished.path.len() as u64,
            faults: faults.collect(),
        },
        found,
        reasons: watchers.reasons(arm, scenario, &world, &finished),
    }
}

/// How random runs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// Any step is as likely as another.
    Random,
    /// By priorities, for faults that so many orderings bring about.
    Pct { depth: u32 },
}

/// Runs as many random schedules as the question asks for. `report` is told how many it has
/// run, and may end it.
pub(crate) fn sample(
    cast: &Cast<'_>,
    question: &Question,
    walk: Walk,
    report: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> ArmReport {
    let length = usual_length(cast, walk);
    let scenario = &question.scenario;
    let setup = cast.setup(Arm::Sampled);
    let mut tally = Tally::default();
    let mut found = vec![None; scenario.properties.len()];
    let mut runs = 0;
    while runs < question.runs && tally.cut_off < CUT_OFF_MAX {
        if report(Stage::Runs(runs)).is_break() {
            tally.interrupted = true;
            break;
        }
        let index = runs;
        runs += 1;
        let seed = question.run_seed(index);
        let mut world = World::new(setup.clone(), seed);
        let mut watchers = cast.watchers(Arm::Sampled);
        let mut strategy: Box<dyn Strategy> = match walk {
            Walk::Random => Box::new(Random::new(seed)),
            Walk::Pct { depth } => Box::new(Pct::new(seed, length, depth)),
        };
        let jury = &mut watchers.jury;
        let finished = run(&mut world, &mut *strategy, jury, cast.limits(), None);
        tally.count(&watchers, &finished);
        find(&mut found, &finished, seed);
    }
    let faults = tally.faults(&scenario.adversary);
    let mut reasons = tally.reasons(runs, &faults);
    if tally.interrupted {
        let runs = counted(runs, "run");
        reasons.push(format!("interrupted after {runs} of {}", thousands(question.runs)));
    }
    let evidence = Evidence {
        arm: Arm::Sampled,
        runs,
        schedules: tally.paths.len() as u64,
        states: None,
        steps: tally.steps,
        faults,
    };
    ArmReport { evidence, found, reasons }
}

/// How long a run is in which each task runs until it blocks, and nobody moves.
fn usual_length(cast: &Cast<'_>, walk: Walk) -> usize {
    match walk {
        Walk::Random => 0,
        Walk::Pct { .. } => {
            let mut world = cast.world(Arm::Sampled, 0);
            run(&mut world, &mut Turns::default(), &mut (), cast.limits(), None).path.len()
        }
    }
}

/// Keeps the shortest run in which each property falls, the first of equals.
fn find(found: &mut [Option<Found>], run: &Finished, seed: u64) {
    for fall in &run.falls {
        if let Some(found) = found.get_mut(fall.which) {
            let times = found.as_ref().map_or(0, |found| found.times) + 1;
            match found {
                Some(found) if found.path.len() <= fall.choices => found.times = times,
                _ => {
                    let path = run.path[..fall.choices].to_vec();
                    let (message, minimal) = (fall.message.clone(), false);
                    *found = Some(Found { times, message, seed, path, minimal });
                }
            }
        }
    }
}

/// What many runs have shown together.
#[derive(Default)]
struct Tally {
    /// The schedules, each once.
    paths: BTreeSet<Fingerprint>,
    steps: u64,
    /// How often something was spent of each budget.
    spent: BTreeMap<&'static str, u64>,
    contended: bool,
    cut_off: u64,
    interrupted: bool,
    abort: Option<String>,
}

impl Tally {
    fn count(&mut self, watchers: &Watchers, run: &Finished) {
        self.paths.insert(Fingerprint::of(&run.path));
        self.steps += run.path.len() as u64;
        self.contended |= watchers.contended(run);
        self.cut_off += u64::from(cut_off(run).is_some());
        if self.abort.is_none() {
            self.abort = watchers.abort(run).map(str::to_owned);
        }
        for budget in run.path.iter().filter_map(|choice| choice.budget()) {
            *self.spent.entry(budget).or_default() += 1;
        }
    }

    /// How often each kind of move that has a budget was made.
    fn faults(&self, adversary: &Adversary) -> Vec<(String, u64, u32)> {
        let granted = adversary.budgets().into_iter().filter(|(_, budget)| *budget > 0);
        let times = |kind| self.spent.get(kind).copied().unwrap_or_default();
        granted.map(|(kind, budget)| (kind.to_owned(), times(kind), budget)).collect()
    }

    fn reasons(&self, runs: u64, faults: &[(String, u64, u32)]) -> Vec<String> {
        if runs == 0 {
            return Vec::new();
        }
        let mut reasons: Vec<String> = self.abort.iter().cloned().collect();
        if self.cut_off > 0 {
            reasons.push(format!(
                "{} of {} were cut off",
                self.cut_off,
                counted(runs, "sampled run")
            ));
        }
        if !self.contended {
            reasons.push("nobody contended for the lock in any sampled run".to_owned());
        }
        let few = if runs == 1 { "is too few" } else { "are too few" };
        let runs = counted(runs, "random run");
        let idle = faults.iter().filter(|(_, times, _)| *times == 0);
        reasons.extend(idle.map(|(kind, ..)| {
            format!("of the {kind} that the adversary may spend, none took effect: {runs} {few}")
        }));
        reasons
    }
}
