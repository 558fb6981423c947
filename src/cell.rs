//! A cell: a scenario under a policy, with its verdict and the evidence.

mod arms;
mod border;
mod endless;
mod evidence;
mod exhaustive;
mod expected;
mod judge;
mod least;
mod own;
mod stage;
mod teeth;
mod verdict;

pub use crate::room::Room;
pub(crate) use arms::{ArmReport, CUT_OFF_MAX, Walk, sample};
pub use border::Border;
pub use endless::EndlessEvidence;
pub(crate) use endless::{Endless, judge_progress};
pub use evidence::{Counterexample, Evidence, States};
pub(crate) use exhaustive::{SEED, search};
pub use judge::{Question, judge, judge_until, judge_within};
pub use least::Least;
pub(crate) use least::least;
pub use own::judge_own;
pub use stage::Stage;
pub(crate) use teeth::teeth;
pub use teeth::{Bite, Teeth, with_teeth};
pub use verdict::{Cell, PropertyResult, Verdict};
