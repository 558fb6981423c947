//! Who waits.

use std::ops;

use locklab_sys::Errno;

use super::table::Piece;
use super::{Blocker, Lock, Owner, RecordLocks, TaskId, Wait, WaitState};

/// How many waits Linux follows to find a deadlock (`MAX_DEADLK_ITERATIONS`,
/// and one more).
const FOLLOWED_MAX: usize = 11;

impl RecordLocks {
    /// A task waits for a lock, which the one at `at` is in the way of.
    pub(super) fn wait(&mut self, task: TaskId, asked: Lock, at: usize) -> Result<(), Errno> {
        if self.is_deadlock(asked.owner, at) {
            return Err(Errno::EDEADLK);
        }
        self.queue(task, asked, at);
        Ok(())
    }

    /// Behind those who wait for the same already, and conflict: when the lock
    /// goes, they are woken first.
    fn queue(&mut self, task: TaskId, asked: Lock, at: usize) {
        let mut blocker = Blocker::Lock(at);
        let is_before = |wait: &&Wait, blocker| {
            wait.state == WaitState::On(blocker) && wait.asked.conflicts(&asked)
        };
        while let Some(before) = self.waits.iter().find(|wait| is_before(wait, blocker)) {
            blocker = Blocker::Wait(before.task);
        }
        self.waits.push(Wait { task, asked, state: WaitState::On(blocker) });
    }

    /// Whether a call that waits could return, were its process not stopped.
    /// Who is next is not ours to say: one that Linux would wake later may be.
    pub(in crate::kernel) fn is_over(&self, task: TaskId) -> bool {
        let wait = &self.waits[self.position(task)];
        match wait.state {
            WaitState::Over | WaitState::Deadlocked => true,
            WaitState::On(_) | WaitState::Stopped => self.in_the_way(&wait.asked).is_none(),
        }
    }

    /// Lets a call that is over return; what it has taken.
    pub(super) fn finish(&mut self, task: TaskId) -> Result<Lock, Errno> {
        let wait = self.waits.remove(self.position(task));
        if wait.state == WaitState::Deadlocked {
            return Err(Errno::EDEADLK);
        }
        assert!(self.in_the_way(&wait.asked).is_none(), "a lock is taken when it may be");
        let at = self.enter(&wait.asked);
        self.move_followers(
            task,
            at.map_or(WaitState::Over, |at| WaitState::On(Blocker::Lock(at))),
        );
        self.settle();
        Ok(wait.asked)
    }

    /// A task waits no more, and gets nothing.
    pub(in crate::kernel) fn give_up(&mut self, task: TaskId) {
        self.waits.remove(self.position(task));
        self.move_followers(task, WaitState::Over);
        self.settle();
    }

    /// A stop takes a task out of the queue, so that nobody sees it wait.
    pub(in crate::kernel) fn stop(&mut self, task: TaskId) {
        let at = self.position(task);
        let state = &mut self.waits[at].state;
        if *state != WaitState::Deadlocked {
            *state = WaitState::Stopped;
            self.move_followers(task, WaitState::Over);
            self.settle();
        }
    }

    /// The locks of one owner, at `group`, are about to become `pieces`: who
    /// waits for one that goes, or shrinks, is woken.
    pub(super) fn rehang(&mut self, group: &ops::Range<usize>, pieces: &[Piece]) {
        for wait in &mut self.waits {
            let WaitState::On(Blocker::Lock(at)) = wait.state else { continue };
            let after = if at < group.start {
                Some(at)
            } else if at >= group.end {
                Some(at - group.len() + pieces.len())
            } else {
                let before = Some(at - group.start);
                let after = pieces.iter().position(|(_, was)| *was == before);
                after.map(|after| group.start + after)
            };
            wait.state = after.map_or(WaitState::Over, |at| WaitState::On(Blocker::Lock(at)));
        }
    }

    /// Those who wait for a task's wait do so no more.
    fn move_followers(&mut self, task: TaskId, state: WaitState) {
        for wait in &mut self.waits {
            if wait.state == WaitState::On(Blocker::Wait(task)) {
                wait.state = state;
            }
        }
    }

    /// Whoever was woken looks again, in order: what it asked for may still, or
    /// again, be in the way.
    pub(super) fn settle(&mut self) {
        while let Some((index, at)) = self.woken_in_vain() {
            let Wait { task, asked, .. } = self.waits[index];
            self.move_followers(task, WaitState::Over);
            if self.is_deadlock(asked.owner, at) {
                self.waits[index].state = WaitState::Deadlocked;
            } else {
                self.waits.remove(index);
                self.queue(task, asked, at);
            }
        }
    }

    /// The first who was woken, and what is in its way.
    fn woken_in_vain(&self) -> Option<(usize, usize)> {
        let woken = self.waits.iter().enumerate().filter(|(_, it)| it.state == WaitState::Over);
        woken.into_iter().find_map(|(index, it)| Some((index, self.in_the_way(&it.asked)?)))
    }

    /// Whether who holds the lock at `at` waits, perhaps by way of others, for
    /// `asking`. As in Linux, only the first lock in the way is looked at, no
    /// more than some waits are followed, and who asks for a description is
    /// never told.
    fn is_deadlock(&self, asking: Owner, at: usize) -> bool {
        let Owner::Process(_) = asking else { return false };
        let mut waited_for = self.get(at).owner;
        for _ in 0..FOLLOWED_MAX {
            match self.waits_for(waited_for) {
                Some(next) if next == asking => return true,
                Some(next) => waited_for = next,
                None => return false,
            }
        }
        false
    }

    /// For whose lock an owner waits. Linux sees only those who wait for what
    /// is of a process.
    fn waits_for(&self, owner: Owner) -> Option<Owner> {
        self.waits.iter().rev().find_map(|wait| match wait.state {
            WaitState::On(blocker) if wait.asked.owner == owner => {
                let is_seen = matches!(self.owner_of(blocker), Owner::Process(_));
                is_seen.then(|| self.owner_at_root(blocker))
            }
            _ => None,
        })
    }

    fn owner_of(&self, blocker: Blocker) -> Owner {
        match blocker {
            Blocker::Lock(at) => self.get(at).owner,
            Blocker::Wait(task) => self.waits[self.position(task)].asked.owner,
        }
    }

    /// Whose the lock is that all in the queue wait for, or who has been woken
    /// and is about to take it.
    fn owner_at_root(&self, mut blocker: Blocker) -> Owner {
        while let Blocker::Wait(task) = blocker
            && let WaitState::On(next) = self.waits[self.position(task)].state
        {
            blocker = next;
        }
        self.owner_of(blocker)
    }

    fn position(&self, task: TaskId) -> usize {
        let position = self.waits.iter().position(|wait| wait.task == task);
        position.expect("a call that waits for a record lock is on the list")
    }
}
