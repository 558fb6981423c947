use serde::Serialize;

use super::effects::counted_moves;
use super::text::{listed, seconds};
use crate::cell::{Border, Least};

/// What the run takes, and whether it could be less.
pub(super) fn said(least: &Least) -> String {
    let Least { faults, preemptions, proved, .. } = least;
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

/// How far time must pass.
pub(super) fn border(border: Border) -> String {
    let Border { enough, too_little } = border;
    format!("time must pass to {}; to {} is not enough", seconds(enough), seconds(too_little))
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
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<TimeJson>,
}

/// Up to when time must pass, and up to when that is too little.
#[derive(Serialize)]
struct TimeJson {
    enough_ns: u64,
    too_little_ns: u64,
}

#[derive(Serialize)]
struct FaultJson<'a> {
    kind: &'a str,
    times: u32,
}

impl<'a> LeastJson<'a> {
    pub(super) fn of(least: &'a Least) -> Self {
        let Least { faults, preemptions, proved, shorter, border } = least;
        let faults = faults.iter().map(|(kind, times)| FaultJson { kind, times: *times });
        let (preemptions, proved, shorter) = (*preemptions, *proved, *shorter);
        let time = border.map(|Border { enough, too_little }| TimeJson {
            enough_ns: enough.as_nanos() as u64,
            too_little_ns: too_little.as_nanos() as u64,
        });
        Self { faults: faults.collect(), preemptions, proved, shorter, time }
    }
}
