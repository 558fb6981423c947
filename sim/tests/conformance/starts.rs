//! Start ticks are each machine's own, and yet tell who has a pid.

use std::time::Duration;

use locklab_sys::Pid;

/// `start_ticks` counts these.
const TICK: Duration = Duration::from_millis(10);

/// Who was started, in that order.
#[derive(Default)]
pub struct Starts(Vec<Start>);

struct Start {
    pid: Pid,
    at: Duration,
    /// Here and there, once somebody has asked.
    ticks: Option<[u64; 2]>,
}

impl Starts {
    /// A process or a thread is started, at this time here.
    pub fn note(&mut self, pid: Pid, at: Duration) {
        self.0.push(Start { pid, at, ticks: None });
    }

    /// Whether these can be the start ticks, here and there, of whoever has a pid:
    /// they stay the same, and are as far from those of others as the starts at
    /// least were from one another. Init was there before all: its time is not
    /// known, and it alone is not noted.
    pub fn agree(&mut self, pid: Pid, ticks: [u64; 2]) -> bool {
        let Some(index) = self.0.iter().position(|it| it.pid == pid) else {
            return pid == Pid(1);
        };
        let is_same = *self.0[index].ticks.get_or_insert(ticks) == ticks;
        let asked: Vec<&Start> = self.0.iter().filter(|it| it.ticks.is_some()).collect();
        is_same && asked.is_sorted_by(|earlier, later| are_apart(earlier, later))
    }
}

/// A machine waits at least as long as it was told to, so that as much time at
/// least has passed there as here.
fn are_apart(earlier: &Start, later: &Start) -> bool {
    let apart = (later.at - earlier.at).as_nanos() / TICK.as_nanos();
    let ticks = earlier.ticks.into_iter().flatten().zip(later.ticks.into_iter().flatten());
    ticks.into_iter().all(|(earlier, later)| u128::from(earlier) + apart <= u128::from(later))
}
