//! One program on both arms.

mod settle;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use locklab_sim::kernel::{Kernel, MachineConfig, MachineId, Outcome, Process, State, TaskId};
use locklab_sys::host::{Machine, Puppet};
use locklab_sys::{Call, Errno, Pid, Reply, Ret};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::counts::Counts;
use crate::inodes::Inodes;
use crate::order;
use crate::place::Place;
use crate::programs::{Identity, Step, Targets, program};
use crate::starts::Starts;

/// A reply that is due comes within this, unless the arms differ.
const PATIENCE: Duration = Duration::from_secs(10);

/// Nobody waits for what is as far away as this.
const FAR: Duration = Duration::from_secs(1_000);

/// How often whoever may return next is looked for.
const MOMENT: Duration = Duration::from_millis(1);

/// A mount, whoever makes it, can disturb a walk, which Linux then begins again
/// and goes on counting links: of a path with more than twenty it may say ELOOP,
/// and has done nothing. So often in a row that does not happen.
const DISTURBED: u32 = 10;

/// So many programs are tried without being told.
pub const CASES: u32 = 5_000;

/// Tries so many programs. A disk is slow, and one that is full soon tells little
/// of what needs no room: they have the first of the same.
pub fn run(place: Place, machine: &Machine, asked: u32, seed: u64) {
    let cases = if place == Place::Tmpfs { asked } else { asked.div_ceil(5) };
    let counts = RefCell::new(Counts::default());
    let trials = Cell::new(0);
    let config =
        Config { cases, failure_persistence: None, max_shrink_time: 60_000, ..Config::default() };
    let mut words = [0; 32];
    words[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &words);
    let outcome =
        TestRunner::new_with_rng(config, rng).run(&program(machine.has_users()), |program| {
            trials.set(trials.get() + 1);
            let first_pid = first_pid(trials.get());
            Trial::new(place, machine, &program.cast, first_pid, &counts).follow(&program.steps)
        });
    if let Err(difference) = outcome {
        panic!("on {place}: {difference}");
    }
    let counts = counts.into_inner();
    println!("conformance on {place}: {cases} programs, no difference\n{counts}");
    match place {
        _ if asked < CASES => {}
        Place::Tmpfs => counts.must_reach_floors(machine.has_users()),
        Place::SmallTmpfs => counts.must_have_been_full(),
        Place::Ext4 => {}
    }
}

/// Another range of pids for each trial: Linux frees a pid some time after
/// nobody sees its process any more.
fn first_pid(trial: u32) -> u32 {
    const RANGE: u32 = 64;
    const RANGES: u32 = 400;
    1_000 + trial % RANGES * RANGE
}

struct Trial<'a> {
    place: Place,
    counts: &'a RefCell<Counts>,
    kernel: Kernel,
    /// By task.
    puppets: Vec<Puppet>,
    /// Who was stopped by its own call, which has not returned yet.
    owed: Vec<Option<(Call, Reply)>>,
    /// The call that each waits in.
    waiting: Vec<Option<Call>>,
    /// Who was stopped when last looked at.
    halted: Vec<bool>,
    /// Whether record locks were given to several at once: nobody knows to whom first,
    /// and the first that is in the way is told.
    locks_came_together: bool,
    /// How many processes have not ended before this step.
    alive: usize,
    /// Whether from here on the arms differ by a choice that Linux has and the model makes.
    is_lost: bool,
    inodes: Inodes,
    starts: Starts,
}

const INIT: Pid = Pid(1);

const BOX: MachineId = MachineId(0);

fn failed(error: impl ToString) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

impl<'a> Trial<'a> {
    fn new(
        place: Place,
        machine: &Machine,
        cast: &[Identity],
        first_pid: u32,
        counts: &'a RefCell<Counts>,
    ) -> Self {
        let config = MachineConfig { first_pid, ..place.config() };
        machine.reset(Pid(first_pid)).expect("a machine can begin anew");
        let mut kernel = Kernel::new(&[config], 1);
        let mut puppets = Vec::new();
        let mut starts = Starts::default();
        for (who, Identity { uid, container }) in cast.iter().enumerate() {
            let name = format!("process{who}").into();
            let (proc, _) = kernel.launch_as(BOX, name, *uid, container.as_ref());
            let puppet = machine.launch(*uid, container.as_ref());
            let puppet = puppet.expect("a machine has a process");
            let process = kernel.process(proc);
            assert_eq!(puppet.pid(), process.pid, "pids are the same on both");
            assert_eq!(puppet.outer_pid(), process.outer_pid(), "pids are the same on both");
            starts.note(puppet.outer_pid(), kernel.now());
            puppets.push(puppet);
        }
        let owed = vec![None; cast.len()];
        let waiting = vec![None; cast.len()];
        let halted = vec![false; cast.len()];
        let inodes = Inodes::new(machine.has_users());
        let locks_came_together = false;
        Self {
            place,
            counts,
            kernel,
            puppets,
            owed,
            waiting,
            halted,
            locks_came_together,
            alive: 0,
            is_lost: false,
            inodes,
            starts,
        }
    }

    fn follow(mut self, program: &[Step]) -> Result<(), TestCaseError> {
        for (who, call) in program {
            let who = who % self.puppets.len();
            if self.can_call(who) {
                let call = self.targets(who).aim(call);
                if matches!(call, Call::Exec { .. }) && !self.can_exec(who) {
                    continue;
                }
                if self.place == Place::SmallTmpfs && self.may_leave_directory(&call) {
                    continue;
                }
                self.alive = self.count_alive();
                self.step(who, &call)?;
                self.settle()?;
                if self.is_lost {
                    break;
                }
            }
        }
        Ok(())
    }

    fn count_alive(&self) -> usize {
        self.kernel.processes().filter(|(_, process)| process.is_alive()).count()
    }

    fn task(who: usize) -> TaskId {
        TaskId(who as u32)
    }

    fn process(&self, who: usize) -> &Process {
        self.kernel.process(self.kernel.process_of(Self::task(who)))
    }

    fn can_call(&self, who: usize) -> bool {
        let process = self.process(who);
        let task = Self::task(who);
        let runs = !self.kernel.has_ended(task) && !process.is_stopped();
        runs && !self.kernel.is_blocked(task) && self.owed[who].is_none()
    }

    /// A new image is found outside of the machine: only root gets there.
    fn can_exec(&self, who: usize) -> bool {
        let process = self.process(who);
        process.uid.is_root() && process.container().is_none()
    }

    /// Whether it may remove a directory whose inode is still taken then. Linux
    /// keeps it for as long as something is open that was opened in it, which the
    /// model does not.
    fn may_leave_directory(&self, call: &Call) -> bool {
        let mut all = self.kernel.processes();
        matches!(call, Call::Rmdir { .. } | Call::Rename { .. })
            && all.any(|(_, process)| process.descriptors().next().is_some())
    }

    /// What the next call of a task can be aimed at.
    fn targets(&self, who: usize) -> Targets {
        let caller = self.kernel.process_of(Self::task(who));
        // Those in containers have two, all others one.
        let names = |it: &Puppet| [it.pid(), it.outer_pid()];
        let all = || self.kernel.processes().map(|(_, process)| process);
        let mut pids: Vec<Pid> = self.puppets.iter().flat_map(names).chain([INIT]).collect();
        pids.dedup();
        Targets {
            fds: self.process(who).descriptors().collect(),
            pids,
            children: all().filter(|it| it.parent == Some(caller)).map(|it| it.pid).collect(),
        }
    }

    /// The pid or thread id, outside of all containers, of whom a caller means.
    fn outer_pid(&self, who: usize, pid: Pid) -> Pid {
        let container = self.process(who).container();
        let is_meant = |other: &usize| {
            self.process(*other).container() == container && self.puppets[*other].pid() == pid
        };
        let meant = (0..self.puppets.len()).find(is_meant).filter(|_| container.is_some());
        meant.map_or(pid, |meant| self.puppets[meant].outer_pid())
    }

    fn step(&mut self, who: usize, call: &Call) -> Result<(), TestCaseError> {
        // No two changes of a file have one time.
        self.kernel.advance_to(self.kernel.now() + Duration::from_nanos(1));
        let outcome = self.kernel.call(Self::task(who), call);
        match &outcome {
            Outcome::Done(reply) | Outcome::Spawned { reply, .. } => {
                self.counts.borrow_mut().count(call, reply);
            }
            Outcome::Blocked => self.counts.borrow_mut().count_wait(call),
            Outcome::Executed { .. } => self.counts.borrow_mut().count(call, &Ok(Ret::Unit)),
            Outcome::Ended => self.counts.borrow_mut().count_end(call),
        }
        if let Some(started) = self.start(who, call)? {
            let told = started.as_ref().map(|new| Ret::Pid(new.pid())).map_err(|errno| *errno);
            if let Ok(new) = started {
                self.starts.note(new.outer_pid(), self.kernel.now());
                self.puppets.push(new);
                self.owed.push(None);
                self.waiting.push(None);
                self.halted.push(false);
            }
            let (Outcome::Spawned { reply, .. } | Outcome::Done(reply)) = outcome else {
                unreachable!("what starts another returns")
            };
            return self.must_agree(who, call, &reply, &told);
        }
        if let Outcome::Executed { .. } = outcome {
            self.puppets[who].exec().map_err(failed)?;
            prop_assert_eq!(self.puppets[who].pid(), self.process(who).pid, "exec keeps the pid");
            return Ok(());
        }
        self.puppets[who].order(call).map_err(failed)?;
        match outcome {
            Outcome::Done(reply) if self.process(who).is_stopped() => {
                self.owed[who] = Some((call.clone(), reply));
                Ok(())
            }
            Outcome::Done(reply) => {
                self.must_reply(who, call, &reply)?;
                match *call {
                    Call::Setitimer { after } if after < FAR => self.let_timer_ring(who, after),
                    _ => Ok(()),
                }
            }
            Outcome::Blocked => {
                let waits = self.puppets[who].is_seen_waiting(PATIENCE).map_err(failed)?;
                if !waits && self.next_timer().is_none() {
                    let told = self.puppets[who].reply(Duration::ZERO).map_err(failed)?;
                    return Err(failed(format!("{call:?} waits here, and gives {told:?} there")));
                }
                self.waiting[who] = Some(call.clone());
                self.let_time_pass();
                Ok(())
            }
            Outcome::Ended => Ok(()),
            Outcome::Spawned { .. } | Outcome::Executed { .. } => {
                unreachable!("they are not ordered")
            }
        }
    }

    /// Starts there what the call starts: a child or a thread.
    fn start(
        &mut self,
        who: usize,
        call: &Call,
    ) -> Result<Option<Result<Puppet, Errno>>, TestCaseError> {
        let puppet = &self.puppets[who];
        Ok(Some(match call {
            Call::Spawn { keep, .. } => puppet.fork(Some(keep)).map_err(failed)?,
            Call::Fork { .. } => puppet.fork(None).map_err(failed)?,
            Call::SpawnThread { .. } => puppet.thread().map_err(failed)?,
            _ => return Ok(None),
        }))
    }

    /// Whoever waits with a time-out waits for it: before anybody else moves.
    fn let_time_pass(&mut self) {
        while let Some(timer) = self.next_timer() {
            self.kernel.advance_to(timer);
        }
    }

    /// The next timer that is waited for.
    fn next_timer(&self) -> Option<Duration> {
        self.kernel.next_timer().filter(|timer| *timer < self.kernel.now() + FAR)
    }

    /// Comes back when a timer has rung: a sleep that begins after it is set
    /// ends after it.
    fn let_timer_ring(&mut self, who: usize, after: Duration) -> Result<(), TestCaseError> {
        // It may have ended it already.
        let told = self.puppets[who].order(&Call::Nanosleep { duration: after });
        self.let_time_pass();
        if self.process(who).is_alive() {
            told.map_err(failed)?;
            let woken = self.puppets[who].reply(PATIENCE).map_err(failed)?;
            prop_assert!(woken.is_some(), "{} does not live on there", who);
        }
        Ok(())
    }

    fn must_reply(&mut self, who: usize, call: &Call, here: &Reply) -> Result<(), TestCaseError> {
        let mut told = self.puppets[who].reply(PATIENCE).map_err(failed)?;
        for _ in 0..DISTURBED {
            if told != Some(Err(Errno::ELOOP)) || *here == Err(Errno::ELOOP) {
                break;
            }
            self.puppets[who].order(call).map_err(failed)?;
            told = self.puppets[who].reply(PATIENCE).map_err(failed)?;
        }
        match told {
            Some(there) => self.must_agree(who, call, here, &there),
            None => Err(failed(format!("{call:?}: {here:?} here, and no reply there"))),
        }
    }

    /// Whether a `poll` saw one thing of a process that ended, and not yet another.
    fn sees_an_end(&self, here: &Reply, there: &Reply) -> bool {
        let (Ok(Ret::Ready(here)), Ok(Ret::Ready(there))) = (here, there) else { return false };
        let is_part = !there.is_empty() && there.iter().all(|fd| here.contains(fd));
        is_part && self.count_alive() < self.alive
    }

    fn must_agree(
        &mut self,
        who: usize,
        call: &Call,
        here: &Reply,
        there: &Reply,
    ) -> Result<(), TestCaseError> {
        let starts_agree = match (call, here, there) {
            (Call::ProcStat { pid }, Ok(Ret::ProcStat(here)), Ok(Ret::ProcStat(there))) => {
                let pid = self.outer_pid(who, *pid);
                self.starts.agree(pid, [here.start_ticks, there.start_ticks])
            }
            _ => true,
        };
        let is_any_lock = self.locks_came_together
            && matches!((here, there), (Ok(Ret::Lock(Some(_))), Ok(Ret::Lock(Some(_)))));
        let agree = starts_agree
            && (is_any_lock
                || self.sees_an_end(here, there)
                || self.inodes.agree(call, here, there));
        prop_assert!(agree, "{call:?}\n  here:  {here:?}\n  there: {there:?}");
        Ok(())
    }
}
