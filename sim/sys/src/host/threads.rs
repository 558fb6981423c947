use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};

use rustix::thread::futex;

use super::{known, raw};
use crate::{Errno, Pid, Reply, Ret};

pub(super) fn gettid() -> Pid {
    Pid(rustix::thread::gettid().as_raw_pid().cast_unsigned())
}

/// The threads of this process, each with a word that Linux clears when it ends.
#[derive(Default)]
pub(super) struct Threads(Mutex<BTreeMap<Pid, &'static AtomicU32>>);

impl Threads {
    /// The calling thread is the only one of a new process; its id.
    pub(super) fn begin(&self) -> Pid {
        self.lock().clear();
        self.join_in()
    }

    /// The calling thread is one more; its id.
    pub(super) fn join_in(&self) -> Pid {
        let tid = gettid();
        // It is written to when nobody knows of it any more.
        let word: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(tid.0)));
        raw::clear_at_end(word);
        self.lock().insert(tid, word);
        tid
    }

    /// Waits for a thread's end, as `pthread_join` does.
    pub(super) fn join(&self, tid: Pid) -> Reply {
        if tid == gettid() {
            return Err(Errno::EDEADLK);
        }
        let Some(word) = self.lock().get(&tid).copied() else { return Ok(Ret::Unit) };
        while word.load(Ordering::SeqCst) != 0 {
            match futex::wait(word, futex::Flags::empty(), tid.0, None) {
                Ok(()) | Err(rustix::io::Errno::AGAIN) => {}
                Err(errno) => return Err(known(errno)),
            }
        }
        // Linux wakes one of those who wait for a thread's end: the one wakes the others.
        futex::wake(word, futex::Flags::empty(), i32::MAX.cast_unsigned()).map_err(known)?;
        Ok(Ret::Unit)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Pid, &'static AtomicU32>> {
        self.0.lock().expect("nobody panics who holds it")
    }
}
