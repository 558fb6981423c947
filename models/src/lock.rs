mod aside;
mod beat;
mod entries;
mod errors;
mod file;
mod guard;
mod judge;
mod kernel;
mod look;
mod numbers;
mod over;
mod owner;
mod pauses;
mod place;
mod publish;
mod record;
mod takeover;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Fd, Fingerprint, Sys};
use smol_str::{SmolStr, format_smolstr};

use crate::policy::{Lock, Policy, Reentry};
use crate::word::{mark, point};

pub(crate) use errors::Foreseen;
pub use numbers::claim_number;
pub use owner::Owner;
pub use record::{lock_of_entry, name_with_pid, with_pids};

/// How a lock is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Polling {
    /// The pause between two attempts.
    pub every: Duration,
    /// How long to keep trying, [`Duration::MAX`] without end. It is counted in pauses, not
    /// by a clock.
    pub patience: Duration,
}

/// A lock at one path, as one process takes it.
#[derive(Clone)]
pub struct Handle {
    policy: Arc<Policy>,
    path: SmolStr,
    owner: Owner,
}

/// One acquisition, until it is released. Nested ones are released first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    depth: i64,
    /// Nothing when an outer acquisition holds the lock already.
    hold: Option<Hold>,
}

/// What the owner remembers of a claim it made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Hold {
    File(file::Own),
    Kernel(Fd),
}

impl Handle {
    /// The lock at `path` under `policy`, to be taken in the name of `owner`.
    pub fn new(policy: &Arc<Policy>, path: &SmolStr, owner: &Owner) -> Self {
        Self { policy: Arc::clone(policy), path: path.clone(), owner: owner.clone() }
    }

    /// The same lock, as the calling process takes it.
    pub async fn anew(&self, sys: &Sys) -> Self {
        let owner = Owner::learn(sys, &self.policy).await;
        Self::new(&self.policy, &self.path, &owner)
    }

    /// The same lock, as the calling thread takes it in the name of its process.
    pub async fn in_thread(&self, sys: &Sys) -> Self {
        let owner = self.owner.in_thread(sys).await;
        Self::new(&self.policy, &self.path, &owner)
    }

    /// The fingerprint of the rule, the path, and whose handle it is.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&(self.policy.fingerprint().0, &self.path, &self.owner))
    }

    /// The path of the lock.
    pub fn path(&self) -> &SmolStr {
        &self.path
    }

    /// Takes the lock; `None` when it was not to be had in time.
    pub async fn acquire(&self, sys: &Sys, polling: Polling) -> Option<Claim> {
        let count = self.count(sys).await;
        let depth = 1 + held(sys, count.as_ref()).await;
        sys.mark(mark::WAITING, &self.path, depth);
        let hold = if depth == 1 {
            let hold = self.contend(sys, polling).await;
            if hold.is_none() {
                sys.mark(mark::REFUSED, &self.path, depth);
                return None;
            }
            hold
        } else {
            sys.point(point::ACQUIRE);
            None
        };
        set_held(sys, count.as_ref(), depth).await;
        sys.mark(mark::ENTERED, &self.path, depth);
        sys.point(point::ENTERED);
        Some(Claim { depth, hold })
    }

    /// Gives back what [`acquire`](Self::acquire) took.
    pub async fn release(&self, sys: &Sys, claim: Claim) {
        sys.mark(mark::LEAVING, &self.path, claim.depth);
        sys.point(point::LEAVING);
        let count = self.count(sys).await;
        set_held(sys, count.as_ref(), claim.depth - 1).await;
        match (claim.hold, &self.policy.lock) {
            (None, _) => {}
            (Some(Hold::Kernel(fd)), Lock::Kernel(kept)) => {
                kernel::release(sys, *kept, &self.path, fd).await;
            }
            (Some(Hold::File(own)), Lock::File(lock)) => {
                place::Place::new(self, lock).release(sys, &own).await;
            }
            (Some(_), _) => {
                panic!("{} was taken under another policy", self.path)
            }
        }
        sys.mark(mark::RELEASED, &self.path, claim.depth);
    }

    async fn contend(&self, sys: &Sys, polling: Polling) -> Option<Hold> {
        match &self.policy.lock {
            Lock::File(lock) => {
                place::Place::new(self, lock).contend(sys, polling).await.map(Hold::File)
            }
            Lock::Kernel(kept) => {
                kernel::contend(sys, *kept, &self.path, polling).await.map(Hold::Kernel)
            }
        }
    }

    /// The memory cell that counts how deeply this process holds the lock, or this task.
    async fn count(&self, sys: &Sys) -> Option<SmolStr> {
        let path = &self.path;
        match self.policy.reentry {
            Reentry::None | Reentry::OwnPid => None,
            Reentry::CountProcess => Some(format_smolstr!("count of {path}")),
            // Asked each time: a child has its parent's memory, and another id.
            Reentry::CountTask => {
                let task = sys.gettid().await;
                Some(format_smolstr!("count in {task} of {path}"))
            }
        }
    }
}

/// How deeply the lock is held, as far as it is counted.
async fn held(sys: &Sys, count: Option<&SmolStr>) -> i64 {
    match count {
        Some(cell) => sys.cell_read(cell.clone()).await.expect("a cell can be read"),
        None => 0,
    }
}

async fn set_held(sys: &Sys, count: Option<&SmolStr>, depth: i64) {
    if let Some(cell) = count {
        sys.cell_write(cell.clone(), depth).await.expect("a cell can be written");
    }
}
