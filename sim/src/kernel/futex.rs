//! Waiting for a memory cell to change, and waking those who do.

use std::time::Duration;

use locklab_sys::{Errno, Ret, SmolStr};

use super::wait::Blocked;
use super::{Kernel, Outcome, ProcId, TaskId};

impl Kernel {
    pub(super) fn futex_wait(
        &mut self,
        task: TaskId,
        cell: &SmolStr,
        expected: i64,
        timeout: Option<Duration>,
    ) -> Outcome {
        let process = self.process_mut(self.process_of(task));
        if process.cells.read(cell) != expected {
            return Errno::EAGAIN.into();
        }
        if timeout == Some(Duration::ZERO) {
            return Errno::ETIMEDOUT.into();
        }
        // Who has no other thread is woken by nobody.
        if let Some(threads) = &mut process.threads {
            threads.queue.push(task);
        }
        let deadline = timeout.map(|timeout| self.now.saturating_add(timeout));
        self.block(task, Blocked::Cell { cell: cell.clone(), expected, deadline, woken: false })
    }

    /// How many it has woken: Linux wakes one before it counts.
    pub(super) fn futex_wake(&mut self, proc: ProcId, cell: &SmolStr, count: u32) -> u32 {
        let Self { procs, tasks, .. } = self;
        let Some(threads) = &mut procs[proc.0 as usize].threads else { return 0 };
        let mut woken = 0;
        threads.queue.retain(|waiter| match &mut tasks[waiter.0 as usize].blocked {
            Some(Blocked::Cell { cell: at, woken: is_woken, .. })
                if at == cell && woken < count.max(1) =>
            {
                *is_woken = true;
                woken += 1;
                false
            }
            _ => true,
        });
        woken
    }

    pub(super) fn leave_queue(&mut self, task: TaskId) {
        if let Some(threads) = &mut self.process_mut(self.process_of(task)).threads {
            threads.queue.retain(|waiter| *waiter != task);
        }
    }
}

/// What became of a wait: it was woken, or its time is up.
pub(super) fn woken_or_late(woken: bool) -> Result<Ret, Errno> {
    if woken { Ok(Ret::Unit) } else { Err(Errno::ETIMEDOUT) }
}
