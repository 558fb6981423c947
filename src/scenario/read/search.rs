use std::num::NonZeroU32;

use crate::diagnostic::{Findings, Table};

/// The table that asks for a search.
pub(super) const KEY: &str = "search";

/// States that a search sees at most, unless the file says otherwise: seconds of work.
const STATES: u64 = 100_000;

/// How many states a search of each cell sees at most, if the file asks for one.
pub(super) fn read(top: &mut Table<'_>, findings: &mut Findings) -> Option<u64> {
    let mut table = top.take_table(KEY, findings)?;
    let states = table.take::<NonZeroU32>("states", findings);
    table.finish(findings);
    Some(states.map_or(STATES, |states| states.get_ref().get().into()))
}
