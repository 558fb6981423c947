//! What people and programs read: pictures of runs, and tables of cells.

pub mod ablation;
pub mod discovery;
mod effects;
pub mod explain;
mod files;
pub mod forced;
mod gaps;
pub mod lanes;
mod least;
pub mod single;
pub mod style;
pub mod table;
mod teeth;
mod text;
mod tool;

pub use files::{Files, quoted};
pub(crate) use text::listed;
