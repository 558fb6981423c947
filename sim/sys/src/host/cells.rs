use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rustix::thread::futex;
use smol_str::SmolStr;

use super::{known, signals, timespec};
use crate::{Errno, Reply, Ret};

/// Memory that the threads of this process share.
#[derive(Default)]
pub(super) struct Cells(Mutex<BTreeMap<SmolStr, Arc<Word>>>);

/// A value in two halves, which change together under the lock: a futex has 32
/// bits.
#[derive(Default)]
struct Word {
    low: AtomicU32,
    high: AtomicU32,
}

impl Word {
    fn get(&self) -> i64 {
        let [low, high] = [&self.low, &self.high].map(|half| half.load(Ordering::SeqCst));
        (u64::from(high) << 32 | u64::from(low)).cast_signed()
    }

    fn set(&self, value: i64) {
        self.low.store(value as u32, Ordering::SeqCst);
        self.high.store((value >> 32) as u32, Ordering::SeqCst);
    }
}

impl Cells {
    pub(super) fn read(&self, cell: &SmolStr) -> i64 {
        self.lock().entry(cell.clone()).or_default().get()
    }

    pub(super) fn write(&self, cell: &SmolStr, value: i64) {
        self.lock().entry(cell.clone()).or_default().set(value);
    }

    pub(super) fn swap(&self, cell: &SmolStr, expected: i64, new: i64) -> i64 {
        let mut cells = self.lock();
        let word = cells.entry(cell.clone()).or_default();
        let held = word.get();
        if held == expected {
            word.set(new);
        }
        held
    }

    pub(super) fn wait(&self, cell: &SmolStr, expected: i64, limit: Option<Duration>) -> Reply {
        let word = Arc::clone(self.lock().entry(cell.clone()).or_default());
        if word.high.load(Ordering::SeqCst) != (expected >> 32) as u32 {
            return Err(Errno::EAGAIN);
        }
        let limit = limit.map(timespec);
        let waited = futex::wait(&word.low, futex::Flags::PRIVATE, expected as u32, limit.as_ref());
        waited.map(|()| Ret::Unit).map_err(known)
    }

    pub(super) fn wake(&self, cell: &SmolStr, count: u32) -> Reply {
        let word = Arc::clone(self.lock().entry(cell.clone()).or_default());
        let count = count.min(i32::MAX.cast_unsigned());
        let woken = futex::wake(&word.low, futex::Flags::PRIVATE, count).map_err(known)?;
        Ok(Ret::Len(woken as u32))
    }

    /// With what handlers have set in the meantime.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<SmolStr, Arc<Word>>> {
        let mut cells = self.0.lock().expect("nobody panics who holds it");
        for cell in signals::caught() {
            cells.entry(cell).or_default().set(1);
        }
        cells
    }
}
