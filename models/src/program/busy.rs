use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::Sys;
use serde::{Deserialize, Serialize};

use super::{Parameter, ProgramInfo};
use crate::Period;
use crate::lock::Foreseen;

/// Computes in bursts, and has nothing to do with any lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Busy {
    /// How many bursts. Default: 10.
    pub bursts: u32,
    /// How many steps a burst has, two calls each. Default: 2.
    pub steps: u32,
    /// The pause after each burst. Default: 5 s.
    pub pause: Period,
}

impl Default for Busy {
    fn default() -> Self {
        Self { bursts: 10, steps: 2, pause: Period::seconds(5) }
    }
}

impl Busy {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "busy",
        summary: "computes in bursts, and has nothing to do with any lock",
        slots: &[],
        own_points: &[],
        parameters: &[
            Parameter { name: "bursts", default: "10", help: "how many bursts" },
            Parameter { name: "steps", default: "2", help: "how many steps a burst has" },
            Parameter { name: "pause", default: "\"5s\"", help: "the pause after each burst" },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        vec![self.pause.get()]
    }
}

pub(super) async fn run(sys: Sys, busy: Busy) -> u8 {
    sys.retry(&busy, 0, burst).await;
    0
}

async fn burst(sys: &Sys, busy: &Busy, done: u32) -> ControlFlow<(), u32> {
    if done == busy.bursts {
        return ControlFlow::Break(());
    }
    sys.retry(busy, 0, compute).await;
    sys.sleep(busy.pause.get()).await;
    ControlFlow::Continue(done + 1)
}

async fn compute(sys: &Sys, busy: &Busy, done: u32) -> ControlFlow<(), u32> {
    if done == busy.steps {
        return ControlFlow::Break(());
    }
    let sum = sys.cell_read("sum").await.surely("read", "a cell");
    sys.cell_write("sum", sum + i64::from(done) + 1).await.surely("write", "a cell");
    ControlFlow::Continue(done + 1)
}
