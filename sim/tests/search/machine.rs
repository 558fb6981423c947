//! Small programs that lock, look for files and sleep, in a bare state machine of their
//! own: what becomes of them by the plainest means there are.

use std::collections::{BTreeMap, VecDeque};

/// One call of a program, and which instruction follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    pub call: Op,
    pub next: u8,
    /// Where it goes on if the call did not give what was hoped for.
    pub fail: u8,
    /// Something is waited for from here on.
    pub wants: bool,
    /// It was got, unless the call failed.
    pub gets: bool,
}

/// Of the two descriptors that a program has of each of two files, one is `(file, which)`.
pub type Descriptor = (u8, u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Lock(Descriptor),
    Try(Descriptor),
    Unlock(Descriptor),
    Make(u8),
    Drop(u8),
    /// Whether there is such a file, or none.
    Look(u8, bool),
    /// So many seconds.
    Sleep(u8),
}

pub type Code = Vec<Instruction>;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    /// Files are opened first.
    opened: u8,
    at: u8,
    locked: bool,
    /// So many seconds are left.
    asleep: Option<u8>,
    holds: Vec<Descriptor>,
    waits: bool,
    ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    tasks: Vec<Task>,
    files: [bool; 2],
    /// How many may yet be killed; `None` once nobody will.
    kills: Option<u8>,
}

/// Who steps; the clock comes last.
type Way = (usize, usize);

/// All quiet states of some programs, with the ways between them.
pub struct Machine<'a> {
    code: &'a [Code],
    states: Vec<State>,
    ways: Vec<Vec<Way>>,
}

impl<'a> Machine<'a> {
    /// All that the programs may come to, when so many may be killed.
    pub fn new(code: &'a [Code], kills: u8) -> Self {
        let mut machine = Self { code, states: Vec::new(), ways: Vec::new() };
        let tasks = code.iter().map(|code| {
            let waits = opens(code).is_empty() && code[0].wants;
            Task { waits, ..Task::default() }
        });
        let first = State { tasks: tasks.collect(), files: [false; 2], kills: Some(kills) };
        let mut numbers = BTreeMap::from([(first.clone(), 0)]);
        let mut queue = VecDeque::from([first]);
        while let Some(state) = queue.pop_front() {
            let mut ways = Vec::new();
            for (by, next) in machine.successors(&state) {
                let number = numbers.len();
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    queue.push_back(next);
                    number
                });
                ways.push((by, number));
            }
            machine.states.push(state);
            machine.ways.push(ways);
        }
        machine
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The clock's number among those who make steps.
    fn clock(&self) -> usize {
        self.code.len()
    }

    fn successors(&self, state: &State) -> Vec<(usize, State)> {
        let mut all: Vec<_> = (0..self.code.len())
            .filter(|task| self.can(state, *task))
            .map(|task| (task, self.stepped(state, task)))
            .collect();
        if all.is_empty() && state.has_timer() {
            all.push((self.clock(), state.later()));
        }
        if let Some(kills) = state.kills {
            all.push((usize::MAX, State { kills: None, ..state.clone() }));
            let alive = (0..self.code.len()).filter(|task| !state.tasks[*task].ended);
            all.extend(alive.filter(|_| kills > 0).map(|task| {
                let mut next = State { kills: Some(kills - 1), ..state.clone() };
                next.tasks[task].end();
                (usize::MAX, next)
            }));
        }
        all
    }

    fn can(&self, state: &State, task: usize) -> bool {
        let Task { at, locked, asleep, ended, .. } = &state.tasks[task];
        let lock_is_free = || match self.code[task][usize::from(*at)].call {
            Op::Lock(descriptor) => state.is_free(task, descriptor),
            other => unreachable!("{other:?} waits for no lock"),
        };
        !ended && asleep.is_none_or(|left| left == 0) && (!locked || lock_is_free())
    }

    fn stepped(&self, state: &State, task: usize) -> State {
        let mut state = state.clone();
        let code = &self.code[task];
        let opens = opens(code).len() as u8;
        let own = &mut state.tasks[task];
        if own.opened < opens {
            own.opened += 1;
            own.waits |= own.opened == opens && code[0].wants;
            return state;
        }
        let Some(instruction) = code.get(usize::from(own.at)).copied() else {
            own.end();
            return state;
        };
        let done = match instruction.call {
            Op::Lock(descriptor) | Op::Try(descriptor) => {
                let is_free = state.is_free(task, descriptor);
                let waits = matches!(instruction.call, Op::Lock(_));
                let own = &mut state.tasks[task];
                own.locked = waits && !is_free;
                if own.locked {
                    return state;
                }
                if is_free && !own.holds.contains(&descriptor) {
                    own.holds.push(descriptor);
                    own.holds.sort_unstable();
                }
                is_free
            }
            Op::Unlock(descriptor) => {
                own.holds.retain(|held| *held != descriptor);
                true
            }
            Op::Make(file) => {
                state.files[usize::from(file)] = true;
                true
            }
            Op::Drop(file) => {
                state.files[usize::from(file)] = false;
                true
            }
            Op::Look(file, hoped) => state.files[usize::from(file)] == hoped,
            Op::Sleep(time) if own.asleep.is_none() => {
                own.asleep = Some(time);
                return state;
            }
            Op::Sleep(_) => {
                own.asleep = None;
                true
            }
        };
        let own = &mut state.tasks[task];
        own.waits &= !(done && instruction.gets);
        own.at = if done { instruction.next } else { instruction.fail };
        own.waits |= code.get(usize::from(own.at)).is_some_and(|next| next.wants);
        state
    }

    /// Whether somebody may wait for ever though all else is fair: by taking away, again
    /// and again, those states from which it cannot be so (Emerson and Lei, 1986). Without
    /// fairness, whether somebody may wait for ever at all.
    pub fn is_stuck(&self, fairly: bool) -> bool {
        let quiet = |state: &&State| state.kills.is_none();
        let is_dead_end = |(state, ways): (&State, &Vec<Way>)| {
            ways.is_empty() && state.tasks.iter().any(|task| !task.ended)
        };
        self.states.iter().zip(&self.ways).any(is_dead_end)
            || (0..self.code.len()).any(|waiter| {
                let waits = |state: &State| quiet(&state) && state.tasks[waiter].waits;
                self.is_stuck_among(self.states.iter().map(waits).collect(), fairly)
            })
    }

    fn is_stuck_among(&self, mut left: Vec<bool>, fairly: bool) -> bool {
        loop {
            let before = left.clone();
            let all = if fairly { 0..self.clock() + 1 } else { 0..0 };
            left = self.come_to(&left, |state| self.ways[state].iter().any(|(_, to)| left[*to]));
            for who in all {
                left = self.come_to(&left, |state| {
                    let mut ways = self.ways[state].iter().filter(|(_, to)| left[*to]);
                    let goes = ways.clone().any(|(by, _)| *by == who);
                    goes || (!self.always_could(state, who) && ways.next().is_some())
                });
            }
            let has_way = |state: usize| self.ways[state].iter().any(|(_, to)| left[*to]);
            left = (0..left.len()).map(|state| left[state] && has_way(state)).collect();
            if left == before {
                return left.contains(&true);
            }
        }
    }

    fn always_could(&self, state: usize, who: usize) -> bool {
        let state = &self.states[state];
        if who == self.clock() { state.has_timer() } else { self.can(state, who) }
    }

    /// Those of `among` from which one can come to such a state without leaving them.
    fn come_to(&self, among: &[bool], goal: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut reached: Vec<bool> =
            (0..among.len()).map(|state| among[state] && goal(state)).collect();
        loop {
            let reaches = |state: usize| self.ways[state].iter().any(|(_, to)| reached[*to]);
            let more: Vec<usize> = (0..among.len())
                .filter(|state| among[*state] && !reached[*state] && reaches(*state))
                .collect();
            if more.is_empty() {
                return reached;
            }
            more.into_iter().for_each(|state| reached[state] = true);
        }
    }
}

impl Task {
    fn end(&mut self) {
        *self = Self { ended: true, ..Self::default() };
    }
}

impl State {
    fn is_free(&self, task: usize, descriptor: Descriptor) -> bool {
        self.tasks.iter().enumerate().all(|(other, it)| {
            it.holds
                .iter()
                .all(|held| held.0 != descriptor.0 || (other == task && *held == descriptor))
        })
    }

    fn has_timer(&self) -> bool {
        self.tasks.iter().any(|task| task.asleep.is_some_and(|left| left > 0))
    }

    fn later(&self) -> Self {
        let mut next = self.clone();
        let left = next.tasks.iter_mut().filter_map(|task| task.asleep.as_mut());
        let mut left: Vec<&mut u8> = left.filter(|left| **left > 0).collect();
        let least = left.iter().map(|left| **left).min().expect("somebody sleeps");
        left.iter_mut().for_each(|left| **left -= least);
        next
    }
}

/// The descriptors that a program opens when it begins.
pub fn opens(code: &Code) -> Vec<Descriptor> {
    let mut all: Vec<Descriptor> = code
        .iter()
        .filter_map(|it| match it.call {
            Op::Lock(descriptor) | Op::Try(descriptor) | Op::Unlock(descriptor) => Some(descriptor),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
