use serde::Deserialize;

use super::{
    Compare, FileLock, Guard, Kept, KernelLock, LetGo, Lock, Mismatch, OnExec, Policy, Publish,
    Recheck, RecordField, Reentry, Release, Stale, Takeover, Unsigned, VerifyField,
};

/// A policy as a file tells it, not yet checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PolicyRow {
    /// What it is, in a line.
    pub title: String,
    /// Its rule in a sentence or two.
    pub rule: String,
    /// Under what heading it is listed, for those that belong together.
    pub group: Option<String>,
    /// Where it was told.
    pub source: Option<String>,
    /// What its source leaves open, and how it is read here.
    #[serde(default)]
    pub leaves_open: Vec<String>,
    /// The kernel keeps the lock: then no part of a file lock is chosen.
    pub kernel: Option<KernelLock>,
    /// How a lock that the kernel keeps is let go. Default: the file is closed.
    pub let_go: Option<LetGo>,
    /// What is asked when the kernel has given the lock. Default: nothing.
    pub recheck: Option<Recheck>,
    /// What becomes of it in a child that runs another program. Default: it is kept open.
    pub on_exec: Option<OnExec>,
    /// How a claim comes to stand at the path. A file lock needs it.
    pub publish: Option<Publish>,
    /// What a claim says of its owner. A file lock needs it.
    pub record: Option<Vec<RecordField>>,
    /// When a claim may be taken over. A file lock needs it.
    pub stale: Option<Stale>,
    /// What becomes of a claim without a record. Default: held.
    pub unsigned: Option<Unsigned>,
    /// How a claim is taken over. Default: unlink.
    pub takeover: Option<Takeover>,
    /// What is compared just before. Default: nothing.
    pub verify: Option<Vec<VerifyField>>,
    /// When a claim that is renamed aside is compared. Default: before.
    pub compare: Option<Compare>,
    /// What becomes of another claim that was renamed aside. Default: leave.
    pub mismatch: Option<Mismatch>,
    /// Who keeps other takers out. Default: none.
    pub guard: Option<Guard>,
    /// How the own claim is removed. A file lock needs it.
    pub release: Option<Release>,
    /// What happens to a process that asks for a lock it holds. Default: none.
    pub reentry: Option<Reentry>,
}

impl From<&Policy> for PolicyRow {
    /// The row that checks to this policy; what is chosen by default is left
    /// out of it.
    fn from(policy: &Policy) -> Self {
        let prose = Self {
            title: policy.title.clone(),
            rule: policy.rule.clone(),
            group: policy.group.clone(),
            source: policy.source.clone(),
            leaves_open: policy.leaves_open.clone(),
            reentry: Some(policy.reentry).filter(|reentry| *reentry != Reentry::None),
            ..Self::default()
        };
        match &policy.lock {
            Lock::Kernel(kept) => prose.with_kept(kept),
            Lock::File(lock) => prose.with_file_lock(lock),
        }
    }
}

impl PolicyRow {
    fn with_kept(self, kept: &Kept) -> Self {
        let Kept { kernel, let_go, recheck, on_exec } = *kept;
        Self {
            kernel: Some(kernel),
            let_go: Some(let_go).filter(|it| *it != LetGo::Close),
            recheck: Some(recheck).filter(|it| *it != Recheck::None),
            on_exec: Some(on_exec).filter(|it| *it != OnExec::Kept),
            ..self
        }
    }

    fn with_file_lock(self, lock: &FileLock) -> Self {
        let removal = lock.removal.as_ref();
        Self {
            publish: Some(lock.publish),
            record: Some(lock.record.iter().copied().collect()),
            stale: Some(lock.stale),
            unsigned: lock.unsigned.filter(|unsigned| *unsigned != Unsigned::Held),
            takeover: removal.map(|it| it.takeover).filter(|how| *how != Takeover::Unlink),
            verify: removal
                .map(|it| it.verify.iter().copied().collect::<Vec<_>>())
                .filter(|verify| !verify.is_empty()),
            compare: removal.and_then(|it| it.compare).filter(|it| *it != Compare::Before),
            mismatch: removal.and_then(|it| it.mismatch).filter(|it| *it != Mismatch::Leave),
            guard: removal.map(|it| it.guard).filter(|guard| *guard != Guard::None),
            release: Some(lock.release),
            ..self
        }
    }
}
