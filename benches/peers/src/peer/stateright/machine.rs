//! The protocol as a state machine.

use crate::protocol::{Case, KEEPERS_MAX, Kind, Op, Step};

const DEAD: u8 = u8::MAX;

/// The step that a keeper makes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    Lock,
    Create,
    Read,
    ReadAgain,
    Unlink,
    CreateAgain,
    GiveUp,
    Unlock,
    Enter,
    Leave,
    LockAgain,
    ReadOwn,
    UnlinkOwn,
    UnlockAgain,
    Exit,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keeper {
    pub next: Next,
    /// Nought for one that has got in, or has none left.
    pub round: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub claim: u8,
    pub guard: u8,
    /// How many have been inside.
    pub entered: u8,
    pub keepers: [Keeper; KEEPERS_MAX],
}

#[derive(Clone)]
pub struct Takeover(pub Case);

impl Takeover {
    pub fn begin(&self) -> State {
        let next = if self.0.kind == Kind::Guarded { Next::Lock } else { Next::Create };
        let mut keepers = [Keeper { next: Next::Nothing, round: 0 }; KEEPERS_MAX];
        keepers[..self.0.keepers as usize].fill(Keeper { next, round: 1 });
        State { claim: DEAD, guard: 0, entered: 0, keepers }
    }

    fn is_guarded(&self) -> bool {
        self.0.kind == Kind::Guarded
    }

    /// What comes of an attempt that did not get the keeper in.
    fn failed(&self, keeper: &mut Keeper) {
        if self.is_guarded() && keeper.next != Next::GiveUp {
            keeper.next = Next::GiveUp;
        } else if u32::from(keeper.round) < self.0.rounds {
            keeper.round += 1;
            keeper.next = if self.is_guarded() { Next::Lock } else { Next::Create };
        } else {
            *keeper = Keeper { next: Next::Exit, round: 0 };
        }
    }

    fn create(&self, state: &mut State, index: usize) -> bool {
        let is_mine = state.claim == 0;
        if is_mine {
            let next = if self.is_guarded() { Next::Unlock } else { Next::Enter };
            state.claim = index as u8 + 1;
            state.keepers[index] = Keeper { next, round: 0 };
        }
        is_mine
    }

    pub fn step(&self, state: &mut State, index: usize) {
        let me = index as u8 + 1;
        let mut keeper = state.keepers[index];
        let kind = self.0.kind;
        match keeper.next {
            Next::Lock | Next::LockAgain => {
                state.guard = me;
                let is_first = keeper.next == Next::Lock;
                keeper.next = if is_first { Next::Create } else { Next::ReadOwn };
            }
            Next::Create if self.create(state, index) => return,
            Next::Create => keeper.next = Next::Read,
            Next::Read | Next::ReadAgain if state.claim != DEAD => self.failed(&mut keeper),
            Next::Read if kind != Kind::ByName => keeper.next = Next::ReadAgain,
            Next::Read | Next::ReadAgain => keeper.next = Next::Unlink,
            Next::Unlink => {
                state.claim = 0;
                keeper.next = Next::CreateAgain;
            }
            Next::CreateAgain if self.create(state, index) => return,
            Next::CreateAgain => self.failed(&mut keeper),
            Next::GiveUp => {
                state.guard = 0;
                self.failed(&mut keeper);
            }
            Next::Unlock => {
                state.guard = 0;
                keeper.next = Next::Enter;
            }
            Next::Enter => {
                state.entered += 1;
                keeper.next = Next::Leave;
            }
            Next::Leave => {
                keeper.next = match kind {
                    Kind::ByName => Next::UnlinkOwn,
                    Kind::Compare => Next::ReadOwn,
                    Kind::Guarded => Next::LockAgain,
                }
            }
            Next::ReadOwn if state.claim == me => keeper.next = Next::UnlinkOwn,
            Next::ReadOwn => keeper.next = self.released(),
            Next::UnlinkOwn => {
                state.claim = 0;
                keeper.next = self.released();
            }
            Next::UnlockAgain => {
                state.guard = 0;
                keeper.next = Next::Exit;
            }
            Next::Exit | Next::Nothing => keeper.next = Next::Nothing,
        }
        state.keepers[index] = keeper;
    }

    fn released(&self) -> Next {
        if self.is_guarded() { Next::UnlockAgain } else { Next::Exit }
    }

    /// Whether a keeper can make its next step.
    pub fn is_ready(&self, state: &State, index: usize) -> bool {
        match state.keepers[index].next {
            Next::Nothing => false,
            Next::Lock | Next::LockAgain => state.guard == 0,
            _ => true,
        }
    }

    /// Whether these are the steps of a run, from its beginning to its end.
    pub fn accepts(&self, steps: &[Step]) -> bool {
        let mut state = self.begin();
        let are_steps = steps.iter().all(|step| {
            let fits = self.is_ready(&state, step.keeper)
                && op(state.keepers[step.keeper].next) == Some(step.op);
            self.step(&mut state, step.keeper);
            fits
        });
        are_steps && state.keepers.iter().all(|keeper| keeper.next == Next::Nothing)
    }
}

fn op(next: Next) -> Option<Op> {
    Some(match next {
        Next::Lock | Next::LockAgain => Op::Lock,
        Next::Create | Next::CreateAgain => Op::Create,
        Next::Read | Next::ReadAgain | Next::ReadOwn => Op::Read,
        Next::Unlink | Next::UnlinkOwn => Op::Unlink,
        Next::GiveUp | Next::Unlock | Next::UnlockAgain => Op::Unlock,
        Next::Enter => Op::Enter,
        Next::Leave => Op::Leave,
        Next::Exit => Op::Exit,
        Next::Nothing => return None,
    })
}
