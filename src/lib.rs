//! locklab: lock policies compared, scenario by scenario, in a simulated Linux.

pub mod ablate;
pub mod arm;
pub mod cast;
pub mod cell;
pub mod cli;
pub mod command;
pub mod count;
pub mod diagnostic;
pub mod find;
pub mod fleet;
pub mod gaps;
pub mod line;
pub mod metrics;
pub mod on_host;
pub mod own;
pub mod policy_file;
pub mod property;
pub mod rehearsal;
pub mod report;
pub mod room;
pub mod scenario;
pub mod show;
pub mod variant;
