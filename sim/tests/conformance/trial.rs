//! One program on both arms.

use std::cell::RefCell;

use locklab_sim::kernel::{
    InodeNumbers, Kernel, MachineConfig, MachineId, Outcome as SimOutcome, TaskId,
};
use locklab_sys::{Pid, Reply};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::Value;

use crate::counts::Counts;
use crate::host::{Outcome, Puppet, Scratch};
use crate::names::Names;
use crate::op::{Op, program};

const PROCESSES: usize = 3;

/// A reply that is due comes within this, unless the arms differ.
const PATIENCE_MS: i64 = 5_000;

/// So many programs are tried without being told.
pub const CASES: u32 = 3_000;

/// Fewer different endings of calls than this, in so many programs, would mean
/// that the programs are too tame.
const PAIRS_MIN: usize = 110;

/// Tries so many programs.
pub fn run(cases: u32, seed: u64) {
    let scratch = Scratch::new();
    let counts = RefCell::new(Counts::default());
    let config =
        Config { cases, failure_persistence: None, max_shrink_time: 60_000, ..Config::default() };
    let mut words = [0; 32];
    words[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &words);
    let outcome = TestRunner::new_with_rng(config, rng).run(&program(), |program| {
        scratch.clear();
        Trial::new(&scratch, &counts).follow(&program)
    });
    if let Err(difference) = outcome {
        panic!("{difference}");
    }
    let counts = counts.into_inner();
    println!("conformance: {cases} programs, no difference\n{counts}");
    assert!(cases < CASES || counts.pairs() >= PAIRS_MIN, "only {} pairs", counts.pairs());
}

struct Trial<'a> {
    counts: &'a RefCell<Counts>,
    kernel: Kernel,
    puppets: Vec<Puppet>,
    pids: Vec<u32>,
    simulated: Names,
    real: Names,
    /// Who was stopped by its own call, which has not returned yet.
    owed: Vec<Option<Reply>>,
}

impl<'a> Trial<'a> {
    fn new(scratch: &Scratch, counts: &'a RefCell<Counts>) -> Self {
        let machine =
            MachineConfig { inode_numbers: InodeNumbers::Fresh, ..MachineConfig::default() };
        let mut kernel = Kernel::new(&[machine], 1);
        for who in 0..PROCESSES {
            kernel.launch(MachineId(0), format!("process{who}").into());
        }
        let puppets: Vec<Puppet> = (0..PROCESSES).map(|_| Puppet::start(&scratch.0)).collect();
        let pids: Vec<u32> = puppets.iter().map(Puppet::pid).collect();
        let pid_of = |(_, process): (_, &locklab_sim::kernel::Process)| u64::from(process.pid.0);
        let simulated = Names::new(kernel.processes().map(pid_of).collect());
        let real = Names::new(pids.iter().map(|pid| u64::from(*pid)).collect());
        let owed = vec![None; PROCESSES];
        Self { counts, kernel, puppets, pids, simulated, real, owed }
    }

    fn follow(mut self, program: &[(usize, Op)]) -> Result<(), TestCaseError> {
        for (who, op) in program {
            if self.can_call(*who) {
                self.step(*who, op)?;
                self.settle()?;
            }
        }
        Ok(())
    }

    fn task(who: usize) -> TaskId {
        TaskId(who as u32)
    }

    fn process(&self, who: usize) -> &locklab_sim::kernel::Process {
        self.kernel.process(self.kernel.process_of(Self::task(who)))
    }

    fn can_call(&self, who: usize) -> bool {
        let process = self.process(who);
        let runs = process.is_alive() && !process.is_stopped();
        runs && !self.kernel.is_blocked(Self::task(who)) && self.owed[who].is_none()
    }

    fn step(&mut self, who: usize, op: &Op) -> Result<(), TestCaseError> {
        let pids: Vec<Pid> = self.kernel.processes().map(|(_, process)| process.pid).collect();
        let call = op.call(|who| pids[who as usize]);
        let outcome = self.kernel.call(Self::task(who), &call);
        match &outcome {
            SimOutcome::Done(reply) => self.counts.borrow_mut().count(&call, reply),
            SimOutcome::Blocked => self.counts.borrow_mut().count_wait(&call),
            _ => {}
        }
        self.puppets[who].order(op, &self.pids);
        match outcome {
            SimOutcome::Done(reply) if self.process(who).is_stopped() => {
                self.owed[who] = Some(reply);
                Ok(())
            }
            SimOutcome::Done(reply) => {
                let real = self.puppets[who].outcome();
                self.must_agree(op, &reply, real)
            }
            SimOutcome::Blocked => {
                let real = self.puppets[who].outcome();
                prop_assert_eq!(real, Outcome::Waits, "{:?} of {} waits", op, who);
                Ok(())
            }
            SimOutcome::Ended => {
                let real = self.puppets[who].outcome();
                prop_assert_eq!(real, Outcome::Ended, "{:?} of {} ends it", op, who);
                Ok(())
            }
            SimOutcome::Spawned { .. } => unreachable!("no program here spawns"),
        }
    }

    /// What follows from a step on its own: signals arrive, and whoever need
    /// not wait any longer returns.
    fn settle(&mut self) -> Result<(), TestCaseError> {
        for who in 0..PROCESSES {
            if !self.process(who).is_alive() {
                self.puppets[who].until_ended();
                self.owed[who] = None;
            } else if self.process(who).is_stopped() {
                self.puppets[who].until_stopped();
            } else if let Some(reply) = self.owed[who].take() {
                let real = self.puppets[who].outcome();
                self.must_agree(&Op::Getpid, &reply, real)?;
            }
        }
        while let Some((who, real)) = self.returned()? {
            let reply = self.kernel.finish(Self::task(who));
            self.must_agree(&Op::Getpid, &reply, Outcome::Replied(real))?;
        }
        Ok(())
    }

    /// Who returns next of those who waited and need not any longer: of two
    /// who want the same, Linux picks one.
    fn returned(&mut self) -> Result<Option<(usize, Value)>, TestCaseError> {
        let ready: Vec<usize> = (0..PROCESSES)
            .filter(|who| self.kernel.ready(Self::task(*who)) && !self.process(*who).is_stopped())
            .collect();
        for millis in 0..PATIENCE_MS {
            for who in &ready {
                if let Some(reply) = self.puppets[*who].reply_within(millis.min(1)) {
                    return Ok(Some((*who, reply)));
                }
            }
        }
        prop_assert!(ready.is_empty(), "{:?} should return, and do not on the host", ready);
        Ok(None)
    }

    fn must_agree(
        &mut self,
        op: &Op,
        simulated: &Reply,
        real: Outcome,
    ) -> Result<(), TestCaseError> {
        let Outcome::Replied(real) = real else {
            return Err(TestCaseError::fail(format!("{op:?}: {simulated:?} here, {real:?} there")));
        };
        if matches!(op, Op::Getrandom { .. }) {
            return Ok(());
        }
        // By way of text, as the real one came: a boot id is larger than numbers are.
        let simulated = serde_json::to_string(simulated).expect("a reply");
        let simulated = serde_json::from_str(&simulated).expect("a reply");
        let of_open = matches!(op, Op::Fstat { .. });
        let here = self.simulated.common(simulated, of_open);
        let there = self.real.common(real, of_open);
        prop_assert_eq!(here, there, "{:?}: here, and there", op);
        Ok(())
    }
}
