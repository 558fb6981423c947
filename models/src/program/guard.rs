use std::time::Duration;

use locklab_sys::{Image, Pid, Signal, Sys};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use tracing::debug;

use super::input::word;
use super::{Parameter, ProgramInfo};
use crate::Period;
use crate::lock::Foreseen;

/// Judges one payload, in a process of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PayloadGuard {
    /// What it judges. Default: `payload`.
    #[serde(deserialize_with = "word")]
    pub payload: SmolStr,
    /// How long it takes. Default: 1 s.
    pub takes: Period,
    /// Whether it finds nothing wrong. Default: yes.
    pub passes: bool,
}

impl Default for PayloadGuard {
    fn default() -> Self {
        Self { payload: "payload".into(), takes: Period::seconds(1), passes: true }
    }
}

impl PayloadGuard {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "guard",
        summary: "judges one payload; a dispatcher starts one for each",
        slots: &[],
        own_points: &[],
        parameters: &[
            Parameter { name: "payload", default: "\"payload\"", help: "what it judges" },
            Parameter { name: "takes", default: "\"1s\"", help: "how long it takes" },
            Parameter {
                name: "passes",
                default: "true",
                help: "whether it finds nothing wrong; it exits with 0 then, else with 1",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        vec![self.takes.get()]
    }

    /// What the child of `parent` executes that judges for it.
    pub(super) fn image(&self, parent: Pid) -> Image {
        let guard = self.clone();
        let arguments = format!("{guard:?} for {parent}");
        Image::new("guard", arguments, move |sys| run_for(sys, guard.clone(), parent))
    }
}

/// Judges on behalf of `parent`, and no longer than that lives: a guard that
/// hangs must not be left behind.
async fn run_for(sys: Sys, guard: PayloadGuard, parent: Pid) -> u8 {
    sys.parent_death_signal(Signal::Kill).await.surely("follow", "the parent");
    // A parent that died before is not noticed by that.
    if sys.getppid().await != parent {
        return 1;
    }
    run(sys, guard).await
}

pub(super) async fn run(sys: Sys, guard: PayloadGuard) -> u8 {
    sys.sleep(guard.takes.get()).await;
    let verdict = if guard.passes { "passes" } else { "refused" };
    debug!(target: "locklab", "{verdict}");
    u8::from(!guard.passes)
}
