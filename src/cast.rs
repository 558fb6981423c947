//! A scenario whose varied slot is filled: ready to run.

mod reasons;

use std::sync::Arc;
use std::time::Duration;

use locklab_models::{Policy, Setting, name_with_pid, with_pids};
use locklab_sim::{
    Action, Adversary, Alike, Choice, Fault, Launch, Limits, Memory, Schedule, Seconds, Setup,
    World,
};
use locklab_sys::SmolStr;

use crate::arm::Arm;
use crate::fleet::Fleet;
use crate::line::{ScheduleLine, VERSION};
use crate::own::Own;
use crate::property::{self, Aborts, Bounds, Contention, Judge, Jury, Reached};
use crate::scenario::{ProcessSpec, PropertyName, Scenario, Slot};

pub use reasons::cut_off;

/// A run is cut off after so many steps and moves, whatever its horizon.
const STEPS_MAX: u32 = 100_000;

/// A scenario whose varied slot is filled: ready to run.
#[derive(Clone)]
pub struct Cast<'a> {
    scenario: &'a Scenario,
    fleet: Fleet,
    /// The policy that each process follows, if it is a contender.
    followed: Vec<Option<Arc<Policy>>>,
    /// What the contenders use instead of a policy, if they do.
    own: Option<Own>,
    /// How long who waits keeps trying.
    patience: Duration,
}

/// Who watches a run: the judges of the properties first, in the scenario's order,
/// then who must see something in it.
pub struct Watchers {
    /// All of them.
    pub jury: Jury,
    /// The number at which those that must see something begin.
    pub witnesses_from: usize,
}

impl<'a> Cast<'a> {
    /// The scenario under a policy, or under those of a mixed fleet.
    pub fn new(scenario: &'a Scenario, fleet: impl Into<Fleet>) -> Self {
        let fleet = fleet.into();
        let contenders = scenario.contenders();
        let mut followed = vec![None; scenario.processes.len()];
        for (nth, process) in contenders.into_iter().enumerate() {
            followed[process] = Some(Arc::clone(fleet.of_contender(nth)));
        }
        Self { scenario, fleet, followed, own: None, patience: scenario.patience }
    }

    /// The scenario whose contenders use a lock of one's own.
    ///
    /// # Errors
    ///
    /// When one of them does more with its lock than to take it, work and release it.
    pub fn with_own(scenario: &'a Scenario, own: &Own) -> Result<Self, String> {
        for index in scenario.contenders() {
            let ProcessSpec { name, program, changed, .. } = &scenario.processes[index];
            if [program, changed].iter().any(|it| own.image(it, scenario.patience).is_none()) {
                let program = program.info().name;
                return Err(format!(
                    "{name} in {} is a {program}, and only a plain worker, neither nested nor \
                     peeking, can use `{}`",
                    scenario.name,
                    own.name()
                ));
            }
        }
        let cast = Self::new(scenario, Arc::new(own.stand_in()));
        Ok(Self { own: Some(own.clone()), ..cast })
    }

    /// The same, but for who waits: it never gives up.
    pub fn with_endless_patience(self) -> Self {
        Self { patience: Duration::MAX, ..self }
    }

    /// Why the fleet cannot be seen in this scenario, if so: it takes a
    /// contender for each of its policies.
    pub fn misfit(&self) -> Option<String> {
        let contenders = self.scenario.contenders().len();
        let wanted = self.fleet.members().len();
        (contenders < wanted).then(|| {
            let scenario = &self.scenario.name;
            let contenders = match contenders {
                1 => "only one contender".to_owned(),
                _ => format!("only {contenders} contenders"),
            };
            format!("{scenario} has {contenders}, and `{}` names {wanted}", self.fleet.name())
        })
    }

    /// What an arm's worlds begin with.
    pub fn setup(&self, arm: Arm) -> Arc<Setup> {
        let patience = if arm == Arm::OneStop { Duration::MAX } else { self.patience };
        let processes = self.scenario.processes.iter().enumerate().map(|(index, spec)| {
            let program = if arm == Arm::Baseline { &spec.program } else { &spec.changed };
            let slots = spec.slots.iter().map(|slot| (slot.name, self.policy(index, slot).clone()));
            let setting = Setting { slots: slots.collect(), patience };
            let own = self.own.as_ref().filter(|_| spec.is_contender());
            let own = own.and_then(|own| own.image(program, patience));
            Launch {
                name: spec.name.clone(),
                machine: spec.machine,
                uid: spec.uid,
                container: spec.container.clone(),
                start: spec.start,
                image: own.unwrap_or_else(|| program.image(&setting)),
                every_boot: spec.every_boot,
            }
        });
        Arc::new(Setup {
            machines: self.scenario.machines.clone(),
            processes: processes.collect(),
            story: match arm {
                Arm::Story => self.scenario.faults.clone(),
                Arm::OneStop => self.without_stops(),
                Arm::Baseline | Arm::Sampled | Arm::Exhaustive => Vec::new(),
            },
            adversary: match arm {
                Arm::Sampled | Arm::Exhaustive => self.scenario.adversary.clone(),
                Arm::Baseline | Arm::Story => Adversary::default(),
                Arm::OneStop => Adversary { stops: 1, ..Adversary::default() },
            },
            durations: match arm {
                // What else is declared shows as a timer, once somebody waits for it.
                Arm::Exhaustive | Arm::OneStop => self.ages().unwrap_or_else(|| self.durations()),
                Arm::Baseline | Arm::Story | Arm::Sampled => self.durations(),
            },
            every_timer: arm == Arm::Exhaustive,
        })
    }

    /// The story's faults, but for those that keep a contender from going on for a while.
    fn without_stops(&self) -> Vec<Fault> {
        let is_stop = |fault: &&Fault| {
            let halts = matches!(fault.action, Action::Stop(_) | Action::Starve(_));
            halts && self.scenario.processes[fault.process].is_contender()
        };
        self.scenario.faults.iter().filter(|fault| !is_stop(fault)).cloned().collect()
    }

    /// A world at its beginning.
    pub fn world(&self, arm: Arm, seed: u64) -> World {
        World::new(self.setup(arm), seed)
    }

    /// Where a run is cut off.
    pub fn limits(&self) -> Limits {
        Limits { horizon: self.scenario.horizon, steps: STEPS_MAX }
    }

    /// Who watches a run of an arm, afresh. After the properties come, in this
    /// order: an aborted program, contention, and what a story must reach.
    pub fn watchers(&self, arm: Arm) -> Watchers {
        let properties = self.scenario.properties.iter();
        let mut judges: Vec<_> = properties.map(|property| self.judge(*property)).collect();
        let witnesses_from = judges.len();
        judges.push(Box::new(Aborts));
        judges.push(Box::new(Contention::default()));
        if arm == Arm::Story {
            judges.extend(self.scenario.reached.iter().map(|reached| -> Box<dyn Judge> {
                Box::new(Reached::new(reached.process, reached.mark.clone(), reached.nth))
            }));
        }
        Watchers { jury: Jury::new(judges), witnesses_from }
    }

    /// The judge of a property.
    pub fn judge(&self, property: PropertyName) -> Box<dyn Judge> {
        let prompt = self.scenario.prompt.unwrap_or_default();
        property::judge(property, Bounds { prompt, grace: self.grace() })
    }

    /// The names of the properties, for a recorder.
    pub fn property_names(&self) -> Vec<SmolStr> {
        self.scenario.properties.iter().map(|property| property.as_str().into()).collect()
    }

    /// The line that replays the run of an arm that made the choices of `path`.
    pub fn line(&self, arm: Arm, seed: u64, path: &[Choice]) -> ScheduleLine {
        let mut world = self.world(arm, seed);
        let schedule = Schedule::of(&mut world, path);
        ScheduleLine {
            version: VERSION.into(),
            scenario: self.scenario.name.clone(),
            policy: self.fleet.name().clone(),
            hashes: self.hashes(),
            arm,
            seed,
            schedule,
            steps: path.len() as u32,
            end: world.fingerprint().short().into(),
        }
    }

    /// The first digits of the scenario's fingerprint, and of the policy's.
    pub fn hashes(&self) -> (SmolStr, SmolStr) {
        (self.scenario.fingerprint().short().into(), self.fleet.fingerprint().short().into())
    }

    /// How long the rules may rightly keep somebody from a free lock: the
    /// longest that one lets a claim lie, or a poll.
    fn grace(&self) -> Duration {
        let polls = self.scenario.processes.iter().filter_map(|spec| spec.changed.poll_period());
        let rules = self.policies().map(|policy| policy.longest_wait());
        rules.chain(polls).max().unwrap_or_default()
    }

    /// How long ago something must be for it to be all the same how long. `None` if some
    /// program makes more of times than how old something is.
    pub fn memory(&self) -> Option<Memory> {
        const MORE: Duration = Duration::from_secs(1);
        let granularity = self.scenario.machines.iter().map(|machine| machine.time_granularity);
        let more = granularity.max().unwrap_or_default() + MORE;
        let oldest = self.ages()?.into_iter().max();
        let prompt = self.scenario.prompt.unwrap_or_default();
        let longest = self.durations().into_iter().chain([prompt]).max().unwrap_or_default();
        Some(Memory {
            programs: oldest.map_or(Duration::ZERO, |oldest| oldest + more),
            monitors: longest + more,
        })
    }

    /// Processes of which it makes no difference which is which: the most that there are.
    pub fn alike(&self) -> Option<Alike> {
        // Nobody knows where such a lock writes pids.
        if self.own.is_some() {
            return None;
        }
        let processes = &self.setup(Arm::Exhaustive).processes;
        let like = |one: &Launch, other: &Launch| {
            (one.machine, one.uid, one.start) == (other.machine, other.uid, other.start)
                && (&one.container, one.every_boot) == (&other.container, other.every_boot)
                && one.image == other.image
        };
        let groups = processes.iter().map(|one| -> Vec<usize> {
            (0..processes.len()).filter(|other| like(one, &processes[*other])).collect()
        });
        let launches = groups.rev().max_by_key(Vec::len)?;
        (launches.len() > 1).then_some(Alike { launches, text: with_pids, name: name_with_pid })
    }

    /// How old something must be for a rule or a program to do something about it.
    fn ages(&self) -> Option<Vec<Duration>> {
        // Of two times that are both long ago, it would be forgotten whether they are one.
        if self.compares_times() {
            return None;
        }
        let mut ages: Vec<Duration> = self.durations_of_rules().collect();
        for spec in &self.scenario.processes {
            ages.extend(spec.changed.ages()?);
        }
        ages.sort_unstable();
        ages.dedup();
        Some(ages)
    }

    /// Whether some rule asks if a file's time is the same, and not only how old it is.
    pub fn compares_times(&self) -> bool {
        self.policies().any(|policy| policy.compares_times())
    }

    /// Why nobody waits long enough for progress to be judged, if so.
    pub fn impatience(&self) -> Option<String> {
        let (patience, grace) = (self.patience, self.grace());
        (patience <= grace).then(|| {
            format!(
                "whoever waits gives up after {}, and the rule may rightly take {}",
                Seconds(patience),
                Seconds(grace),
            )
        })
    }

    /// Who fills a slot of a process.
    fn policy<'b>(&'b self, process: usize, slot: &'b Slot) -> &'b Arc<Policy> {
        let filled = slot.fixed.as_ref().or(self.followed[process].as_ref());
        filled.expect("a process with a slot that nothing fixes is a contender")
    }

    fn durations_of_rules(&self) -> impl Iterator<Item = Duration> {
        let own = self.own.iter().flat_map(Own::ages);
        self.policies().flat_map(|policy| policy.durations()).chain(own)
    }

    /// The rule of each slot.
    fn policies(&self) -> impl Iterator<Item = &Arc<Policy>> {
        let processes = self.scenario.processes.iter().enumerate();
        processes.flat_map(move |(index, spec)| {
            spec.slots.iter().map(move |slot| self.policy(index, slot))
        })
    }

    /// What a rule or a program declares: passing time aims at these.
    fn durations(&self) -> Vec<Duration> {
        let programs = self.scenario.processes.iter().flat_map(|spec| spec.changed.durations());
        let mut durations: Vec<Duration> = self.durations_of_rules().chain(programs).collect();
        durations.sort_unstable();
        durations.dedup();
        durations
    }
}
