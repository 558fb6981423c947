use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use locklab_models::{Moment, Program, ProgramInfo};
use locklab_sim::kernel::MachineConfig;
use locklab_sys::Uid;
use smol_str::SmolStr;
use toml::Spanned;

use super::{PROCESS, check_name, machines};
use crate::diagnostic::{Diagnostic, Findings, Table};
use crate::policy_file;
use crate::scenario::{ProcessSpec, Slot};

/// Stands in a slot for the policy of the cell.
const VARIED: &str = "$policy";

/// Who takes part.
pub(super) struct Cast {
    pub machines: Vec<MachineConfig>,
    /// `None` for one that is wrong.
    pub processes: Vec<Option<ProcessSpec>>,
    /// The names of all processes, wrong ones too.
    pub names: Vec<SmolStr>,
}

/// More than this and even one run takes long.
const PROCESSES_MAX: usize = 32;

/// A process, before the changes of the story are known.
struct Draft<'i> {
    name: SmolStr,
    span: Range<usize>,
    machine: Option<usize>,
    uid: Option<Uid>,
    container: Option<SmolStr>,
    start: Option<Duration>,
    every_boot: bool,
    slots: Option<Vec<Slot>>,
    program: Option<&'static ProgramInfo>,
    parameters: Table<'i>,
    changes: Option<Table<'i>>,
}

impl Cast {
    pub fn read(top: &mut Table<'_>, findings: &mut Findings) -> Self {
        let machines = machines::read(top, findings);
        top.need("process");
        let drafts: Vec<Draft<'_>> = top
            .take_named("process", findings)
            .into_iter()
            .map(|(name, table)| Draft::read(&name, table, &machines, findings))
            .collect();
        if drafts.len() > PROCESSES_MAX {
            let span = drafts[PROCESSES_MAX].span.clone();
            findings.add(
                Diagnostic::new(format!("more than {PROCESSES_MAX} processes"), span)
                    .help("a lock that fails, fails among a few"),
            );
        }
        let names: Vec<SmolStr> = drafts.iter().map(|draft| draft.name.clone()).collect();
        let drafts = with_changes(drafts, &names, top, findings);
        let processes = drafts.into_iter().map(|draft| draft.finish(findings)).collect();
        Self { machines, processes, names }
    }
}

impl<'i> Draft<'i> {
    fn read(
        name: &Spanned<String>,
        mut table: Table<'i>,
        machines: &[MachineConfig],
        findings: &mut Findings,
    ) -> Self {
        check_name(PROCESS, Some(name), findings);
        let machine = machine(&mut table, machines, findings);
        let uid = match table.has("uid") {
            true => table.take("uid", findings).map(|uid| Uid(uid.into_inner())),
            false => Some(Uid::USER),
        };
        let container = table.take::<String>("container", findings);
        check_name("a container", container.as_ref(), findings);
        let start = match table.take::<Moment>("start", findings) {
            Some(start) => Some(start.into_inner().get()),
            None => Some(Duration::ZERO),
        };
        let every_boot = table.take("every-boot", findings).is_some_and(Spanned::into_inner);
        let program = table.require("program", findings).and_then(|it| program(&it, findings));
        let mut filled = None;
        match program {
            Some(program) => {
                filled = slots(program, &mut table, findings);
                table.keep_known(&parameters(program), findings);
            }
            None => table.tell_missing(findings),
        }
        let (name, span) = (name.get_ref().into(), name.span());
        Self {
            name,
            span,
            machine,
            uid,
            container: container.map(|name| name.into_inner().into()),
            start,
            every_boot,
            slots: filled,
            program,
            parameters: table,
            changes: None,
        }
    }

    fn finish(self, findings: &mut Findings) -> Option<ProcessSpec> {
        let info = self.program?;
        let read = |table: Table<'i>, findings: &mut Findings| {
            table.read(findings, |values| {
                Program::deserialize_named(info.name, values).expect("the program is known")
            })
        };
        let program = read(self.parameters.clone(), findings)?;
        let changed = match &self.changes {
            Some(changes) => read(self.parameters.overlaid(changes), findings)?,
            None => program.clone(),
        };
        Some(ProcessSpec {
            name: self.name,
            machine: self.machine?,
            uid: self.uid?,
            container: self.container,
            start: self.start?,
            every_boot: self.every_boot,
            program,
            changed,
            slots: self.slots?,
        })
    }
}

fn machine(
    table: &mut Table<'_>,
    machines: &[MachineConfig],
    findings: &mut Findings,
) -> Option<usize> {
    if machines.len() > 1 {
        let name = table.require::<String>("machine", findings)?;
        return find_machine(&name, machines, findings);
    }
    match table.take::<String>("machine", findings) {
        Some(name) => find_machine(&name, machines, findings),
        None => Some(0),
    }
}

fn find_machine(
    name: &Spanned<String>,
    machines: &[MachineConfig],
    findings: &mut Findings,
) -> Option<usize> {
    let names: Vec<SmolStr> = machines.iter().map(|machine| machine.name.clone()).collect();
    find("machine", name, &names, findings)
}

/// The index of `name` among `names`.
pub(super) fn find(
    kind: &str,
    name: &Spanned<String>,
    names: &[SmolStr],
    findings: &mut Findings,
) -> Option<usize> {
    let index = names.iter().position(|it| it == name.get_ref());
    if index.is_none() {
        let names = names.iter().map(SmolStr::as_str);
        findings.add_absence(Diagnostic::unknown(kind, name.get_ref(), name.span(), names));
    }
    index
}

/// The slots of a program, each with what fills it.
fn slots(
    program: &ProgramInfo,
    table: &mut Table<'_>,
    findings: &mut Findings,
) -> Option<Vec<Slot>> {
    // A loop, since each that is wrong is to be told.
    let mut slots = Vec::new();
    for name in program.slots {
        let filled = table.require(name, findings);
        slots.push(filled.and_then(|by| slot(name, &by, findings)));
    }
    slots.into_iter().collect()
}

fn slot(name: &'static str, by: &Spanned<String>, findings: &mut Findings) -> Option<Slot> {
    if by.get_ref() == VARIED {
        return Some(Slot { name, fixed: None });
    }
    let policies = policy_file::named();
    let policy = policies.iter().find(|policy| policy.name == *by.get_ref());
    if policy.is_none() {
        let names = policies.iter().map(|policy| policy.name.as_str()).chain([VARIED]);
        findings.add(Diagnostic::unknown("policy", by.get_ref(), by.span(), names));
    }
    policy.map(|policy| Slot { name, fixed: Some(Arc::clone(policy)) })
}

fn program(name: &Spanned<String>, findings: &mut Findings) -> Option<&'static ProgramInfo> {
    let program = Program::all().iter().find(|program| program.name == name.get_ref());
    if program.is_none() {
        let names = Program::all().iter().map(|program| program.name);
        findings.add(Diagnostic::unknown("program", name.get_ref(), name.span(), names));
    }
    program
}

fn parameters(program: &ProgramInfo) -> Vec<&'static str> {
    program.parameters.iter().map(|parameter| parameter.name).collect()
}

/// The drafts, each with what the story changes about it.
fn with_changes<'i>(
    mut drafts: Vec<Draft<'i>>,
    names: &[SmolStr],
    top: &mut Table<'i>,
    findings: &mut Findings,
) -> Vec<Draft<'i>> {
    for mut change in top.take_each("change", findings) {
        let process = change.require("process", findings);
        let set = change.require_table("set", findings);
        change.finish(findings);
        let index = process.and_then(|process| find("process", &process, names, findings));
        let (Some(index), Some(mut set)) = (index, set) else { continue };
        let draft = &mut drafts[index];
        if let Some(program) = draft.program {
            set.keep_known(&parameters(program), findings);
        }
        draft.changes = Some(match draft.changes.take() {
            Some(earlier) => earlier.overlaid(&set),
            None => set,
        });
    }
    drafts
}
