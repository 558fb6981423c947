//! What a policy does when all is simple: one process alone, and one that finds the claim of a
//! dead one. Two runs in the simulated Linux, from which `explain` reads.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use locklab_models::word::{mark, point};
use locklab_models::{Policy, Program, Setting, Worker};
use locklab_sim::kernel::MachineConfig;
use locklab_sim::{
    Action, Adversary, Fault, Launch, Limits, Notes, Points, Recorder, Setup, Trace, TracedEvent,
    Turns, World, run,
};
use locklab_sys::SmolStr;

/// Who takes the lock in the end, in both runs.
pub const TAKER: &str = "taker";

const DEAD: &str = "dead";

/// How long the taker tries: longer than any rule lets a dead claim lie.
const PATIENCE: Duration = Duration::from_secs(600);

/// One process takes the lock and releases it, and nobody else is there.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The whole run.
    pub trace: Trace,
    /// The steps before it wants the lock.
    pub before: Range<usize>,
    /// From then on until it is inside.
    pub acquisition: Range<usize>,
    /// From when it leaves until it has done so; nothing if it never was inside.
    pub release: Range<usize>,
}

/// One process wants the lock of another, which was killed when it had just entered.
#[derive(Clone, Debug)]
pub struct Succession {
    /// The whole run.
    pub trace: Trace,
    /// How many attempts found the claim not to be taken over.
    pub polls: usize,
    /// What came of it.
    pub end: Ending,
    /// When the taker was inside, or gave up, after the death.
    pub delay: Duration,
}

/// How a succession ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The claim was removed: by what came before the first attempt, and by the last of them.
    TakenOver(Range<usize>, Range<usize>),
    /// Nothing stood in the way any more, or was found to.
    Free(Range<usize>),
    /// It never got in.
    Refused,
}

/// One process takes the lock and releases it.
pub fn alone(policy: &Arc<Policy>) -> Alone {
    let trace = run_of(vec![launch(TAKER, policy, Duration::ZERO)], Vec::new());
    let said = |name| said(&trace, name);
    let wanted = said(mark::WAITING).map_or(0, |step| step + 1);
    let entered = said(mark::ENTERED).map_or(wanted, |step| step + 1);
    let left = said(mark::LEAVING).map_or(entered, |step| step + 1);
    let released = said(mark::RELEASED).map_or(left, |step| step + 1);
    Alone { before: 0..wanted, acquisition: wanted..entered, release: left..released, trace }
}

/// One process wants the lock of a dead one.
pub fn after_a_death(policy: &Arc<Policy>) -> Succession {
    let at = Points::new(vec![point::ENTERED.into()]).expect("a point is one");
    let (nth, after, action) = (1, Duration::ZERO, Action::Kill);
    let death = Fault { process: 0, at, nth, after, action };
    let start = Duration::from_secs(1);
    let processes = vec![launch(DEAD, policy, Duration::ZERO), launch(TAKER, policy, start)];
    let trace = run_of(processes, vec![death]);
    let wanted = said(&trace, mark::WAITING).map_or(0, |step| step + 1);
    let entered = said(&trace, mark::ENTERED).map(|step| step + 1);
    let end = entered.unwrap_or(trace.steps.len());
    let attempts: Vec<usize> = (wanted..end).filter(|step| is_attempt(&trace, *step)).collect();
    let first = attempts.first().copied().unwrap_or(wanted);
    let removal = (wanted..end).find(|step| removes_the_dead(&trace, *step));
    let attempt_of = |step: usize| attempts.iter().rev().find(|it| **it <= step).copied();
    let (polls, ending) = match (entered, removal) {
        (None, _) => (attempts.len(), Ending::Refused),
        (Some(_), Some(removal)) => {
            let begin = attempt_of(removal).unwrap_or(first);
            let polls = attempts.iter().filter(|it| **it < begin).count();
            (polls, Ending::TakenOver(wanted..first, begin..end))
        }
        (Some(_), None) => (attempts.len().saturating_sub(1), Ending::Free(wanted..end)),
    };
    let time_ns = |step: usize| trace.steps[step].time_ns;
    let died_ns = trace.steps.iter().find(|step| step.events.iter().any(is_death));
    let last_ns = end.checked_sub(1).map_or(0, time_ns);
    let delay_ns = last_ns.saturating_sub(died_ns.map_or(0, |step| step.time_ns));
    Succession { polls, end: ending, delay: Duration::from_nanos(delay_ns), trace }
}

fn launch(name: &str, policy: &Arc<Policy>, start: Duration) -> Launch {
    let setting = Setting { slots: vec![("lock", Arc::clone(policy))], patience: PATIENCE };
    let image = Program::Worker(Worker::default()).image(&setting);
    Launch { start, ..Launch::new(name, image) }
}

/// Each process runs until it blocks.
fn run_of(processes: Vec<Launch>, story: Vec<Fault>) -> Trace {
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes,
        story,
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let limits = Limits { horizon: PATIENCE * 2, steps: 100_000 };
    let mut world = World::new(Arc::new(setup), 0);
    let mut recorder = Recorder::new(Vec::new(), Notes::default());
    run(&mut world, &mut Turns::default(), &mut (), limits, Some(&mut recorder));
    recorder.into_trace()
}

/// The step after which the taker said so for the first time.
fn said(trace: &Trace, wanted: &str) -> Option<usize> {
    let is_it = |event: &TracedEvent| {
        matches!(event, TracedEvent::Mark { process, name, .. }
            if process == TAKER && *name == wanted)
    };
    trace.steps.iter().position(|step| step.events.iter().any(is_it))
}

fn is_attempt(trace: &Trace, step: usize) -> bool {
    let step = &trace.steps[step];
    step.process.as_deref() == Some(TAKER) && step.points.contains(&point::ACQUIRE)
}

fn removes_the_dead(trace: &Trace, step: usize) -> bool {
    let is_of_the_dead = |event: &TracedEvent| {
        let is = |who: &SmolStr, name| *who == name;
        matches!(event, TracedEvent::NameRemoved { maker, by, .. }
            if is(maker, DEAD) && is(by, TAKER))
    };
    trace.steps[step].events.iter().any(is_of_the_dead)
}

fn is_death(event: &TracedEvent) -> bool {
    matches!(event, TracedEvent::Ended { process, .. } if process == DEAD)
}
