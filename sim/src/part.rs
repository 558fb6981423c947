//! Pieces of a state.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use locklab_sys::Fingerprint;
use triomphe::Arc;

/// A piece of a state, which clones share until one of them changes it, and whose
/// fingerprint is found once for all of them. Most steps change few pieces of a world.
pub(crate) struct Part<T>(Arc<Shared<T>>);

struct Shared<T> {
    value: T,
    fingerprint: Found,
}

/// A fingerprint, once somebody has found it. Whoever finds it finds the same: so it is no
/// matter who writes it down, nor that it has two halves. One that is zero is found again.
#[derive(Default)]
struct Found {
    high: AtomicU64,
    low: AtomicU64,
}

impl Found {
    fn get(&self) -> Option<Fingerprint> {
        let halves = [&self.high, &self.low].map(|half| half.load(Relaxed));
        let [high, low] = halves.map(u128::from);
        (!halves.contains(&0)).then_some(Fingerprint(high << 64 | low))
    }

    fn set(&self, fingerprint: Fingerprint) {
        self.high.store((fingerprint.0 >> 64) as u64, Relaxed);
        self.low.store(fingerprint.0 as u64, Relaxed);
    }

    fn forget(&mut self) {
        (*self.high.get_mut(), *self.low.get_mut()) = (0, 0);
    }
}

/// Sees all that a state is made of, always in one order.
pub(crate) trait Visitor {
    fn part<T: Value>(&mut self, part: &Part<T>, of: Owner);

    /// What is in no part.
    fn rest<T: Hash>(&mut self, rest: &T);
}

/// Whose a part is, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    Nobody,
    Process(u32),
    Task(u32),
}

/// Changes parts of a state, and is shown them in the order in which a [`Visitor`] is.
pub(crate) trait VisitorMut {
    fn part<T: Value>(&mut self, part: &mut Part<T>);
}

/// What a part may be.
pub(crate) trait Value: Hash + Any + Send + Sync {}

impl<T: Hash + Any + Send + Sync> Value for T {}

/// Which value a part has, as long as somebody has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity(usize);

thread_local! {
    /// Whether it is taken down what is looked at.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    static LOOKED_AT: RefCell<Vec<Identity>> = const { RefCell::new(Vec::new()) };
}

/// Does something, and takes down which parts it looks at, to read or to change them.
pub(crate) fn watched<R>(does: impl FnOnce() -> R) -> R {
    LOOKED_AT.with_borrow_mut(Vec::clear);
    IS_WATCHED.set(true);
    let _end = EndOfWatch;
    does()
}

/// A panic ends it, too.
struct EndOfWatch;

impl Drop for EndOfWatch {
    fn drop(&mut self) {
        IS_WATCHED.set(false);
    }
}

/// What the last that was [`watched`] on this thread looked at. Parts that did not exist
/// before may be among them, and some more than once.
pub(crate) fn looked_at<R>(look: impl FnOnce(&[Identity]) -> R) -> R {
    LOOKED_AT.with_borrow(|looked_at| look(looked_at))
}

impl<T> Part<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(Shared { value, fingerprint: Found::default() }))
    }

    pub(crate) fn identity(&self) -> Identity {
        Identity(Arc::as_ptr(&self.0) as usize)
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint
    where
        T: Hash,
    {
        self.look_at();
        let Shared { value, fingerprint } = &*self.0;
        fingerprint.get().unwrap_or_else(|| {
            let found = Fingerprint::of_state(value);
            fingerprint.set(found);
            found
        })
    }

    fn look_at(&self) {
        if IS_WATCHED.get() {
            self.take_down();
        }
    }

    #[cold]
    fn take_down(&self) {
        LOOKED_AT.with_borrow_mut(|looked_at| {
            // Most are looked at several times in a row.
            if looked_at.last() != Some(&self.identity()) {
                looked_at.push(self.identity());
            }
        });
    }

    /// Puts `value` in its place. Where it is watched what is looked at, no part may be
    /// overwritten otherwise: that it became what it was already would not be seen.
    pub(crate) fn put(&mut self, value: T) {
        self.look_at();
        *self = Self::new(value);
    }

    /// Puts `value` in its place, unless it is the same.
    pub(crate) fn set(&mut self, value: T)
    where
        T: PartialEq,
    {
        if **self != value {
            *self = Self::new(value);
        }
    }
}

impl<T: Clone> Clone for Shared<T> {
    /// A copy is made to be changed.
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), fingerprint: Found::default() }
    }
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        self.look_at();
        Self(Arc::clone(&self.0))
    }

    /// Most parts of two states that follow each other are shared already.
    fn clone_from(&mut self, source: &Self) {
        self.look_at();
        source.look_at();
        if !Arc::ptr_eq(&self.0, &source.0) {
            *self = source.clone();
        }
    }
}

impl<T> Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.look_at();
        &self.0.value
    }
}

impl<T: Clone> DerefMut for Part<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.look_at();
        let shared = Arc::make_mut(&mut self.0);
        shared.fingerprint.forget();
        &mut shared.value
    }
}

impl<T: Hash> Hash for Part<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.fingerprint().hash(hasher);
    }
}

impl<T: PartialEq> PartialEq for Part<T> {
    fn eq(&self, other: &Self) -> bool {
        self.look_at();
        other.look_at();
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl<T: Eq> Eq for Part<T> {}

impl<T: Default> Default for Part<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for Part<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
