use locklab_models::{Moment, Period};
use locklab_sim::kernel::{Durability, InodeNumbers, MachineConfig, ReusedBy, Room};
use serde::Deserialize;
use toml::Spanned;

use super::check_name;
use crate::diagnostic::{Diagnostic, Findings, Table};

/// What a file says of a disk that may lose its power.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Promise {
    Journal,
    None,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Numbers {
    LowestFree,
    Fresh,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Who {
    Process,
    Thread,
}

/// The machines, at least one.
pub(super) fn read(top: &mut Table<'_>, findings: &mut Findings) -> Vec<MachineConfig> {
    let mut machines = Vec::new();
    for (name, table) in top.take_named("machine", findings) {
        check_name("a machine", Some(&name), findings);
        // The kernel has machine ids; properties do not tell machines apart yet.
        if !machines.is_empty() {
            findings.add(
                Diagnostic::new("a second machine", name.span())
                    .help("all processes of a scenario run on one machine"),
            );
        }
        machines.push(machine(name.get_ref(), table, findings));
    }
    if machines.is_empty() {
        machines.push(MachineConfig::default());
    }
    machines
}

fn machine(name: &str, mut table: Table<'_>, findings: &mut Findings) -> MachineConfig {
    let mut machine = MachineConfig { name: name.into(), ..MachineConfig::default() };
    if let Some(numbers) = table.take("inode-numbers", findings) {
        machine.inode_numbers = match numbers.get_ref() {
            Numbers::LowestFree => InodeNumbers::LowestFree,
            Numbers::Fresh => InodeNumbers::Fresh,
        };
    }
    if let Some(protected) = table.take("protected-hardlinks", findings) {
        machine.protected_hardlinks = protected.into_inner();
    }
    if let Some(protected) = table.take("protected-symlinks", findings) {
        machine.protected_symlinks = protected.into_inner();
    }
    if let Some(level) = table.take("protected-regular", findings) {
        machine.protected_regular = protection(&level, findings);
    }
    if let Some(granularity) = table.take::<Period>("time-granularity", findings) {
        machine.time_granularity = granularity.get_ref().get();
    }
    if let Some(funlinkat) = table.take("funlinkat", findings) {
        machine.funlinkat = funlinkat.into_inner();
    }
    if let Some(who) = table.take("reused-by", findings) {
        machine.reused_by = match who.get_ref() {
            Who::Process => ReusedBy::Process,
            Who::Thread => ReusedBy::Thread,
        };
    }
    if let Some(uptime) = table.take::<Moment>("uptime", findings) {
        machine.uptime = uptime.get_ref().get();
    }
    if let Some(paths) = table.take::<Vec<Spanned<String>>>("tmpfs", findings) {
        (machine.run_is_tmpfs, machine.tmp_is_tmpfs) = tmpfs(paths.get_ref(), findings);
    }
    if let Some(promise) = table.take("unsynced", findings) {
        machine.durability = Some(match promise.get_ref() {
            Promise::Journal => Durability::Journal,
            Promise::None => Durability::None,
        });
    }
    machine.room = table.take_table("room", findings).and_then(|table| room(table, findings));
    table.finish(findings);
    machine
}

/// Whether `/run` is among them, and whether `/tmp` is.
fn tmpfs(paths: &[Spanned<String>], findings: &mut Findings) -> (bool, bool) {
    const KNOWN: [&str; 2] = ["/run", "/tmp"];
    for path in paths.iter().filter(|path| !KNOWN.contains(&path.get_ref().as_str())) {
        findings.add(Diagnostic::unknown("file system", path.get_ref(), path.span(), KNOWN));
    }
    let has = |known: &str| paths.iter().any(|path| path.get_ref() == known);
    (has(KNOWN[0]), has(KNOWN[1]))
}

fn room(mut table: Table<'_>, findings: &mut Findings) -> Option<Room> {
    let [blocks, inodes] = ["blocks", "inodes"].map(|key| table.require::<u32>(key, findings));
    table.finish(findings);
    Some(Room { blocks: blocks?.into_inner(), inodes: inodes?.into_inner() })
}

/// A level of `fs.protected_regular`.
fn protection(level: &Spanned<u8>, findings: &mut Findings) -> u8 {
    const LEVEL_MAX: u8 = 2;
    let &given = level.get_ref();
    if given > LEVEL_MAX {
        findings.add(
            Diagnostic::new(format!("no such protection as {given}"), level.span())
                .help("0 is off, 1 is for where all may write, 2 also for where the group may"),
        );
    }
    given.min(LEVEL_MAX)
}
