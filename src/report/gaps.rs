use serde::Serialize;

use super::style::Tone;
use super::text::{listed, paragraph};
use super::{Files, quoted};
use crate::count::thousands;
use crate::gaps::{Fall, Gap, Gaps, Place};
use crate::scenario::PropertyName;

/// At how many places one stop suffices, and a line for one of them.
pub(super) fn text(out: &mut String, gaps: &Gaps, files: &Files) {
    let tone = if gaps.open.is_empty() { Tone::Plain } else { Tone::Strong };
    paragraph(out, &format!("Gaps: {}", said(gaps)), "  ", tone);
    let of_gaps = gaps.open.iter().map(|gap| &gap.fall);
    if let Some(fall) = gaps.unstopped.iter().chain(of_gaps).min_by_key(|it| steps(it)) {
        paragraph(out, &format!("  {}:", fall.message), "  ", Tone::Dim);
        let line = quoted(&fall.counterexample.schedule.to_string());
        out.push_str(&format!("  locklab replay {line}{}\n", files.arguments()));
    }
}

fn steps(fall: &Fall) -> u64 {
    fall.counterexample.steps
}

fn said(gaps: &Gaps) -> String {
    if gaps.unstopped.is_some() {
        return "no stop is needed for something to fall".to_owned();
    }
    if let Some(reason) = &gaps.reason {
        return format!("not counted: {reason}");
    }
    let (places, unclear) = (thousands(gaps.places), thousands(gaps.unclear));
    let names: Vec<String> = gaps.open.iter().map(|it| it.place.to_string()).collect();
    match (names.len(), gaps.unclear) {
        (0, 0) => format!("none: at none of {places} places does one stop suffice"),
        (0, _) => format!("none seen: of {unclear} of {places} places it is not known"),
        (open, 0) => format!("at {open} of {places} places one stop suffices: {}", listed(&names)),
        (open, _) => format!(
            "at {open} of {places} places at least one stop suffices: {}; of {unclear} it is not known",
            listed(&names)
        ),
    }
}

/// For programs.
#[derive(Serialize)]
pub(super) struct GapsJson<'a> {
    places: u64,
    open: Vec<GapJson<'a>>,
    /// Of so many more places it is not known.
    unclear: u64,
    /// What falls without any stop.
    unstopped: Option<FallJson<'a>>,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct GapJson<'a> {
    #[serde(flatten)]
    place: &'a Place,
    #[serde(flatten)]
    fall: FallJson<'a>,
}

#[derive(Serialize)]
struct FallJson<'a> {
    property: PropertyName,
    message: &'a str,
    schedule: String,
    steps: u64,
}

impl<'a> GapsJson<'a> {
    pub(super) fn of(gaps: &'a Gaps) -> Self {
        let Gaps { places, open, unclear, unstopped, reason } = gaps;
        let gap = |Gap { place, fall }: &'a Gap| GapJson { place, fall: FallJson::of(fall) };
        Self {
            places: *places,
            open: open.iter().map(gap).collect(),
            unclear: *unclear,
            unstopped: unstopped.as_ref().map(FallJson::of),
            reason: reason.as_deref(),
        }
    }
}

impl<'a> FallJson<'a> {
    fn of(fall: &'a Fall) -> Self {
        let Fall { message, counterexample: it } = fall;
        let (property, schedule) = (it.property, it.schedule.to_string());
        Self { property, message, schedule, steps: it.steps }
    }
}
