mod names;

use std::collections::BTreeSet;

use super::{
    Choice, Compare, FileLock, Guard, Kept, KernelLock, LetGo, Lock, Mismatch, OnExec, Policy,
    PolicyRow, Publish, Recheck, RecordField, Reentry, Release, Removal, Stale, Takeover, Unsigned,
    VerifyField,
};

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The key that it is about: one of the row's, or `name`.
    pub part: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// The complaints so far.
#[derive(Default)]
struct Complaints(Vec<Complaint>);

impl Complaints {
    fn add(&mut self, part: &'static str, message: impl Into<String>, help: impl Into<String>) {
        self.0.push(Complaint { part, message: message.into(), help: Some(help.into()) });
    }
}

impl PolicyRow {
    /// The policy called `name`, or everything that is wrong with the row.
    pub fn check(self, name: &str) -> Result<Policy, Vec<Complaint>> {
        let mut complaints = Complaints::default();
        check_name(name, &mut complaints);
        let lock = match self.kernel {
            Some(kernel) => Some(Lock::Kernel(self.kept(kernel, &mut complaints))),
            None => self.file_lock(&mut complaints).map(Lock::File),
        };
        if self.reentry == Some(Reentry::OwnPid) {
            self.check_own_pid(&mut complaints);
        }
        match lock {
            Some(lock) if complaints.0.is_empty() => Ok(Policy {
                name: name.into(),
                title: self.title,
                rule: self.rule,
                group: self.group,
                source: self.source,
                leaves_open: self.leaves_open,
                lock,
                reentry: self.reentry.unwrap_or(Reentry::None),
            }),
            _ => Err(complaints.0),
        }
    }

    fn kept(&self, kernel: KernelLock, complaints: &mut Complaints) -> Kept {
        let file_parts = [
            ("publish", self.publish.is_some()),
            ("record", self.record.is_some()),
            ("stale", self.stale.is_some()),
            ("unsigned", self.unsigned.is_some()),
            ("takeover", self.takeover.is_some()),
            ("verify", self.verify.is_some()),
            ("compare", self.compare.is_some()),
            ("mismatch", self.mismatch.is_some()),
            ("guard", self.guard.is_some()),
            ("release", self.release.is_some()),
        ];
        for (part, _) in file_parts.into_iter().filter(|(_, given)| *given) {
            complaints.add(
                part,
                format!("`{part}` is a part of file locks, and this lock is kept by the kernel"),
                format!("leave out `{part}`, or leave out `kernel`"),
            );
        }
        Kept {
            kernel,
            let_go: self.let_go.unwrap_or(LetGo::Close),
            recheck: self.recheck.unwrap_or(Recheck::None),
            on_exec: self.on_exec.unwrap_or(OnExec::Kept),
        }
    }

    /// Nobody but the kernel keeps a lock so.
    fn check_no_kept_parts(&self, complaints: &mut Complaints) {
        let kept_parts = [
            ("let-go", self.let_go.is_some()),
            ("recheck", self.recheck.is_some()),
            ("on-exec", self.on_exec.is_some()),
        ];
        for (part, _) in kept_parts.into_iter().filter(|(_, given)| *given) {
            complaints.add(
                part,
                format!(
                    "`{part}` is a part of locks that the kernel keeps, and this is a file lock"
                ),
                format!("leave out `{part}`, or say which lock by `kernel`"),
            );
        }
    }

    fn file_lock(&self, complaints: &mut Complaints) -> Option<FileLock> {
        self.check_no_kept_parts(complaints);
        let publish = required("publish", self.publish, &words::<Publish>(), complaints);
        let record = required(
            "record",
            self.record.as_ref(),
            "a list, which may be empty, of `pid`, `start`, `boot`, `nonce`, `pidfd`, `namespace`, `host`",
            complaints,
        )
        .map(|fields| set("record", fields, complaints));
        let stale = required(
            "stale",
            self.stale,
            "`\"never\"`, `\"dead\"`, `{ age = \"30s\" }`, or another one with a duration",
            complaints,
        );
        let release = required("release", self.release, &words::<Release>(), complaints);
        let verify = self.verify.as_ref().map(|fields| set("verify", fields, complaints));
        if let Some(record) = &record {
            self.check_record(record, verify.as_ref(), complaints);
        }
        let (record, stale) = (record?, stale?);
        let unsigned = (!record.is_empty()).then(|| self.unsigned.unwrap_or(Unsigned::Held));
        let takes_over =
            stale != Stale::Never || unsigned.is_some_and(|unsigned| unsigned != Unsigned::Held);
        if !takes_over {
            self.check_no_removal(complaints);
        }
        self.check_directory(complaints);
        self.check_numbers(complaints);
        self.check_over(complaints);
        self.check_descriptor(complaints);
        let takeover = self.takeover.unwrap_or_else(|| self.usual_takeover());
        let verify = verify.unwrap_or_default();
        let moves = takeover == Takeover::RenameAside && !verify.is_empty();
        let compare = moves.then(|| self.compare.unwrap_or(Compare::Before));
        let after = compare == Some(Compare::After);
        let mismatch = after.then(|| self.mismatch.unwrap_or(Mismatch::Leave));
        if takes_over {
            self.check_moves(compare, complaints);
        }
        let removal = takes_over.then(|| Removal {
            takeover,
            verify,
            compare,
            mismatch,
            guard: self.guard.unwrap_or(Guard::None),
        });
        Some(FileLock { publish: publish?, record, stale, unsigned, removal, release: release? })
    }

    /// What a record does not say cannot be asked of it.
    fn check_record(
        &self,
        record: &BTreeSet<RecordField>,
        verify: Option<&BTreeSet<VerifyField>>,
        complaints: &mut Complaints,
    ) {
        let pid = record.contains(&RecordField::Pid);
        let of_a_pid = record.iter().filter(|field| field.is_of_a_pid());
        for word in of_a_pid.filter(|_| !pid).map(|field| field.word()) {
            complaints.add(
                "record",
                format!("`{word}` tells two owners of one pid apart, and the record has no pid"),
                "add `pid` to the record",
            );
        }
        if record.contains(&RecordField::Pidfd) {
            check_pidfd(record, complaints);
        }
        if !pid && self.stale.is_some_and(Stale::asks_owner) {
            complaints.add(
                "stale",
                "nobody can tell whether an owner is dead whose pid is not in the record",
                "add `pid` to the record",
            );
        }
        if !record.is_empty() {
            return;
        }
        if matches!(self.stale, Some(Stale::ObservedUnchanged(_))) {
            complaints.add(
                "stale",
                "nobody can see a record change, or stay as it is, that says nothing",
                "add `nonce` to the record, which is another one for each acquisition",
            );
        }
        if self.unsigned.is_some() {
            complaints.add(
                "unsigned",
                "no claim of this policy is signed, so `stale` decides about all of them",
                "leave out `unsigned`, or let the record say something",
            );
        }
        if let Some(publish) = self.publish.filter(|publish| publish.is_signed()) {
            let word = publish.word();
            complaints.add(
                "publish",
                format!("`{word}` is there to publish a signed claim, and the record is empty"),
                "use `create-then-write`, or let the record say something",
            );
        }
        if verify.is_some_and(|verify| verify.contains(&VerifyField::Bytes)) {
            complaints.add(
                "verify",
                "there are no bytes to compare: the record is empty",
                "verify `inode`, or let the record say something",
            );
        }
        if self.release == Some(Release::OwnBytes) {
            complaints.add(
                "release",
                "no claim can be told by its bytes: the record is empty",
                "use `own-inode` or `unlink`, or let the record say something",
            );
        }
    }

    /// Only what can be opened can be kept open.
    fn check_descriptor(&self, complaints: &mut Complaints) {
        if self.release != Some(Release::OwnDescriptor) {
            return;
        }
        if self.publish == Some(Publish::Symlink) {
            complaints.add(
                "release",
                "a symbolic link that leads nowhere cannot be opened, so there is no descriptor",
                "use `own-bytes`, or publish in another way",
            );
        }
        if self.reentry == Some(Reentry::OwnPid) {
            complaints.add(
                "reentry",
                "`own-pid` takes a claim for its own of which it may have no descriptor",
                "use `count-process`, or release by `own-bytes`",
            );
        }
    }

    /// Only a claim that names a pid can name one's own.
    fn check_own_pid(&self, complaints: &mut Complaints) {
        if self.kernel.is_some() {
            complaints.add(
                "reentry",
                "`own-pid` asks the record, and a lock that the kernel keeps has none",
                "use `count-process` or `count-task`, or leave out `kernel`",
            );
        } else if self.record.as_ref().is_some_and(|record| !record.contains(&RecordField::Pid)) {
            complaints.add(
                "reentry",
                "`own-pid` asks whose pid is in the record, and there is none",
                "add `pid` to the record",
            );
        }
    }

    /// Only what has been moved can be compared, and put back, after that.
    fn check_moves(&self, compare: Option<Compare>, complaints: &mut Complaints) {
        if self.compare.is_some() && compare.is_none() {
            complaints.add(
                "compare",
                "nothing is moved aside and compared, so there is no before and after",
                "take over by `rename-aside` and `verify` something, or leave out `compare`",
            );
        }
        if self.mismatch.is_some() && compare != Some(Compare::After) {
            complaints.add(
                "mismatch",
                "nothing is compared once it has been moved, so nothing is found to be another",
                "take over by `rename-aside` and compare `after`, or leave out `mismatch`",
            );
        }
    }

    fn check_no_removal(&self, complaints: &mut Complaints) {
        let removal_parts = [
            ("takeover", self.takeover.is_some()),
            ("verify", self.verify.is_some()),
            ("compare", self.compare.is_some()),
            ("mismatch", self.mismatch.is_some()),
            ("guard", self.guard.is_some()),
        ];
        for (part, _) in removal_parts.into_iter().filter(|(_, given)| *given) {
            complaints.add(
                part,
                "nothing is ever taken over by this policy",
                format!("leave out `{part}`, or let `stale` be something else than `never`"),
            );
        }
    }
}

/// A pidfd's number says all that a start time does, until the next boot.
fn check_pidfd(record: &BTreeSet<RecordField>, complaints: &mut Complaints) {
    if !record.contains(&RecordField::Boot) {
        complaints.add(
            "record",
            "`pidfd` is a number that another process may have after a boot",
            "add `boot` to the record",
        );
    }
    if record.contains(&RecordField::Start) {
        complaints.add(
            "record",
            "`start` tells no two processes apart that `pidfd` does not",
            "leave out `start`",
        );
    }
}

/// Schedules and command lines carry the name.
fn check_name(name: &str, complaints: &mut Complaints) {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.starts_with('-') || !name.chars().all(fits) {
        complaints.add(
            "name",
            format!("`{name}` cannot be the name of a policy"),
            "use small letters, digits and `-`",
        );
    }
}

fn required<T>(
    part: &'static str,
    given: Option<T>,
    choices: &str,
    complaints: &mut Complaints,
) -> Option<T> {
    if given.is_none() {
        complaints.add(
            part,
            format!("a file lock needs `{part}`"),
            format!(
                "it is {choices}; a lock kept by the kernel has `kernel` instead, as `\"flock\"`"
            ),
        );
    }
    given
}

fn words<T: Choice>() -> String {
    let quoted: Vec<String> = T::ALL.iter().map(|it| format!("`\"{}\"`", it.word())).collect();
    let (last, others) = quoted.split_last().expect("every part has choices");
    format!("{} or {last}", others.join(", "))
}

/// The fields as a set; each may be named once.
fn set<T: Choice>(part: &'static str, fields: &[T], complaints: &mut Complaints) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    for field in fields {
        if !set.insert(*field) {
            let word = field.word();
            complaints.add(part, format!("`{word}` is named twice"), format!("name `{word}` once"));
        }
    }
    set
}
