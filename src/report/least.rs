use serde::Serialize;

use super::effects::counted_moves;
use super::text::listed;
use crate::cell::Least;

/// What the run takes, and whether it could be less.
pub(super) fn said(least: &Least) -> String {
    let Least { faults, preemptions, proved, shorter: _ } = least;
    let mut takes: Vec<String> =
        faults.iter().map(|(kind, times)| counted_moves(kind, *times)).collect();
    if takes.is_empty() {
        takes.push("no fault".to_owned());
    }
    takes.push(match preemptions {
        0 => "no preemption".to_owned(),
        1 => "1 preemption".to_owned(),
        _ => format!("{preemptions} preemptions"),
    });
    let enough = match (proved, faults.is_empty() && *preemptions == 0) {
        (_, true) => "",
        (true, false) => "; fewer do not suffice",
        (false, false) => "; whether fewer suffice is not known",
    };
    format!("with {}{enough}", listed(&takes))
}

/// For programs.
#[derive(Serialize)]
pub(super) struct LeastJson<'a> {
    faults: Vec<FaultJson<'a>>,
    preemptions: u32,
    proved: bool,
    /// The steps of a shorter run, with more faults or preemptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    shorter: Option<u64>,
}

#[derive(Serialize)]
struct FaultJson<'a> {
    kind: &'a str,
    times: u32,
}

impl<'a> LeastJson<'a> {
    pub(super) fn of(least: &'a Least) -> Self {
        let Least { faults, preemptions, proved, shorter } = least;
        let faults = faults.iter().map(|(kind, times)| FaultJson { kind, times: *times });
        let (preemptions, proved, shorter) = (*preemptions, *proved, *shorter);
        Self { faults: faults.collect(), preemptions, proved, shorter }
    }
}
