use std::num::NonZeroU32;
use std::ops::Range;
use std::time::Duration;

use locklab_models::word::{MARKS, POINTS};
use locklab_models::{Moment, Period, ProgramInfo};
use locklab_sim::kernel::{IoCall, MachineConfig, Survivor};
use locklab_sim::{Action, Fault, Mishap, Points};
use serde::Deserialize;
use smol_str::SmolStr;
use toml::Spanned;

use super::cast::{Cast, find};
use super::expect::Words;
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
    KillAndRestart(Moment),
    FailIo(Failing),
    SetClock(ClockStep),
    Sleep(Period),
    Pause(Period),
    Reboot,
    PowerLoss(Left),
    FullDisk(Period),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Failing {
    Read,
    Write,
    Fsync,
}

/// What a loss of power leaves.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Left {
    Everything,
    Names,
    Synced,
}

impl From<Do> for Action {
    fn from(what: Do) -> Self {
        match what {
            Do::Stop(time) => Self::Stop(time.get()),
            Do::Starve(time) => Self::Starve(time.get()),
            Do::Kill => Self::Kill,
            Do::KillAndReuse(later) => Self::KillAndReuse(later.get()),
            Do::KillAndRestart(later) => Self::KillAndRestart(later.get()),
            Do::FailIo(Failing::Read) => Self::FailIo(IoCall::Read),
            Do::FailIo(Failing::Write) => Self::FailIo(IoCall::Write),
            Do::FailIo(Failing::Fsync) => Self::FailIo(IoCall::Fsync),
            Do::SetClock(ClockStep::Forward(step)) => Self::Machine(Mishap::ClockForward(step)),
            Do::SetClock(ClockStep::Back(step)) => Self::Machine(Mishap::ClockBack(step)),
            Do::Sleep(time) => Self::Machine(Mishap::Sleep(time.get())),
            Do::Pause(time) => Self::Machine(Mishap::Pause(time.get())),
            Do::Reboot => Self::Machine(Mishap::Reboot),
            Do::PowerLoss(left) => Self::Machine(Mishap::PowerLoss(match left {
                Left::Everything => Survivor::Everything,
                Left::Names => Survivor::Names,
                Left::Synced => Survivor::Synced,
            })),
            Do::FullDisk(time) => Self::Machine(Mishap::FullDisk(time.get())),
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
    let at = table.require("at", findings).and_then(|at| points(at, program, findings));
    let nth = nth(&mut table, findings);
    let after = match table.take::<Moment>("after", findings) {
        Some(after) => after.into_inner().get(),
        None => Duration::ZERO,
    };
    let action = table.require::<Do>("do", findings);
    table.finish(findings);
    let span = action.as_ref()?.span();
    let action = action?.into_inner().into();
    if let (Some(process), Action::Machine(Mishap::PowerLoss(_))) = (process, action) {
        let machine = cast.processes[process].as_ref().map_or(0, |process| process.machine);
        check_promise(&cast.machines[machine], span, findings);
    }
    Some(Fault { process: process?, at: at?, nth: nth?, after, action })
}

/// Who may lose its power must say what it promises to keep.
pub(super) fn check_promise(machine: &MachineConfig, span: Range<usize>, findings: &mut Findings) {
    if machine.durability.is_none() {
        let message = format!("nobody says what machine `{}` keeps", machine.name);
        findings.add_absence(Diagnostic::new(message, span).label("if it loses its power").help(
            format!("say `unsynced = \"journal\"` or `\"none\"` in `[machine.{}]`", machine.name),
        ));
    }
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

pub(super) fn process(
    table: &mut Table<'_>,
    names: &[SmolStr],
    findings: &mut Findings,
) -> Option<usize> {
    let name = table.require("process", findings)?;
    find("process", &name, names, findings)
}

pub(super) fn mark(table: &mut Table<'_>, findings: &mut Findings) -> Option<SmolStr> {
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

/// Points that the program comes to, one or several.
fn points(
    words: Spanned<Words>,
    program: Option<&ProgramInfo>,
    findings: &mut Findings,
) -> Option<Points> {
    let span = words.span();
    let mut points: Vec<SmolStr> = Vec::new();
    // A loop, since each that is wrong is to be told.
    let mut all_known = true;
    for word in words.into_inner().0 {
        match point(&word, program, findings) {
            Some(point) if points.contains(&point) => {
                let message = format!("`{point}` is named twice");
                findings.add(Diagnostic::new(message, word.span()));
            }
            Some(point) => points.push(point),
            None => all_known = false,
        }
    }
    if points.is_empty() && all_known {
        findings.add(Diagnostic::new("a fault is aimed at a point", span).help("name one"));
    }
    Points::new(points)
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
