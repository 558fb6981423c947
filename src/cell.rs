//! A cell: a scenario under a policy, with its verdict and the evidence.

mod arms;
mod evidence;
mod expected;
mod judge;
mod verdict;

pub use evidence::{Counterexample, Evidence};
pub use judge::{Question, judge};
pub use verdict::{Cell, PropertyResult, Verdict};
