//! Calls that race: each process makes its own, and nothing orders them.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::thread::CpuSet;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::puppet::{self, Forked};
use super::{Host, clock_gettime, raw};
use crate::{Call, Clock, Fd, Reply, Ret};

/// What one process does in a race with others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Race {
    /// Which of those who race it is.
    pub lane: usize,
    /// How many race.
    pub lanes: usize,
    /// Whether more race than there are processors: then it lets others run while
    /// it waits.
    pub is_crowded: bool,
    /// The number of the first run: none before it on this machine had it, nor
    /// a higher one.
    pub first: u32,
    /// Its steps, the same in each run.
    pub steps: Vec<Step>,
    /// The runs, one after the other.
    pub runs: Vec<Run>,
}

/// One run of a race.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Where relative paths lead from.
    pub directory: SmolStr,
    /// How long it waits before each of its steps, in nanoseconds; where there
    /// is none, not at all.
    pub pauses_ns: Vec<u32>,
}

/// What a process does without being told again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Makes a call.
    Call(Call),
    /// Forks, as [`Call::Spawn`] does. The child inherits these descriptors,
    /// takes its own steps, which end it, and tells nobody of its replies.
    Fork {
        /// What it inherits.
        keep: Vec<Fd>,
        /// What it does.
        child: Vec<Step>,
    },
    /// Closes its descriptors, one after the other.
    CloseAll,
}

impl Race {
    /// Takes part: its replies, for each run. Before an end by its own call,
    /// `tell` is given what there is.
    pub(super) fn take_part(
        &self,
        host: &Host,
        tell: impl Fn(&[Vec<Reply>]) -> io::Result<()>,
    ) -> io::Result<Vec<Vec<Reply>>> {
        if self.lanes > 1 {
            self.take_processor()?;
        }
        let mut told = Vec::with_capacity(self.runs.len());
        for (number, run) in (self.first..).zip(&self.runs) {
            rustix::process::chdir(run.directory.as_str())?;
            let mut replies = Vec::with_capacity(self.steps.len());
            if self.lanes > 1 {
                self.meet(host.gate, number);
            }
            for (nth, step) in self.steps.iter().enumerate() {
                if let Some(pause) = run.pauses_ns.get(nth) {
                    let until =
                        clock_gettime(Clock::Monotonic) + Duration::from_nanos((*pause).into());
                    self.wait_while(|| clock_gettime(Clock::Monotonic) < until);
                }
                if let Step::Call(Call::Exit { code }) = step {
                    told.push(replies);
                    tell(&told)?;
                    raw::exit(*code);
                }
                replies.push(take(host, step));
            }
            told.push(replies);
        }
        Ok(told)
    }

    /// Each has a processor, as long as there are enough, and stays there.
    fn take_processor(&self) -> io::Result<()> {
        let all = rustix::thread::sched_getaffinity(None)?;
        let all: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|it| all.is_set(*it)).collect();
        if all.len() > 1 {
            let mut one = CpuSet::new();
            one.set(all[self.lane % all.len()]);
            rustix::thread::sched_setaffinity(None, &one)?;
        }
        Ok(())
    }

    /// Waits for the others, that all begin a run at once. It may be that one is
    /// not let run, so this has a bound: they are apart for a few runs then.
    fn meet(&self, gate: &Gate, number: u32) {
        let bound = if number == self.first { Self::FIRST_MEETING } else { Self::MEETING };
        gate[self.lane].store(number, Ordering::SeqCst);
        let until = clock_gettime(Clock::Monotonic) + bound;
        let others = &gate[..self.lanes];
        self.wait_while(|| {
            others.iter().any(|other| other.load(Ordering::SeqCst) < number)
                && clock_gettime(Clock::Monotonic) < until
        });
    }

    /// Without sleep, which ends late.
    fn wait_while(&self, condition: impl Fn() -> bool) {
        while condition() {
            if self.is_crowded { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
    }

    const FIRST_MEETING: Duration = Duration::from_millis(100);

    const MEETING: Duration = Duration::from_millis(2);
}

/// Where processes of a machine see how far the others are: the number of the
/// run that each has come to.
pub(super) type Gate = [AtomicU32; LANES];

/// As many can race.
pub(super) const LANES: usize = 8;

fn take(host: &Host, step: &Step) -> Reply {
    match step {
        Step::Call(call) => host.perform(call),
        Step::CloseAll => {
            raw::close_program();
            Ok(Ret::Unit)
        }
        Step::Fork { keep, child } => match puppet::fork(Some(keep), &host.numbers()) {
            Forked::Parent(reply) => reply,
            Forked::Child => {
                for step in child {
                    // Nobody hears of it.
                    let _ = take(host, step);
                }
                panic!("the steps of a child end it");
            }
        },
    }
}
