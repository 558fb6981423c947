use locklab_sys::{Errno, Pid, Sys};

use super::errors::Foreseen;
use super::record::Record;
use crate::policy::{Lock, Policy, RecordField};

/// Who a process is, as far as its lock's rule needs to know.
#[derive(Clone, Debug, Hash)]
pub struct Owner {
    pub(super) record: Record,
    pid: Option<Pid>,
}

impl Owner {
    /// Asks who the calling process is.
    pub async fn learn(sys: &Sys, policy: &Policy) -> Self {
        let mut owner = Self { record: Record::default(), pid: None };
        let Lock::File(lock) = &policy.lock else { return owner };
        let says = |field| lock.record.contains(&field);
        if says(RecordField::Pid) || lock.needs_own_name() {
            let pid = sys.getpid().await;
            owner.pid = Some(pid);
            owner.record.pid = says(RecordField::Pid).then_some(pid);
            if says(RecordField::Start) {
                let stat = sys.proc_stat(pid).await.surely("read", "/proc/self/stat");
                owner.record.start = Some(stat.start_ticks);
            }
            if says(RecordField::Pidfd) {
                owner.record.pidfd = pidfd_number(sys, pid).await;
            }
        }
        if says(RecordField::Namespace) {
            owner.record.namespace = Some(sys.pid_namespace().await);
        }
        if says(RecordField::Host) {
            owner.record.host = Some(sys.hostname().await);
        }
        if says(RecordField::Boot) {
            owner.record.boot = Some(short(sys.boot_id().await));
        }
        owner
    }

    /// The same owner in another thread than the first, which goes by its own id where it makes
    /// what nobody else may touch.
    pub(super) async fn in_thread(&self, sys: &Sys) -> Self {
        let pid = match self.pid {
            Some(_) => Some(sys.gettid().await),
            None => None,
        };
        Self { record: self.record.clone(), pid }
    }

    /// The pid, which a lock that publishes by link has learned.
    pub(super) fn pid(&self) -> Pid {
        self.pid.expect("the rule needs the pid, so it was learned")
    }
}

/// The inode number of a pidfd of the process with this pid; `None` if no process has it.
pub(super) async fn pidfd_number(sys: &Sys, pid: Pid) -> Option<u64> {
    // A thread may have it: which errno says so depends on the kernel.
    let none = [Errno::ESRCH, Errno::ENOENT, Errno::EINVAL];
    let fd = sys.pidfd_open(pid).await.unless(none, "open a pidfd of", &pid.to_string())?;
    let stat = sys.fstat(fd).await.surely("look at", "a pidfd");
    sys.close(fd).await.surely("close", "a pidfd");
    Some(stat.ino)
}

/// So much of a boot id as tells two boots apart for people, too.
fn short(boot_id: u128) -> u32 {
    u32::try_from(boot_id >> 96).expect("32 bits are left")
}
