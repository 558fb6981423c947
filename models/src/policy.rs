mod check;
mod choice;
mod kept;
mod parts;
mod row;
mod timed;

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use locklab_sys::Fingerprint;
use serde::Serialize;
use smol_str::SmolStr;

pub use check::Complaint;
pub use choice::{
    Choice, Compare, Guard, KernelLock, LetGo, Mismatch, OnExec, Publish, Recheck, RecordField,
    Reentry, Release, Takeover, VerifyField,
};
pub use kept::Kept;
pub use row::PolicyRow;
pub use timed::{Stale, Unsigned};

/// A lock policy: parts that make sense together, and its prose.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Policy {
    /// The name under which it is asked for.
    pub name: SmolStr,
    /// What it is, in a line.
    pub title: String,
    /// Its rule in a sentence or two.
    pub rule: String,
    /// Under what heading it is listed; nothing of a policy that stands for itself.
    pub group: Option<String>,
    /// Where it was told.
    pub source: Option<String>,
    /// What its source leaves open, and how it is read here.
    pub leaves_open: Vec<String>,
    /// The lock itself.
    pub lock: Lock,
    /// What happens to a process that asks for a lock it holds.
    pub reentry: Reentry,
}

/// Who keeps the claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lock {
    /// A file or directory that stays when its owner dies.
    File(FileLock),
    /// The kernel, which lets go when the owner dies.
    Kernel(Kept),
}

/// The parts of a lock whose claim is a file or directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileLock {
    /// How a claim comes to stand at the path.
    pub publish: Publish,
    /// What a claim says of its owner; nothing if empty.
    pub record: BTreeSet<RecordField>,
    /// When a claim may be taken over.
    pub stale: Stale,
    /// What becomes of a claim without a record; no question if none has one.
    pub unsigned: Option<Unsigned>,
    /// How a claim is taken over; none if it never is.
    pub removal: Option<Removal>,
    /// How the own claim is removed.
    pub release: Release,
}

/// How a claim that was judged takeable is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Removal {
    /// The call that removes it.
    pub takeover: Takeover,
    /// What is compared with what was judged, just before.
    pub verify: BTreeSet<VerifyField>,
    /// When it is compared; no question if nothing is moved aside, or compared.
    pub compare: Option<Compare>,
    /// What becomes of another claim that was moved aside; no question if it is not
    /// compared after that.
    pub mismatch: Option<Mismatch>,
    /// Who keeps other takers out meanwhile.
    pub guard: Guard,
}

impl FileLock {
    /// The same rule for a claim that is taken over without a guard.
    pub(crate) fn unguarded(&self) -> Self {
        let removal = self.removal.clone().map(|it| Removal { guard: Guard::None, ..it });
        Self { removal, ..self.clone() }
    }

    /// Whether a process makes names that no other one has, by its pid.
    pub(crate) fn needs_own_name(&self) -> bool {
        let names =
            |it: &Removal| matches!(it.takeover, Takeover::RenameAside | Takeover::RenameOver);
        self.publish.is_private_first() || self.removal.as_ref().is_some_and(names)
    }
}

/// To unlink was once the only takeover there was, and has no mark of its own: schedules name
/// a rule by its fingerprint.
impl Hash for Removal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { takeover, verify, compare, mismatch, guard } = self;
        if *takeover != Takeover::Unlink {
            takeover.hash(state);
        }
        (verify, guard).hash(state);
        if let Some(compare) = compare {
            (compare, mismatch).hash(state);
        }
    }
}

impl Policy {
    /// Every duration that the rule declares.
    pub fn durations(&self) -> Vec<Duration> {
        let Lock::File(lock) = &self.lock else { return Vec::new() };
        let unsigned = match lock.unsigned {
            Some(Unsigned::DebrisAfter(limit)) => Some(limit),
            Some(Unsigned::Held | Unsigned::DebrisAtOnce) | None => None,
        };
        lock.stale.limit().into_iter().chain(unsigned).map(crate::Period::get).collect()
    }

    /// Whether the rule asks if a file's time is the same, and not only how old it is.
    pub fn compares_times(&self) -> bool {
        let removal = match &self.lock {
            Lock::File(lock) => lock.removal.as_ref(),
            Lock::Kernel(_) => None,
        };
        removal.is_some_and(|removal| removal.verify.contains(&VerifyField::Mtime))
    }

    /// How long the rule may keep somebody from a lock that nobody is inside, at most: until a
    /// claim is old, and before that a guard of the same class that was left behind.
    pub fn longest_wait(&self) -> Duration {
        let longest = self.durations().into_iter().max().unwrap_or_default();
        let guard = match &self.lock {
            Lock::File(FileLock { removal: Some(removal), .. }) => removal.guard,
            Lock::File(_) | Lock::Kernel(_) => Guard::None,
        };
        match guard {
            Guard::SameClass => longest * 2,
            Guard::None | Guard::Flock => longest,
        }
    }

    /// The fingerprint of name and parts. The prose is not in it.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&(&self.name, &self.lock, self.reentry))
    }
}
