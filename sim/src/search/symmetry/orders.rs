//! What is known of states in other orders.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::sync::Arc;

use locklab_sys::{Fingerprint, SmolStr};

use crate::kernel::Places;
use crate::search::anatomy::Anatomy;
use crate::search::stand::Watch;
use crate::search::table::Table;
use crate::world::State;

/// What becomes of parts of states when they are put in other orders, as far as it was seen:
/// they are few, and what becomes of one does not depend on the others.
#[derive(Default)]
pub(in crate::search) struct Orders {
    pub(super) texts: Texts,
    /// For each order, the number that tells a part, with that of what it becomes.
    numbers: Vec<Numbers>,
    after: Anatomy,
}

type Numbers = Table<u128, u128>;

/// What files say and are called in each order, as far as it was asked: they are few.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) texts: Known<Arc<[u8]>>,
    pub(super) names: Known<SmolStr>,
}

/// For each order, what becomes of what.
pub(super) struct Known<T>(RefCell<Vec<Changes<T>>>);

type Changes<T> = Vec<(T, Option<T>)>;

impl Orders {
    /// The fingerprint of a state in an order, if that is known of all of its parts.
    pub(super) fn fingerprint(&self, order: usize, anatomy: &Anatomy) -> Option<Fingerprint> {
        if order == 0 {
            return Some(anatomy.fingerprint());
        }
        let numbers = self.numbers.get(order)?;
        let mut all = anatomy.all().map(|number| numbers.get(&number));
        all.try_fold(0_u128, |sum, number| Some(sum.wrapping_add(*number?))).map(Fingerprint)
    }

    /// Takes note of what becomes of the parts of a state; its fingerprint then.
    pub(super) fn learn(
        &mut self,
        order: usize,
        before: &Anatomy,
        (put, watch): (&State, &Watch),
        places: &Places,
    ) -> Fingerprint {
        self.after.look_at(put, watch);
        if self.numbers.len() <= order {
            self.numbers.resize_with(order + 1, Numbers::default);
        }
        self.numbers[order].extend(before.pairs(&self.after, places));
        self.after.fingerprint()
    }
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Known<T> {
    pub(super) fn get<B>(
        &self,
        order: usize,
        old: &B,
        make: impl FnOnce() -> Option<T>,
    ) -> Option<T>
    where
        B: PartialEq + ?Sized,
        T: Borrow<B> + for<'a> From<&'a B>,
    {
        let mut known = self.0.borrow_mut();
        if known.len() <= order {
            known.resize_with(order + 1, Vec::new);
        }
        let known = &mut known[order];
        if let Some((_, new)) = known.iter().find(|(it, _)| *it.borrow() == *old) {
            return new.clone();
        }
        let new = make();
        known.push((old.into(), new.clone()));
        new
    }
}
