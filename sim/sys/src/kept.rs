use std::any::Any;
use std::hash::Hash;

use crate::Fingerprint;

/// What a loop carries from one round to the next, or out of it.
pub trait Locals: Any + Hash + Clone + Send + Sync {}

impl<T: Any + Hash + Clone + Send + Sync> Locals for T {}

/// Locals of any type, as a trail keeps them.
pub(crate) trait Kept: Any + Send + Sync {
    fn fingerprint(&self) -> Fingerprint;
}

impl<T: Locals> Kept for T {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self)
    }
}
