//! Record locks against a reference that is naive on purpose: who holds each
//! byte, and how.

use locklab_sys::{Call, Errno, Fd, HeldLock, LockCommand, LockKind, OpenFlags, RecordLock, Ret};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::calls::record_lock;
use crate::lab::Lab;

use LockKind::{Read, Unlock, Write};

/// Ranges begin below 8, and are short; the last byte stands for all further ones.
const BYTES: usize = 16;

/// For each owner, how it holds each byte: a process, or a description of it.
type Held = [[LockKind; BYTES]; 4];

fn bytes(lock: &RecordLock) -> Option<std::ops::Range<usize>> {
    let (start, len) = (lock.start, lock.len);
    let (first, end) = match len {
        0 => (start, BYTES as i64),
        1.. => (start, start + len),
        _ => (start + len, start),
    };
    (first >= 0).then_some(first as usize..end as usize)
}

fn conflicts(held: &Held, owner: usize, lock: &RecordLock, byte: usize) -> bool {
    let others = (0..held.len()).filter(|other| *other != owner);
    let mut kinds = others.map(|other| held[other][byte]);
    kinds.any(|kind| kind == Write || (kind == Read && lock.kind == Write))
}

fn set(held: &mut Held, owner: usize, lock: &RecordLock) -> Result<(), Errno> {
    let range = bytes(lock).ok_or(Errno::EINVAL)?;
    if lock.kind != Unlock && range.clone().any(|byte| conflicts(held, owner, lock, byte)) {
        return Err(Errno::EAGAIN);
    }
    held[owner][range].fill(lock.kind);
    Ok(())
}

/// Whether `told` is a whole lock of another, somewhere in the way.
fn is_in_the_way(held: &Held, owner: usize, lock: &RecordLock, told: &RecordLock) -> bool {
    let range = bytes(told).expect("a held lock has a range");
    let is_whole = |row: &[LockKind; BYTES]| {
        let before = range.start.checked_sub(1).map(|at| row[at]);
        let after = row.get(range.end).copied();
        row[range.clone()].iter().all(|kind| *kind == told.kind)
            && before != Some(told.kind)
            && after != Some(told.kind)
    };
    let asked = bytes(lock).expect("it was asked");
    asked.into_iter().any(|byte| range.contains(&byte) && conflicts(held, owner, lock, byte))
        && (0..held.len()).any(|other| other != owner && is_whole(&held[other]))
}

proptest! {
    #[test]
    fn record_locks_do_as_the_reference(
        steps in vec((0_usize..4, any::<bool>(), record_lock()), 0..60)
    ) {
        let mut lab = Lab::new();
        let tasks = ["a", "b"].map(|name| lab.launch(name));
        lab.put(tasks[0], "/run/lock", "");
        for task in tasks {
            lab.open(task, "/run/lock", OpenFlags::RDWR).unwrap();
        }
        let mut held: Held = [[Unlock; BYTES]; 4];
        for (owner, only_asks, lock) in steps {
            let (task, of_process) = (tasks[owner / 2], owner % 2 == 0);
            let command = match (only_asks && lock.kind != Unlock, of_process) {
                (true, true) => LockCommand::Get,
                (true, false) => LockCommand::OfdGet,
                (false, true) => LockCommand::Set,
                (false, false) => LockCommand::OfdSet,
            };
            let reply = lab.call(task, &Call::Fcntl { fd: Fd(3), command, lock });
            let told = match reply {
                Ok(Ret::Lock(told)) => told,
                reply => {
                    let done = match bytes(&lock) {
                        None => Err(Errno::EINVAL),
                        Some(_) => set(&mut held, owner, &lock),
                    };
                    prop_assert_eq!(reply, done.map(|()| Ret::Unit), "{} {}", command, lock);
                    continue;
                }
            };
            let is_free = bytes(&lock)
                .is_some_and(|mut range| range.all(|byte| !conflicts(&held, owner, &lock, byte)));
            match told {
                None => prop_assert!(is_free, "{} is in the way of nobody", lock),
                Some(HeldLock { lock: told, .. }) => {
                    prop_assert!(is_in_the_way(&held, owner, &lock, &told), "{} says {}", lock, told);
                }
            }
        }
    }
}
