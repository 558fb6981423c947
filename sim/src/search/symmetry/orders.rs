//! What is known of states in other orders.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::sync::Arc;

use locklab_sys::{Fingerprint, SmolStr};

use crate::kernel::Places;
use crate::search::anatomy::{Anatomy, Name, Names};
use crate::search::stand::Watch;
use crate::search::store::Store;
use crate::search::table::Table;
use crate::world::State;

/// What becomes of parts of states when they are put in other orders, as far as it was seen:
/// they are few, and what becomes of one does not depend on the others.
#[derive(Default)]
pub(in crate::search) struct Orders {
    pub(super) texts: Texts,
    /// For each order, the number that tells a part, with that of what it becomes.
    numbers: Vec<Table<u128, u128>>,
    /// For each order, by the rest, of which part each part has become.
    from: Vec<Table<u128, Box<[usize]>>>,
    /// What is the same of where a task stands, by the number of its part.
    classes: Table<u128, Option<Fingerprint>>,
    /// How a process is, whoever it is, by the number of its part.
    outward: Table<u128, Fingerprint>,
    after: Anatomy,
    names: Names,
}

impl Orders {
    /// How much is known.
    pub(in crate::search) fn len(&self) -> usize {
        self.classes.len() + self.outward.len() + self.numbers.iter().map(Table::len).sum::<usize>()
    }

    pub(in crate::search) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn class(&self, number: u128) -> Option<Option<Fingerprint>> {
        self.classes.get(&number).copied()
    }

    pub(super) fn learn_class(&mut self, number: u128, class: Option<Fingerprint>) {
        self.classes.insert(number, class);
    }

    pub(super) fn outward(
        &mut self,
        number: u128,
        look: impl FnOnce() -> Fingerprint,
    ) -> Fingerprint {
        *self.outward.entry(number).or_insert_with(look)
    }

    /// The fingerprint of a state in an order, if that is known of all of its parts.
    pub(super) fn fingerprint(&self, order: usize, at: &Anatomy) -> Option<Fingerprint> {
        if order == 0 {
            return Some(at.fingerprint());
        }
        let numbers = self.numbers.get(order)?;
        let mut all =
            at.numbers().iter().copied().chain([at.rest()]).map(|number| numbers.get(&number));
        all.try_fold(0_u128, |sum, number| Some(sum.wrapping_add(*number?))).map(Fingerprint)
    }

    /// Takes note of what becomes of the parts of a state; its fingerprint then.
    pub(super) fn learn(
        &mut self,
        order: usize,
        (before, names): (&Anatomy, &Names),
        (put, watch): (&State, &Arc<Watch>),
        places: &Places,
        store: &Store,
    ) -> Fingerprint {
        let count = self.numbers.len().max(order + 1);
        self.numbers.resize_with(count, Table::default);
        self.from.resize_with(count, Table::default);
        self.after.look_at(put, watch, &mut self.names);
        store.keep(put, watch, &self.after, &self.names);
        debug_assert!(self.names == *names, "there are as many processes as before");
        let from = &*self.from[order].entry(before.rest()).or_insert_with(|| whence(names, places));
        let pairs = from.iter().zip(self.after.numbers());
        let numbers = &mut self.numbers[order];
        numbers.extend(pairs.map(|(from, number)| (before.numbers()[*from], *number)));
        numbers.insert(before.rest(), self.after.rest());
        self.after.fingerprint()
    }

    /// Becomes of a state in an order, if that is known of all of its parts.
    pub(super) fn put(
        &mut self,
        order: usize,
        (before, names): (&Anatomy, &Names),
        places: &Places,
        after: &mut Anatomy,
    ) {
        let from = self.from[order].entry(before.rest()).or_insert_with(|| whence(names, places));
        let numbers = &self.numbers[order];
        let become_of = |number: u128| numbers[&number];
        let all = from.iter().map(|from| become_of(before.numbers()[*from]));
        after.become_of(all, become_of(before.rest()));
    }
}

/// For each part, of which part it has become when processes have changed places.
fn whence(names: &Names, places: &Places) -> Box<[usize]> {
    let renamed: Vec<Name> = names.iter().map(|name| name.renamed(places)).collect();
    let place = |name| renamed.iter().position(|it| it == name).expect("all change places");
    names.iter().map(place).collect()
}

/// What files say and are called in each order, as far as it was asked: they are few.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) texts: Known<Arc<[u8]>>,
    pub(super) names: Known<SmolStr>,
}

/// For each order, what becomes of what.
pub(super) struct Known<T>(RefCell<Vec<Changes<T>>>);

type Changes<T> = Vec<(T, Option<T>)>;

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
