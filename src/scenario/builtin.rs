use std::path::Path;
use std::sync::OnceLock;

use super::Scenario;
use super::read::read;
use crate::diagnostic::{Diagnostic, Problems, read_text};

macro_rules! files {
    ($($name:literal,)*) => {
        [$(($name, include_str!(concat!("../../scenarios/", $name, ".toml")))),*]
    };
}

/// Name and text, in the order in which they are shown.
const FILES: [(&str, &str); 60] = files![
    "stopped-holder",
    "long-holder",
    "successor-deleted",
    "inode-reused",
    "release-window",
    "dead-holder",
    "dead-publisher",
    "late-takeover",
    "compare-window",
    "stopped-taker",
    "interrupted-call",
    "unsigned-debris",
    "late-signature",
    "pid-reused",
    "thread-id",
    "zombie-holder",
    "own-pid",
    "same-tick",
    "reboot-same-pid",
    "container-restart",
    "two-containers",
    "foreign-uid",
    "power-loss",
    "full-disk",
    "directory-not-empty",
    "temp-cleaner",
    "split-inode",
    "record-lock-closed",
    "inherited-descriptor",
    "child-lets-go",
    "forked-child",
    "two-tasks",
    "lid-closed",
    "snapshot-resumed",
    "clock-back",
    "rolling-upgrade",
    "half-upgraded",
    "widened-guard",
    "reentrant-release",
    "spacing-late-look",
    "spacing-late-note",
    "spacing-stale-read",
    "spacing-widened",
    "slow-guard",
    "slow-daemon",
    "suspended-dispatcher",
    "busy-box",
    "clock-set",
    "last-slot",
    "unlisted-worker",
    "early-answer",
    "two-keepers",
    "guard-left-behind",
    "guard-without-guard",
    "two-contenders",
    "nested-contenders",
    "three-contenders",
    "four-contenders",
    "reused-at-once",
    "reused-later",
];

/// The scenarios that locklab comes with.
pub fn builtin() -> &'static [Scenario] {
    static SCENARIOS: OnceLock<Vec<Scenario>> = OnceLock::new();
    SCENARIOS.get_or_init(|| {
        FILES
            .iter()
            .map(|(name, text)| {
                read_named(&format!("scenarios/{name}.toml"), name, text)
                    .unwrap_or_else(|problems| panic!("{problems}"))
            })
            .collect()
    })
}

/// Reads the text of a scenario file called `origin`.
pub fn parse(origin: &str, text: &str) -> Result<Scenario, Problems> {
    read(origin, text)
}

/// Reads a scenario file, whose scenario is called as the file is.
pub fn load(path: &Path) -> Result<Scenario, Problems> {
    let text = read_text(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    read_named(&path.display().to_string(), &stem, &text)
}

fn read_named(origin: &str, stem: &str, text: &str) -> Result<Scenario, Problems> {
    let scenario = read(origin, text)?;
    if scenario.name == stem {
        return Ok(scenario);
    }
    let message = format!("the scenario is called `{}`, its file `{stem}`", scenario.name);
    let diagnostic = Diagnostic::new(message, scenario.name_span).help("call both the same");
    Err(Problems { origin: scenario.origin, source: scenario.text, diagnostics: vec![diagnostic] })
}
