use std::collections::BTreeSet;

use super::{
    Choice, Compare, Complaint, FileLock, Guard, Kept, KernelLock, LetGo, Lock, Mismatch, OnExec,
    Policy, PolicyRow, Publish, Recheck, Reentry, Release, Stale, Takeover, Unsigned,
};
use crate::Period;

/// What a part is called where its question does not arise.
const NO_QUESTION: &str = "-";

const PART_VALUES: &[(&str, &[&str])] = &[
    ("kind", &["file", "flock", "fcntl", "ofd"]),
    (
        "publish",
        &[
            "create-then-write",
            "mkdir-then-write",
            "link",
            "symlink",
            "rename-directory",
            "numbered",
            NO_QUESTION,
        ],
    ),
    (
        "record",
        &[
            "none",
            "nonce",
            "pid",
            "pid+boot",
            "pid+host",
            "pid+namespace",
            "pid+nonce",
            "pid+start",
            "pid+boot+host",
            "pid+boot+namespace",
            "pid+boot+nonce",
            "pid+boot+pidfd",
            "pid+namespace+host",
            "pid+nonce+host",
            "pid+nonce+namespace",
            "pid+start+boot",
            "pid+start+host",
            "pid+start+namespace",
            "pid+start+nonce",
            "pid+boot+namespace+host",
            "pid+boot+nonce+host",
            "pid+boot+nonce+namespace",
            "pid+boot+nonce+pidfd",
            "pid+boot+pidfd+host",
            "pid+boot+pidfd+namespace",
            "pid+nonce+namespace+host",
            "pid+start+boot+host",
            "pid+start+boot+namespace",
            "pid+start+boot+nonce",
            "pid+start+namespace+host",
            "pid+start+nonce+host",
            "pid+start+nonce+namespace",
            "pid+boot+nonce+namespace+host",
            "pid+boot+nonce+pidfd+host",
            "pid+boot+nonce+pidfd+namespace",
            "pid+boot+pidfd+namespace+host",
            "pid+start+boot+namespace+host",
            "pid+start+boot+nonce+host",
            "pid+start+boot+nonce+namespace",
            "pid+start+nonce+namespace+host",
            "pid+boot+nonce+pidfd+namespace+host",
            "pid+start+boot+nonce+namespace+host",
            NO_QUESTION,
        ],
    ),
    (
        "stale",
        &["never", "age", "dead", "dead-or-age", "heartbeat", "observed-unchanged", NO_QUESTION],
    ),
    ("unsigned", &["held", "debris-after", "debris-at-once", NO_QUESTION]),
    (
        "takeover",
        &["unlink", "rename-aside", "rename-over", "owner-entry", "next-generation", NO_QUESTION],
    ),
    (
        "verify",
        &[
            "none",
            "bytes",
            "inode",
            "bytes+inode",
            "mtime",
            "bytes+mtime",
            "inode+mtime",
            "bytes+inode+mtime",
            NO_QUESTION,
        ],
    ),
    ("compare", &["before", "after", NO_QUESTION]),
    ("mismatch", &["leave", "put-back", NO_QUESTION]),
    ("guard", &["none", "flock", "same-class", NO_QUESTION]),
    (
        "release",
        &[
            "unlink",
            "own-bytes",
            "own-inode",
            "own-descriptor",
            "own-entry",
            "own-number",
            NO_QUESTION,
        ],
    ),
    ("let-go", &["close", "unlock", "unlink", "unlock-unlink", NO_QUESTION]),
    ("recheck", &["none", "path", NO_QUESTION]),
    ("on-exec", &["kept", "closed", NO_QUESTION]),
    ("reentry", &["none", "own-pid", "count-process", "count-task"]),
];

/// How long a part waits that did not wait before it was changed.
const USUAL_PERIOD: Period = Period::seconds(30);

impl Policy {
    /// Every part with its word; `-` where the question does not arise.
    pub fn parts(&self) -> Vec<(&'static str, String)> {
        let file = self.file();
        let removal = file.and_then(|lock| lock.removal.as_ref());
        let comparing = removal.filter(|removal| removal.takeover.compares());
        let compared = comparing.map(|removal| sum(&removal.verify));
        let kind = match &self.lock {
            Lock::File(_) => "file",
            Lock::Kernel(kept) => kept.kernel.word(),
        };
        let kept = self.kept();
        let or_no_question =
            |word: Option<&str>| word.map_or_else(|| NO_QUESTION.to_owned(), str::to_owned);
        vec![
            ("kind", kind.to_owned()),
            ("publish", or_no_question(file.map(|it| it.publish.word()))),
            ("record", or_no_question(file.map(|it| sum(&it.record)).as_deref())),
            ("stale", or_no_question(file.map(|it| it.stale.word()))),
            ("unsigned", or_no_question(file.and_then(|it| it.unsigned).map(Unsigned::word))),
            ("takeover", or_no_question(removal.map(|it| it.takeover.word()))),
            ("verify", or_no_question(compared.as_deref())),
            ("compare", or_no_question(removal.and_then(|it| it.compare).map(Choice::word))),
            ("mismatch", or_no_question(removal.and_then(|it| it.mismatch).map(Choice::word))),
            ("guard", or_no_question(removal.map(|it| it.guard.word()))),
            ("release", or_no_question(file.map(|it| it.release.word()))),
            ("let-go", or_no_question(kept.map(|it| it.let_go.word()))),
            ("recheck", or_no_question(kept.map(|it| it.recheck.word()))),
            ("on-exec", or_no_question(kept.map(|it| it.on_exec.word()))),
            ("reentry", self.reentry.word().to_owned()),
        ]
    }

    /// Every part with the words that [`parts`](Self::parts) may give for it.
    pub fn part_values() -> &'static [(&'static str, &'static [&'static str])] {
        PART_VALUES
    }

    /// The same policy with one part changed to another word. `None` if there
    /// is no such part, or no such choice of it.
    ///
    /// A duration keeps its value, and is 30 s where there was none. A lock
    /// that the kernel is to keep instead loses all that belongs to a file.
    pub fn with_part(&self, part: &str, word: &str) -> Option<Result<Self, Vec<Complaint>>> {
        Some(PolicyRow::from(self).with_part(part, word)?.check(&self.name))
    }

    fn file(&self) -> Option<&FileLock> {
        match &self.lock {
            Lock::File(lock) => Some(lock),
            Lock::Kernel(_) => None,
        }
    }

    fn kept(&self) -> Option<&Kept> {
        match &self.lock {
            Lock::File(_) => None,
            Lock::Kernel(kept) => Some(kept),
        }
    }
}

impl PolicyRow {
    /// The same row with one part changed to another word, as
    /// [`Policy::with_part`] changes it; whether it makes sense is not asked.
    pub fn with_part(self, part: &str, word: &str) -> Option<Self> {
        let (_, words) = PART_VALUES.iter().find(|(name, _)| *name == part)?;
        if word == NO_QUESTION || !words.contains(&word) {
            return None;
        }
        Some(match part {
            "kind" => of_kind(self, KernelLock::from_word(word)),
            "publish" => Self { publish: Publish::from_word(word), ..self },
            "record" => Self { record: Some(fields(word)), ..self },
            "stale" => {
                let stale = self.stale_called(word);
                self.judging_by(stale)
            }
            "unsigned" => Self { unsigned: Some(self.unsigned_called(word)), ..self },
            "takeover" => self.taking_over_by(Takeover::from_word(word)?),
            "verify" if word == "none" => {
                Self { verify: Some(Vec::new()), compare: None, mismatch: None, ..self }
            }
            "verify" => Self { verify: Some(fields(word)), ..self },
            "compare" => {
                let compare = Compare::from_word(word);
                let mismatch = self.mismatch.filter(|_| compare == Some(Compare::After));
                Self { compare, mismatch, ..self }
            }
            "mismatch" => Self { mismatch: Mismatch::from_word(word), ..self },
            "guard" => Self { guard: Guard::from_word(word), ..self },
            "release" => Self { release: Release::from_word(word), ..self },
            "let-go" => Self { let_go: LetGo::from_word(word), ..self },
            "recheck" => Self { recheck: Recheck::from_word(word), ..self },
            "on-exec" => Self { on_exec: OnExec::from_word(word), ..self },
            "reentry" => Self { reentry: Reentry::from_word(word), ..self },
            other => unreachable!("{other} is not in the table of parts"),
        })
    }

    /// Where nothing is taken over any more, it goes how that was done.
    fn judging_by(self, stale: Stale) -> Self {
        let debris = self.unsigned.is_some_and(|unsigned| unsigned != Unsigned::Held);
        if stale != Stale::Never || debris {
            return Self { stale: Some(stale), ..self };
        }
        let stale = Some(stale);
        Self {
            stale,
            takeover: None,
            verify: None,
            compare: None,
            mismatch: None,
            guard: None,
            ..self
        }
    }

    /// What stands and falls with the takeover goes with it.
    fn taking_over_by(self, takeover: Takeover) -> Self {
        let moves = takeover == Takeover::RenameAside;
        Self {
            takeover: Some(takeover),
            verify: self.verify.filter(|_| takeover.compares()),
            compare: self.compare.filter(|_| moves),
            mismatch: self.mismatch.filter(|_| moves),
            ..self
        }
    }

    fn stale_called(&self, word: &str) -> Stale {
        let limit = self.stale.and_then(Stale::limit).unwrap_or(USUAL_PERIOD);
        let stale = Stale::called(word, None).or_else(|| Stale::called(word, Some(limit)));
        stale.expect("the table of parts has the words of this one")
    }

    fn unsigned_called(&self, word: &str) -> Unsigned {
        match (word, self.unsigned) {
            ("held", _) => Unsigned::Held,
            ("debris-at-once", _) => Unsigned::DebrisAtOnce,
            (_, Some(after @ Unsigned::DebrisAfter(_))) => after,
            _ => Unsigned::DebrisAfter(USUAL_PERIOD),
        }
    }
}

/// The row with its claim kept by `kernel`, or in a file.
fn of_kind(row: PolicyRow, kernel: Option<KernelLock>) -> PolicyRow {
    match kernel {
        None => PolicyRow { kernel, let_go: None, recheck: None, on_exec: None, ..row },
        Some(_) => PolicyRow {
            title: row.title,
            rule: row.rule,
            group: row.group,
            source: row.source,
            leaves_open: row.leaves_open,
            kernel,
            let_go: row.let_go,
            recheck: row.recheck,
            on_exec: row.on_exec,
            reentry: row.reentry,
            ..PolicyRow::default()
        },
    }
}

fn sum<T: Choice>(fields: &BTreeSet<T>) -> String {
    if fields.is_empty() {
        return "none".to_owned();
    }
    let words: Vec<&str> = fields.iter().map(|field| field.word()).collect();
    words.join("+")
}

/// What [`sum`] made into a word.
fn fields<T: Choice>(sum: &str) -> Vec<T> {
    sum.split('+').filter_map(T::from_word).collect()
}
