use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};

use locklab_sys::Pid;
use smol_str::{SmolStr, format_smolstr};

use super::numbers::claim_number;
use crate::policy::RecordField;

/// What a claim says of its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub pid: Option<Pid>,
    pub start: Option<u64>,
    pub boot: Option<u32>,
    pub nonce: Option<u32>,
    /// The inode number of a pidfd of it.
    pub pidfd: Option<u64>,
    /// The inode number of the namespace in which the pid is one.
    pub namespace: Option<u64>,
    pub host: Option<SmolStr>,
}

/// What few records say is in it only where it is said: nothing of the others' moves.
impl Hash for Record {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { pid, start, boot, nonce, pidfd, namespace, host } = self;
        (pid, start, boot, nonce, pidfd).hash(state);
        if let Some(namespace) = namespace {
            ("namespace", namespace).hash(state);
        }
        if let Some(host) = host {
            ("host", host).hash(state);
        }
    }
}

impl Record {
    /// The record in `bytes`; `None` unless it says all of `fields`.
    pub fn parse(bytes: &[u8], fields: &BTreeSet<RecordField>) -> Option<Self> {
        let mut record = Self::default();
        for word in std::str::from_utf8(bytes).ok()?.split_ascii_whitespace() {
            let (key, value) = word.split_once('=')?;
            match key {
                "pid" => record.pid = Some(pid(value)?),
                "start" => record.start = Some(value.parse().ok()?),
                "boot" => record.boot = Some(u32::from_str_radix(value, 16).ok()?),
                "nonce" => record.nonce = Some(u32::from_str_radix(value, 16).ok()?),
                "pidfd" => record.pidfd = Some(value.parse().ok()?),
                "ns" => record.namespace = Some(value.parse().ok()?),
                "host" => record.host = Some(value.into()),
                _ => return None,
            }
        }
        fields.iter().all(|field| record.says(*field)).then_some(record)
    }

    fn says(&self, field: RecordField) -> bool {
        match field {
            RecordField::Pid => self.pid.is_some(),
            RecordField::Start => self.start.is_some(),
            RecordField::Boot => self.boot.is_some(),
            RecordField::Nonce => self.nonce.is_some(),
            RecordField::Pidfd => self.pidfd.is_some(),
            RecordField::Namespace => self.namespace.is_some(),
            RecordField::Host => self.host.is_some(),
        }
    }
}

/// What a claim would say, had other processes the pids in it; nothing of what is no
/// record, or says more than that.
pub fn with_pids(bytes: &[u8], pid: &dyn Fn(Pid) -> Pid) -> Option<Vec<u8>> {
    if bytes.is_empty() {
        return Some(Vec::new());
    }
    let record = Record::parse(bytes, &BTreeSet::new())?;
    let is_all = record.nonce.is_none() && record.to_string().as_bytes() == bytes;
    let record = Record { pid: record.pid.map(pid), ..record };
    is_all.then(|| record.to_string().into_bytes())
}

/// The lock in whose directory a path is a claim, or the owner's entry that makes one.
pub fn lock_of_entry(path: &str) -> Option<&str> {
    if let Some((lock, _, _)) = claim_number(path) {
        return Some(lock);
    }
    let (lock, entry) = path.rsplit_once('/')?;
    let is_record = Record::parse(entry.as_bytes(), &BTreeSet::new()).is_some();
    (is_record && !entry.is_empty()).then_some(lock)
}

/// What a file would be called, or its path be, had another process the pid at its end, or
/// in an owner's entry; nothing if it is called the same.
pub fn name_with_pid(name: &str, other: &dyn Fn(Pid) -> Pid) -> Option<SmolStr> {
    let (dir, entry) = name.rsplit_once('/').map_or(("", name), |(dir, entry)| (dir, entry));
    if entry.contains('=') {
        let renamed = String::from_utf8(with_pids(entry.as_bytes(), other)?).ok()?;
        let dir = with_own_pid(dir, other).unwrap_or_else(|| dir.into());
        let path = if dir.is_empty() { renamed } else { format!("{dir}/{renamed}") };
        return (path != name).then(|| path.into());
    }
    with_own_pid(name, other)
}

/// The same of a name with a pid at its end.
fn with_own_pid(name: &str, other: &dyn Fn(Pid) -> Pid) -> Option<SmolStr> {
    let (path, digits) = name.rsplit_once('.')?;
    let named = pid(digits).filter(|pid| pid.to_string() == digits)?;
    let renamed = other(named);
    (renamed != named).then(|| format_smolstr!("{path}.{renamed}"))
}

/// A pid that some process may have: `kill` takes 0 and below for something else.
fn pid(text: &str) -> Option<Pid> {
    let pid: i32 = text.parse().ok()?;
    u32::try_from(pid).ok().filter(|pid| *pid > 0).map(Pid)
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            self.pid.map(|pid| format!("pid={pid}")),
            self.start.map(|start| format!("start={start}")),
            self.boot.map(|boot| format!("boot={boot:08x}")),
            self.nonce.map(|nonce| format!("nonce={nonce:08x}")),
            self.pidfd.map(|pidfd| format!("pidfd={pidfd}")),
            self.namespace.map(|namespace| format!("ns={namespace}")),
            self.host.as_ref().map(|host| format!("host={host}")),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::Choice;

    fn parse(text: &str, fields: &[RecordField]) -> Option<Record> {
        Record::parse(text.as_bytes(), &fields.iter().copied().collect())
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            pid in proptest::option::of(1..=i32::MAX.unsigned_abs()),
            start in any::<Option<u64>>(),
            boot in any::<Option<u32>>(),
            nonce in any::<Option<u32>>(),
            pidfd in any::<Option<u64>>(),
            namespace in any::<Option<u64>>(),
            host in proptest::option::of("[a-z0-9-]{1,16}"),
        ) {
            let (pid, host) = (pid.map(Pid), host.map(SmolStr::from));
            let record = Record { pid, start, boot, nonce, pidfd, namespace, host };
            let fields: Vec<RecordField> =
                RecordField::ALL.iter().copied().filter(|field| record.says(*field)).collect();
            prop_assert_eq!(parse(&record.to_string(), &fields), Some(record));
        }

        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>) {
            let _ = Record::parse(&bytes, &BTreeSet::from([RecordField::Pid]));
        }
    }

    #[test]
    fn a_record_reads_as_people_would_write_it() {
        let (pid, start, boot) = (Some(Pid(1000)), Some(100_123), Some(0x1f2e));
        let record = Record { pid, start, boot, ..Record::default() };
        assert_eq!(record.to_string(), "pid=1000 start=100123 boot=00001f2e");
    }

    #[test]
    fn a_short_or_foreign_record_is_none() {
        use RecordField::{Pid, Start};
        assert_eq!(parse("", &[Pid]), None);
        assert_eq!(parse("pid=1000", &[Pid, Start]), None);
        assert_eq!(parse("1000", &[Pid]), None);
        assert_eq!(parse("pid=-1", &[Pid]), None);
        assert_eq!(parse("pid=0", &[Pid]), None);
        assert_eq!(parse("pid=1000 user=root", &[Pid]), None);
    }

    #[test]
    fn an_entry_is_its_owners() {
        let swapped = |pid: Pid| if pid == Pid(7) { Pid(8) } else { pid };
        let renamed = |name| name_with_pid(name, &swapped);
        assert_eq!(renamed("/run/lock/pid=7 start=1").as_deref(), Some("/run/lock/pid=8 start=1"));
        assert_eq!(renamed("/run/lock.7/pid=7").as_deref(), Some("/run/lock.8/pid=8"));
        assert_eq!(renamed("pid=7").as_deref(), Some("pid=8"));
        assert_eq!(renamed("/run/lock/pid=9"), None);
        assert_eq!(lock_of_entry("/run/lock/pid=7"), Some("/run/lock"));
        assert_eq!(lock_of_entry("/run/lock/7"), Some("/run/lock"));
        assert_eq!(lock_of_entry("/run/lock/owner"), None);
        assert_eq!(lock_of_entry("/run/lock/"), None);
    }

    #[test]
    fn more_than_was_asked_for_may_be_said() {
        assert!(parse("pid=1000 start=7", &[RecordField::Pid]).is_some());
    }
}
