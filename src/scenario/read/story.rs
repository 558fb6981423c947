use std::num::NonZeroU32;
use std::time::Duration;

use locklab_models::word::{MARKS, POINTS};
use locklab_models::{Moment, Period, ProgramInfo};
use locklab_sim::{Action, Adversary, Awakening, Fault};
use serde::Deserialize;
use smol_str::SmolStr;
use toml::Spanned;

use super::cast::{Cast, find};
use crate::diagnostic::{Diagnostic, Findings, Table};
use crate::scenario::Reached;
use crate::scenario::duration::ClockStep;

/// What a fault does, as a file says it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Do {
    Stop(Period),
    Starve(Period),
    Kill,
    KillAndReuse(Moment),
    SetClock(ClockStep),
}

impl From<Do> for Action {
    fn from(what: Do) -> Self {
        match what {
            Do::Stop(time) => Self::Stop(time.get()),
            Do::Starve(time) => Self::Starve(time.get()),
            Do::Kill => Self::Kill,
            Do::KillAndReuse(later) => Self::KillAndReuse(later.get()),
            Do::SetClock(ClockStep::Forward(step)) => Self::ClockForward(step),
            Do::SetClock(ClockStep::Back(step)) => Self::ClockBack(step),
        }
    }
}

/// The faults of the story.
pub(super) fn faults(top: &mut Table<'_>, cast: &Cast, findings: &mut Findings) -> Vec<Fault> {
    let tables = top.take_each("fault", findings);
    tables.into_iter().filter_map(|table| fault(table, cast, findings)).collect()
}

fn fault(mut table: Table<'_>, cast: &Cast, findings: &mut Findings) -> Option<Fault> {
    let process = process(&mut table, &cast.names, findings);
    let program = process.and_then(|index| cast.processes[index].as_ref()?.program.info().into());
    let at = table.require("at", findings).and_then(|at| point(&at, program, findings));
    let nth = nth(&mut table, findings);
    let after = match table.take::<Moment>("after", findings) {
        Some(after) => after.into_inner().get(),
        None => Duration::ZERO,
    };
    let action = table.require::<Do>("do", findings);
    table.finish(findings);
    let action = action?.into_inner().into();
    Some(Fault { process: process?, at: at?, nth: nth?, after, action })
}

/// What must happen in the story.
pub(super) fn reached(
    top: &mut Table<'_>,
    names: &[SmolStr],
    findings: &mut Findings,
) -> Vec<Reached> {
    let tables = top.take_each("reached", findings);
    tables.into_iter().filter_map(|table| one_reached(table, names, findings)).collect()
}

fn one_reached(
    mut table: Table<'_>,
    names: &[SmolStr],
    findings: &mut Findings,
) -> Option<Reached> {
    let process = process(&mut table, names, findings);
    let mark = mark(&mut table, findings);
    let nth = nth(&mut table, findings);
    table.finish(findings);
    Some(Reached { process: process?, mark: mark?, nth: nth? })
}

/// What the adversary may spend.
pub(super) fn adversary(
    top: &mut Table<'_>,
    names: &[SmolStr],
    findings: &mut Findings,
) -> Adversary {
    let Some(mut table) = top.take_table("adversary", findings) else {
        return Adversary::default();
    };
    let mut budget = |key| table.take::<u32>(key, findings).map_or(0, |budget| budget.into_inner());
    let (stops, kills) = (budget("stops"), budget("kills"));
    let (passes, reuses) = (budget("passes"), budget("reuses"));
    let after = table.take_table("after", findings).and_then(|mut after| {
        let process = process(&mut after, names, findings);
        let mark = mark(&mut after, findings);
        after.finish(findings);
        Some(Awakening { process: process?, mark: mark? })
    });
    table.finish(findings);
    Adversary { stops, kills, passes, reuses, after }
}

fn process(table: &mut Table<'_>, names: &[SmolStr], findings: &mut Findings) -> Option<usize> {
    let name = table.require("process", findings)?;
    find("process", &name, names, findings)
}

fn mark(table: &mut Table<'_>, findings: &mut Findings) -> Option<SmolStr> {
    let word = table.require("mark", findings)?;
    known("mark", &word, MARKS, findings)
}

/// Which time it is, from 1: the first, unless the file says.
fn nth(table: &mut Table<'_>, findings: &mut Findings) -> Option<u32> {
    if !table.has("nth") {
        return Some(1);
    }
    table.take::<NonZeroU32>("nth", findings).map(|nth| nth.into_inner().get())
}

/// A point that the program comes to; any, if the program is not known.
fn point(
    word: &Spanned<String>,
    program: Option<&ProgramInfo>,
    findings: &mut Findings,
) -> Option<SmolStr> {
    let point = known("point", word, POINTS, findings)?;
    let Some(program) = program else { return Some(point) };
    if program.points().any(|own| own == point) {
        return Some(point);
    }
    let own: Vec<String> = program.points().map(|own| format!("`{own}`")).collect();
    let message = format!("`{}` never comes to `{point}`", program.name);
    let comes_to = if own.is_empty() { "no point at all".to_owned() } else { own.join(", ") };
    findings.add(Diagnostic::new(message, word.span()).help(format!("it comes to {comes_to}")));
    None
}

fn known(
    kind: &str,
    word: &Spanned<String>,
    all: &[(&str, &str)],
    findings: &mut Findings,
) -> Option<SmolStr> {
    let words = all.iter().map(|(word, _)| *word);
    if words.clone().any(|it| it == word.get_ref()) {
        return Some(word.get_ref().into());
    }
    findings.add(Diagnostic::unknown(kind, word.get_ref(), word.span(), words));
    None
}
