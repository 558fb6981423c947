//! Pieces of a state.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use locklab_sys::Fingerprint;
use triomphe::Arc;

/// A piece of a state, which clones share until one of them changes it, and whose
/// fingerprint is found once for all of them. Most steps change few pieces of a world.
pub(crate) struct Part<T>(Arc<Shared<T>>);

struct Shared<T> {
    value: T,
    fingerprint: OnceLock<Fingerprint>,
}

impl<T> Part<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(Shared { value, fingerprint: OnceLock::new() }))
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
        Self { value: self.value.clone(), fingerprint: OnceLock::new() }
    }
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Most parts of two states that follow each other are shared already.
    fn clone_from(&mut self, source: &Self) {
        if !Arc::ptr_eq(&self.0, &source.0) {
            *self = source.clone();
        }
    }
}

impl<T> Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: Clone> DerefMut for Part<T> {
    fn deref_mut(&mut self) -> &mut T {
        let shared = Arc::make_mut(&mut self.0);
        shared.fingerprint.take();
        &mut shared.value
    }
}

impl<T: Hash> Hash for Part<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Shared { value, fingerprint } = &*self.0;
        fingerprint.get_or_init(|| Fingerprint::of_state(value)).hash(hasher);
    }
}

impl<T: PartialEq> PartialEq for Part<T> {
    fn eq(&self, other: &Self) -> bool {
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
