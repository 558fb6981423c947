//! What people and programs read: pictures of runs, and tables of cells.

pub mod ablation;
pub mod discovery;
pub mod explain;
mod files;
pub mod forced;
pub mod lanes;
pub mod single;
pub mod style;
pub mod table;
mod text;
mod tool;

pub use files::{Files, quoted};
pub(crate) use text::thousands;
