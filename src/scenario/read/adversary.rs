use std::fmt;

use locklab_sim::{Adversary, Awakening, Budgets};
use serde::de::{self, Deserialize, Deserializer, Visitor};

use super::cast::Cast;
use super::story::{check_promise, mark, process};
use crate::diagnostic::{Findings, Table};

/// What the adversary may spend.
pub(super) fn read(top: &mut Table<'_>, cast: &Cast, findings: &mut Findings) -> Adversary {
    let Some(mut table) = top.take_table("adversary", findings) else {
        return Adversary::default();
    };
    let passes = table.take::<Passes>("passes", findings).map_or(0, |passes| passes.into_inner().0);
    let mut budget = |key| table.take::<u32>(key, findings).map_or(0, |budget| budget.into_inner());
    let (stops, kills) = (budget("stops"), budget("kills"));
    let (reuses, io_errors) = (budget("reuses"), budget("io-errors"));
    let mut mishaps = Budgets {
        sleeps: budget("sleeps"),
        pauses: budget("pauses"),
        reboots: budget("reboots"),
        power_losses: 0,
        clock_steps: budget("clock-steps"),
        full_disks: budget("full-disks"),
    };
    if let Some(losses) = table.take::<u32>("power-losses", findings) {
        mishaps.power_losses = *losses.get_ref();
        for machine in &cast.machines {
            check_promise(machine, losses.span(), findings);
        }
    }
    let names = &cast.names;
    let after = table.take_table("after", findings).and_then(|mut after| {
        let process = process(&mut after, names, findings);
        let mark = mark(&mut after, findings);
        after.finish(findings);
        Some(Awakening { process: process?, mark: mark? })
    });
    table.finish(findings);
    Adversary { stops, kills, passes, reuses, io_errors, mishaps, after }
}

/// How often time may pass: a number, or `"free"`.
struct Passes(u32);

impl<'de> Deserialize<'de> for Passes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;

        impl Visitor<'_> for Count {
            type Value = Passes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or `\"free\"`")
            }

            fn visit_i64<E: de::Error>(self, count: i64) -> Result<Passes, E> {
                let counted = u32::try_from(count).ok().filter(|count| *count < Adversary::FREE);
                let wrong = || E::invalid_value(de::Unexpected::Signed(count), &self);
                counted.map(Passes).ok_or_else(wrong)
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Passes, E> {
                match word {
                    "free" => Ok(Passes(Adversary::FREE)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }
        }

        deserializer.deserialize_any(Count)
    }
}
