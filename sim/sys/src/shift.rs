use std::time::Duration;

use crate::{Call, Clock, Reply, Ret, Stat};

/// What the clocks of a task's machine would have shown, had the world begun at
/// another time.
#[derive(Clone, Copy)]
pub struct Shift<'a> {
    /// For a reading of the realtime clock, or a file time.
    pub realtime: &'a dyn Fn(Duration) -> Duration,
    /// For a reading of a clock that counts from the boot.
    pub uptime: &'a dyn Fn(Duration) -> Duration,
    /// For a start time in ticks.
    pub ticks: &'a dyn Fn(u64) -> u64,
}

impl Shift<'_> {
    /// Whether there is a time in a call or its reply.
    pub(crate) fn concerns(call: &Call, reply: &Reply) -> bool {
        matches!(call, Call::ClockGettime { .. } | Call::Utimensat { .. } | Call::Futimens { .. })
            || matches!(reply, Ok(Ret::Stat(_) | Ret::ProcStat(_)))
    }

    /// The call that would have been made.
    pub(crate) fn call(&self, call: &Call) -> Call {
        let mut call = call.clone();
        if let Call::Utimensat { mtime, .. } | Call::Futimens { mtime, .. } = &mut call {
            *mtime = mtime.map(self.realtime);
        }
        call
    }

    /// The reply that would have been given.
    pub(crate) fn reply(&self, call: &Call, reply: &Reply) -> Reply {
        let mut reply = reply.clone();
        match (call, &mut reply) {
            (Call::ClockGettime { clock }, Ok(Ret::Time(time))) => {
                *time = match clock {
                    Clock::Realtime => (self.realtime)(*time),
                    Clock::Monotonic | Clock::Boottime => (self.uptime)(*time),
                };
            }
            (_, Ok(Ret::Stat(stat))) if has_times(stat) => {
                stat.mtime = (self.realtime)(stat.mtime);
                stat.ctime = (self.realtime)(stat.ctime);
            }
            (_, Ok(Ret::ProcStat(stat))) => stat.start_ticks = (self.ticks)(stat.start_ticks),
            _ => {}
        }
        reply
    }
}

/// Whether it is of a file system: sockets and processes have no times.
fn has_times(stat: &Stat) -> bool {
    stat.ctime != Duration::ZERO
}
