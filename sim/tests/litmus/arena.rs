//! Where programs run, on the real kernel.

use std::io;
use std::ops::Range;

use locklab_sys::host::{Machine, Puppet, Race, Run, Step};
use locklab_sys::{Call, Pid, Reply, SmolStr, Uid};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::outcome::Outcome;
use crate::program::{Begin, Beginning, Program, aimed};

/// So many runs of files follow one another without a leader's word.
const ROOMS: usize = 200;

/// Programs whose processes begin or end are run less often, by this: each run
/// has new processes.
const LIVES: usize = 4;

/// Bounds of the pauses before a step. In each run one is drawn for all steps:
/// no pause lets calls meet, long ones let one process come between any two
/// steps of another.
const PAUSES_NS: &[u32] = &[1, 300, 1_000, 3_000, 10_000, 30_000];

/// Beginnings and ends of processes take longer.
const PAUSES_OF_LIVES_NS: &[u32] = &[1_000, 10_000, 50_000, 200_000];

/// Runs programs on a machine.
pub struct Arena<'m> {
    machine: &'m Machine,
    processors: usize,
    jitter: ChaCha8Rng,
    resets: u32,
    /// Each has a number.
    next_run: u32,
}

impl<'m> Arena<'m> {
    pub fn new(machine: &'m Machine, processors: usize, seed: u64) -> Self {
        Self {
            machine,
            processors,
            jitter: ChaCha8Rng::seed_from_u64(seed),
            resets: 0,
            next_run: 1,
        }
    }

    /// The outcomes of some runs of a program.
    pub fn run(&mut self, program: &Program, runs: usize) -> io::Result<Vec<Outcome>> {
        match &program.begin {
            Begin::Files(calls) => self.run_in_rooms(program, calls, runs),
            Begin::Processes(beginnings) => {
                let runs = runs.div_ceil(LIVES);
                (0..runs).map(|_| self.run_from_birth(program, beginnings)).collect()
            }
        }
    }

    fn run_in_rooms(
        &mut self,
        program: &Program,
        files: &[Call],
        runs: usize,
    ) -> io::Result<Vec<Outcome>> {
        let first = self.reset()?;
        let looker = self.machine.launch(Uid::ROOT, None)?;
        let racers = (0..program.racers()).map(|_| self.machine.launch(Uid::ROOT, None));
        let racers = racers.collect::<io::Result<Vec<_>>>()?;
        let mut outcomes = Vec::new();
        while outcomes.len() < runs {
            let rooms = rooms_at_once(program).min(runs - outcomes.len());
            let rooms = self.machine.rooms(rooms)?;
            let made = alone_and_closed(&looker, files, &rooms)?;
            assert!(made.iter().flatten().all(Result::is_ok), "{}: {:?}", program.name, made[0]);
            let mut told = self.race(program, first, &racers, &rooms)?;
            told.iter_mut().flatten().for_each(forget_the_last);
            let looks = alone_and_closed(&looker, &program.look, &rooms)?;
            outcomes.extend(outcomes_of(first, &told, &looks));
        }
        Ok(outcomes)
    }

    fn run_from_birth(
        &mut self,
        program: &Program,
        beginnings: &[Beginning],
    ) -> io::Result<Outcome> {
        let first = self.reset()?;
        let root = ["/".into()];
        let mut racers = Vec::new();
        for beginning in beginnings {
            match beginning {
                Beginning::Launch => racers.push(self.machine.launch(Uid::ROOT, None)?),
                Beginning::Fork { parent, keep } => {
                    racers.push(racers[*parent].fork(Some(&keep.as_slice().into()))??);
                }
                Beginning::Calls(who, calls) => {
                    let steps = calls.iter().map(|it| Step::Call(aimed(it, first)));
                    let made = alone(&racers[*who], steps.collect(), &root)?;
                    assert!(made[0].iter().all(Result::is_ok), "{}: {made:?}", program.name);
                }
            }
        }
        let told = self.race(program, first, &racers, &root)?;
        let looks = alone_and_closed(&self.machine.launch(Uid::ROOT, None)?, &program.look, &root)?;
        Ok(outcomes_of(first, &told, &looks).remove(0))
    }

    /// What each process is told in each of the rooms.
    fn race(
        &mut self,
        program: &Program,
        first: Pid,
        racers: &[Puppet],
        rooms: &[SmolStr],
    ) -> io::Result<Vec<Option<Vec<Vec<Reply>>>>> {
        let bounds = match program.begin {
            Begin::Files(_) => PAUSES_NS,
            Begin::Processes(_) => PAUSES_OF_LIVES_NS,
        };
        let bounds: Vec<u32> = rooms.iter().map(|_| self.draw_from(bounds)).collect();
        for (lane, racer) in racers.iter().enumerate() {
            let steps = program.steps(lane, first);
            racer.race(&Race {
                lane,
                lanes: racers.len(),
                is_crowded: racers.len() > self.processors,
                first: self.next_run,
                runs: self.draw_runs(rooms, &bounds, steps.len()),
                steps,
            })?;
        }
        self.next_run += rooms.len() as u32;
        let nothing = vec![Vec::new(); rooms.len()];
        let told = racers.iter().enumerate().map(|(who, racer)| {
            let told = racer.raced()?;
            // Who has no steps has nothing to tell, even if it is killed.
            let is_idle = program.steps(who, first).is_empty();
            Ok(told.or_else(|| is_idle.then(|| nothing.clone())))
        });
        told.collect()
    }

    fn draw_runs(&mut self, rooms: &[SmolStr], bounds: &[u32], steps: usize) -> Vec<Run> {
        let run = |(directory, bound): (&SmolStr, &u32)| Run {
            directory: directory.clone(),
            pauses_ns: (0..steps).map(|_| self.below(*bound)).collect(),
        };
        rooms.iter().zip(bounds).map(run).collect()
    }

    fn draw_from(&mut self, among: &[u32]) -> u32 {
        among[self.below(among.len() as u32) as usize]
    }

    fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.jitter.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// Another range of pids each time: Linux frees a pid some time after nobody
    /// sees its process any more.
    fn reset(&mut self) -> io::Result<Pid> {
        const PIDS: Range<u32> = 1_000..29_000;
        const PIDS_EACH: u32 = 16;
        let ranges = (PIDS.end - PIDS.start) / PIDS_EACH;
        let first = Pid(PIDS.start + self.resets % ranges * PIDS_EACH);
        self.resets += 1;
        self.machine.reset(first)?;
        Ok(first)
    }
}

/// As many as can be told of in one message.
fn rooms_at_once(program: &Program) -> usize {
    const BYTES: usize = 40_000;
    let told = (0..program.racers()).map(|who| bytes_told(program, who)).max();
    ROOMS.min(BYTES / told.unwrap_or_default().max(1)).max(1)
}

/// At most so many bytes and names of files is a process told in a run.
fn bytes_told(program: &Program, who: usize) -> usize {
    let of_names = match &program.begin {
        Begin::Files(files) => files.iter().map(|it| it.to_string().len()).sum(),
        Begin::Processes(_) => 0,
    };
    let of_step = |step| match step {
        Step::Call(Call::Read { len, .. }) => len as usize,
        Step::Call(Call::Readdir { .. }) => of_names,
        _ => 0,
    };
    program.steps(who, Pid(0)).into_iter().map(of_step).sum()
}

fn outcomes_of(first: Pid, told: &[Option<Vec<Vec<Reply>>>], looks: &[Vec<Reply>]) -> Vec<Outcome> {
    let outcome = |(run, look): (usize, &Vec<Reply>)| {
        let of_racers = told.iter().map(|told| told.as_ref().map(|told| &told[run][..]));
        Outcome::new(first, of_racers.chain([Some(&look[..])]))
    };
    looks.iter().enumerate().map(outcome).collect()
}

/// A process makes calls in each of the rooms, and has nothing open then.
fn alone_and_closed(
    puppet: &Puppet,
    calls: &[Call],
    rooms: &[SmolStr],
) -> io::Result<Vec<Vec<Reply>>> {
    let steps = calls.iter().cloned().map(Step::Call).chain([Step::CloseAll]);
    let mut told = alone(puppet, steps.collect(), rooms)?;
    forget_the_last(&mut told);
    Ok(told)
}

/// A process takes steps in each of the rooms.
fn alone(puppet: &Puppet, steps: Vec<Step>, rooms: &[SmolStr]) -> io::Result<Vec<Vec<Reply>>> {
    let run = |directory: &SmolStr| Run { directory: directory.clone(), pauses_ns: Vec::new() };
    let runs = rooms.iter().map(run).collect();
    puppet.race(&Race { lane: 0, lanes: 1, is_crowded: false, first: 0, steps, runs })?;
    let told = puppet.raced()?;
    told.ok_or_else(|| io::Error::other("who makes calls alone has ended"))
}

/// Forgets of each run that all was closed in the end.
fn forget_the_last(told: &mut Vec<Vec<Reply>>) {
    for replies in told {
        let closed = replies.pop();
        assert!(matches!(closed, Some(Ok(_))), "all that is open can be closed");
    }
}
