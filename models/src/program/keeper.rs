use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::Sys;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::input::absolute_path;
use super::{LOCK, Parameter, ProgramInfo, Setting};
use crate::word::mark;
use crate::{Handle, Owner, Period};

/// A singleton that schedules on a tick.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Keeper {
    /// The path of the lock. Default: `/run/keeper.lock`.
    #[serde(deserialize_with = "absolute_path")]
    pub path: SmolStr,
    /// The pause after each scheduling. Default: 10 s.
    pub tick: Period,
    /// How often it schedules. Default: 6.
    pub ticks: u32,
    /// The pause between two attempts to take the lock. Default: 1 s.
    pub every: Period,
}

impl Default for Keeper {
    fn default() -> Self {
        Self {
            path: "/run/keeper.lock".into(),
            tick: Period::seconds(10),
            ticks: 6,
            every: Period::seconds(1),
        }
    }
}

impl Keeper {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "keeper",
        summary: "a singleton that schedules on a tick",
        slots: &[LOCK],
        own_points: &[],
        parameters: &[
            Parameter {
                name: "path",
                default: "\"/run/keeper.lock\"",
                help: "the path of the lock",
            },
            Parameter { name: "tick", default: "\"10s\"", help: "the pause after each scheduling" },
            Parameter { name: "ticks", default: "6", help: "how often it schedules" },
            Parameter {
                name: "every",
                default: "\"1s\"",
                help: "the pause between two attempts to take the lock",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        [self.tick, self.every].map(Period::get).to_vec()
    }
}

struct Job {
    lock: Handle,
    keeper: Keeper,
}

pub(super) async fn run(sys: Sys, keeper: Keeper, setting: Setting) -> u8 {
    let owner = Owner::learn(&sys, setting.policy(LOCK)).await;
    let lock = Handle::new(setting.policy(LOCK), &keeper.path, &owner);
    let polling = setting.polling(keeper.every);
    let job = Job { lock, keeper };
    let Some(claim) = job.lock.acquire(&sys, polling).await else { return 1 };
    sys.retry(&job, 0, schedule).await;
    job.lock.release(&sys, claim).await;
    0
}

async fn schedule(sys: &Sys, job: &Job, done: u32) -> ControlFlow<(), u32> {
    if done == job.keeper.ticks {
        return ControlFlow::Break(());
    }
    sys.mark(mark::SCHEDULED, job.lock.path(), i64::from(done) + 1);
    job.lock.work(sys, job.keeper.tick.get()).await;
    ControlFlow::Continue(done + 1)
}
