use std::num::NonZeroU32;

use crate::diagnostic::{Findings, Table};
use crate::room::Room;

/// The table that asks for a search.
pub(super) const KEY: &str = "search";

/// States that a search sees at most, unless the file says otherwise: seconds of work.
const STATES: u64 = 100_000;

/// How far a search of each cell goes, if the file asks for one.
pub(super) fn read(top: &mut Table<'_>, findings: &mut Findings) -> Option<Room> {
    let mut table = top.take_table(KEY, findings)?;
    let mut number = |key| table.take::<NonZeroU32>(key, findings);
    let number = |key| Some(u64::from(number(key)?.get_ref().get()));
    let [states, mib] = ["states", "memory"].map(number);
    table.finish(findings);
    Some(Room {
        states: states.unwrap_or(STATES),
        memory: mib.map_or(Room::MEMORY, |mib| mib << 20),
    })
}
