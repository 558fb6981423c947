use std::time::Duration;

use locklab_sys::{Call, Errno, ExitStatus, Happening, Reply, Ret, SmolStr};
use serde::Serialize;

use crate::choice::Choice;
use crate::event::Event;
use crate::kernel::{Effect, Naming, ProcId};
use crate::monitor::{End, Fall};
use crate::note::Notes;
use crate::world::{CallOutcome, World};

/// A run, written down: every picture and every format is drawn from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The version of this form.
    pub schema_version: u32,
    /// Every process that ever started, in that order.
    pub processes: Vec<TracedProcess>,
    /// The steps and moves, in order.
    pub steps: Vec<TracedStep>,
    /// How the run ended.
    pub end: Option<End>,
    /// What fell only because the run ended as it did.
    pub falls_at_end: Vec<TracedFall>,
}

/// A process of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedProcess {
    /// Its name in this trace.
    pub name: SmolStr,
    /// The machine it runs on.
    pub machine: SmolStr,
    /// Its pid there.
    pub pid: u32,
    /// When it started, in ticks of 10 ms since that machine's boot.
    pub start_ticks: u64,
}

/// A step or a move of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedStep {
    /// From 1.
    pub number: u32,
    /// Virtual time after it, since the world began.
    pub time_ns: u64,
    /// Its name, as in a schedule.
    pub choice: SmolStr,
    /// Who called, when it is a step: a process, or a thread of it by its number.
    pub process: Option<SmolStr>,
    /// The points that named the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<&'static str>,
    /// The call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// What became of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TracedOutcome>,
    /// What it brought about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<TracedEvent>,
    /// What the program noted after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What fell by it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub falls: Vec<TracedFall>,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TracedOutcome {
    /// It returned.
    Returned(Ret),
    /// It failed.
    Failed(Errno),
    /// It waits; a later step is its return.
    Waits,
    /// The caller ended.
    Ended,
}

/// An event of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "as in Effect, Happening and Event")]
pub enum TracedEvent {
    Started { process: SmolStr, pid: u32 },
    Stopped { process: SmolStr },
    Continued { process: SmolStr },
    Starved { process: SmolStr },
    Fed { process: SmolStr },
    Ended { process: SmolStr, status: ExitStatus },
    ThreadStarted { thread: SmolStr },
    ThreadEnded { thread: SmolStr },
    NameAdded { path: SmolStr, ino: u64, maker: SmolStr, by: SmolStr, exclusive: bool },
    NameRemoved { path: SmolStr, ino: u64, maker: SmolStr, by: SmolStr },
    NameLost { path: SmolStr, ino: u64, maker: SmolStr },
    NameFound { path: SmolStr, ino: u64, maker: SmolStr },
    IoFailed { process: SmolStr },
    Mark { process: SmolStr, name: &'static str, subject: SmolStr, value: i64 },
    Aborted { process: SmolStr, message: SmolStr },
    Quiet,
}

/// Something that fell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedFall {
    /// The property.
    pub property: SmolStr,
    /// What fell, in words.
    pub message: String,
}

/// Writes a run down while it goes on.
pub struct Recorder {
    properties: Vec<SmolStr>,
    notes: Notes,
    trace: Trace,
}

impl Recorder {
    /// A recorder that tells what the first monitors see fall, one for each of
    /// these names; what any further ones see is not told.
    pub fn new(properties: Vec<SmolStr>, notes: Notes) -> Self {
        let trace = Trace {
            schema_version: 1,
            processes: Vec::new(),
            steps: Vec::new(),
            end: None,
            falls_at_end: Vec::new(),
        };
        Self { properties, notes, trace }
    }

    /// The finished trace.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    pub(crate) fn step(&mut self, world: &World, choice: Choice, name: SmolStr, falls: &[Fall]) {
        for event in world.events() {
            if let Event::Effect(Effect::Started { proc }) = event {
                self.trace.processes.push(traced_process(world, *proc));
            }
        }
        let performed = world.performed();
        let process = match choice {
            Choice::Step(task) => Some(world.kernel().task_name(task)),
            _ => None,
        };
        let step = TracedStep {
            number: self.trace.steps.len() as u32 + 1,
            time_ns: nanos(world.kernel().now()),
            choice: name,
            process,
            points: performed.map(|call| call.points.clone()).unwrap_or_default(),
            call: performed.map(|call| call.call.clone()),
            outcome: performed.map(|call| traced_outcome(&call.outcome)),
            events: world.events().iter().filter_map(|event| traced_event(world, event)).collect(),
            notes: self.notes.take(),
            falls: self.traced_falls(falls),
        };
        self.trace.steps.push(step);
    }

    pub(crate) fn end(&mut self, end: End, falls: &[Fall]) {
        self.trace.end = Some(end);
        self.trace.falls_at_end = self.traced_falls(falls);
    }

    fn traced_falls(&self, falls: &[Fall]) -> Vec<TracedFall> {
        falls
            .iter()
            .filter_map(|fall| {
                let property = self.properties.get(fall.which)?.clone();
                Some(TracedFall { property, message: fall.message.clone() })
            })
            .collect()
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("virtual time fits 584 years")
}

fn name_of(world: &World, proc: ProcId) -> SmolStr {
    world.kernel().process(proc).name.clone()
}

fn traced_process(world: &World, proc: ProcId) -> TracedProcess {
    let process = world.kernel().process(proc);
    TracedProcess {
        name: process.name.clone(),
        machine: world.setup().machines[process.machine.0 as usize].name.clone(),
        pid: process.pid.0,
        start_ticks: process.start_ticks,
    }
}

fn traced_outcome(outcome: &CallOutcome) -> TracedOutcome {
    let traced = |reply: &Reply| match reply {
        Ok(ret) => TracedOutcome::Returned(ret.clone()),
        Err(errno) => TracedOutcome::Failed(*errno),
    };
    match outcome {
        CallOutcome::Returned(reply) | CallOutcome::Woke(reply) => traced(reply),
        CallOutcome::Blocked => TracedOutcome::Waits,
        CallOutcome::Ended => TracedOutcome::Ended,
    }
}

fn traced_event(world: &World, event: &Event) -> Option<TracedEvent> {
    let name = |proc: &ProcId| name_of(world, *proc);
    Some(match event {
        Event::Effect(effect) => match effect {
            Effect::Started { proc } => {
                let pid = world.kernel().process(*proc).pid.0;
                TracedEvent::Started { process: name(proc), pid }
            }
            Effect::Stopped { proc } => TracedEvent::Stopped { process: name(proc) },
            Effect::Continued { proc } => TracedEvent::Continued { process: name(proc) },
            Effect::Ended { proc, status } => {
                TracedEvent::Ended { process: name(proc), status: *status }
            }
            Effect::ThreadStarted { task, .. } => {
                TracedEvent::ThreadStarted { thread: world.kernel().task_name(*task) }
            }
            Effect::ThreadEnded { task, .. } => {
                TracedEvent::ThreadEnded { thread: world.kernel().task_name(*task) }
            }
            Effect::NameAdded { path, ino, maker, by, how } => TracedEvent::NameAdded {
                path: path.clone(),
                ino: *ino,
                maker: name(maker),
                by: name(by),
                exclusive: *how == Naming::Exclusive,
            },
            Effect::NameLost { path, ino, maker } => {
                TracedEvent::NameLost { path: path.clone(), ino: *ino, maker: name(maker) }
            }
            Effect::NameFound { path, ino, maker } => {
                TracedEvent::NameFound { path: path.clone(), ino: *ino, maker: name(maker) }
            }
            Effect::IoFailed { proc, .. } => TracedEvent::IoFailed { process: name(proc) },
            Effect::NameRemoved { path, ino, maker, by } => TracedEvent::NameRemoved {
                path: path.clone(),
                ino: *ino,
                maker: name(maker),
                by: name(by),
            },
        },
        Event::Said { task, said: Happening::Mark { name: mark, subject, value }, .. } => {
            TracedEvent::Mark {
                process: world.kernel().task_name(*task),
                name: mark,
                subject: subject.clone(),
                value: *value,
            }
        }
        // The name of the step says these.
        Event::Said { said: Happening::Point(_), .. } | Event::TimePassed | Event::ClockSet => {
            return None;
        }
        Event::Starved { proc } => TracedEvent::Starved { process: name(proc) },
        Event::Fed { proc } => TracedEvent::Fed { process: name(proc) },
        Event::Aborted { proc, message } => {
            TracedEvent::Aborted { process: name(proc), message: message.clone() }
        }
        Event::Quiet => TracedEvent::Quiet,
    })
}
