//! Hand-written futures: the least that can be said to be programs, a kernel and a loop.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::clock::processor_seconds;
use crate::protocol::{Case, KEEPERS_MAX, Kind, Op, Step, Walk, Walked};

/// Whose the claim is: nobody's, a keeper's from one on, or
const DEAD: u8 = u8::MAX;

/// All there is besides the keepers.
struct Kernel {
    claim: u8,
    guard: u8,
    inside: u8,
    has_fallen: bool,
}

impl Kernel {
    fn call(&mut self, me: u8, op: Op) -> u8 {
        match op {
            Op::Lock => self.guard = me,
            Op::Unlock => self.guard = 0,
            Op::Create => {
                let is_mine = self.claim == 0;
                if is_mine {
                    self.claim = me;
                }
                return u8::from(is_mine);
            }
            Op::Read => return self.claim,
            Op::Unlink => self.claim = 0,
            Op::Enter => {
                self.inside += 1;
                self.has_fallen |= self.inside > 1;
            }
            Op::Leave => self.inside -= 1,
            Op::Exit => {}
        }
        0
    }
}

/// Where a keeper and the loop meet.
#[derive(Default)]
struct Slot {
    call: Cell<Option<Op>>,
    reply: Cell<u8>,
}

struct Sys(Rc<Slot>);

impl Sys {
    async fn call(&self, op: Op) -> u8 {
        let mut is_asked = false;
        poll_fn(|_| {
            if is_asked {
                return Poll::Ready(self.0.reply.get());
            }
            is_asked = true;
            self.0.call.set(Some(op));
            Poll::Pending
        })
        .await
    }
}

async fn keep(sys: Sys, case: Case, me: u8) {
    let is_guarded = case.kind == Kind::Guarded;
    let mut is_in = false;
    for _ in 0..case.rounds {
        if is_guarded {
            sys.call(Op::Lock).await;
        }
        is_in = attempt(&sys, case.kind).await;
        if is_guarded {
            sys.call(Op::Unlock).await;
        }
        if is_in {
            break;
        }
    }
    if is_in {
        sys.call(Op::Enter).await;
        sys.call(Op::Leave).await;
        if is_guarded {
            sys.call(Op::Lock).await;
        }
        if case.kind == Kind::ByName || sys.call(Op::Read).await == me {
            sys.call(Op::Unlink).await;
        }
        if is_guarded {
            sys.call(Op::Unlock).await;
        }
    }
    sys.call(Op::Exit).await;
}

async fn attempt(sys: &Sys, kind: Kind) -> bool {
    if sys.call(Op::Create).await == 1 {
        return true;
    }
    if sys.call(Op::Read).await != DEAD {
        return false;
    }
    if kind != Kind::ByName && sys.call(Op::Read).await != DEAD {
        return false;
    }
    sys.call(Op::Unlink).await;
    sys.call(Op::Create).await == 1
}

struct Task {
    slot: Rc<Slot>,
    future: Pin<Box<dyn Future<Output = ()>>>,
    call: Option<Op>,
}

impl Task {
    fn new(case: Case, me: u8) -> Self {
        let slot = Rc::new(Slot::default());
        let future = Box::pin(keep(Sys(Rc::clone(&slot)), case, me));
        let mut task = Self { slot, future, call: None };
        task.poll();
        task
    }

    fn poll(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        self.call = match self.future.as_mut().poll(&mut context) {
            Poll::Ready(()) => None,
            Poll::Pending => self.slot.call.take(),
        };
    }
}

/// One random run; `note` is told each step. Whether two were inside at once.
fn run(case: Case, random: &mut Pcg64Mcg, mut note: impl FnMut(Step)) -> bool {
    let mut kernel = Kernel { claim: DEAD, guard: 0, inside: 0, has_fallen: false };
    let mut tasks: Vec<Task> = (1..=case.keepers).map(|me| Task::new(case, me as u8)).collect();
    loop {
        let mut ready = [0; KEEPERS_MAX];
        let mut count = 0;
        for (index, task) in tasks.iter().enumerate() {
            if task.call.is_some_and(|op| op != Op::Lock || kernel.guard == 0) {
                ready[count] = index;
                count += 1;
            }
        }
        if count == 0 {
            return kernel.has_fallen;
        }
        let keeper = ready[below(random, count)];
        let task = &mut tasks[keeper];
        let op = task.call.expect("it is ready");
        task.slot.reply.set(kernel.call(keeper as u8 + 1, op));
        task.poll();
        note(Step { keeper, op });
    }
}

/// Of so few, as good as even.
fn below(random: &mut Pcg64Mcg, count: usize) -> usize {
    ((u64::from(random.next_u32()) * count as u64) >> 32) as usize
}

/// Random runs.
pub fn walk(walk: Walk) -> Walked {
    let mut random = Pcg64Mcg::seed_from_u64(walk.seed);
    let mut walked = Walked::default();
    let before = processor_seconds();
    while walked.runs < walk.runs && !(walk.until_fall && walked.falls > 0) {
        let has_fallen = run(walk.case, &mut random, |_| walked.steps += 1);
        walked.falls += u64::from(has_fallen);
        walked.runs += 1;
    }
    walked.seconds = processor_seconds() - before;
    walked.choices = walked.steps;
    walked
}

/// What the keepers do in a random run.
pub fn trace(case: Case, seed: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    run(case, &mut Pcg64Mcg::seed_from_u64(seed), |step| steps.push(step));
    steps
}
