//! Processes that are alike are taken for one another.
//!
//! Of all states that differ only in which of them is where, a search goes on from one:
//! that in which they stand in the order of where their tasks stand, whoever they are.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use locklab_sys::{Fingerprint, Pid, Renaming, SmolStr};

use super::anatomy::Anatomy;
use super::scene::Scenes;
use super::stand::Watch;
use super::store::Rest;
use crate::kernel::{Place, Places, TaskId};
use crate::monitor::Swap;
use crate::setup::Setup;
use crate::world::State;
pub(super) use orders::Orders;
use orders::Texts;

/// Whose pid takes the place of whose.
pub type Others<'a> = dyn Fn(Pid) -> Pid + 'a;

/// Processes of which it makes no difference which is which.
#[derive(Clone, Debug)]
pub struct Alike {
    /// Their indices in the set-up: they are launched at one time, run one program with the
    /// same arguments, and know each other by pids and by what files say alone. Of more
    /// than four on the first one's machine, the first four count. Should one be seen to do what another in its place
    /// would not, all is searched without this.
    pub launches: Vec<usize>,
    /// What a file would say if others had the pids in it; nothing if that is not known.
    pub text: fn(&[u8], &Others<'_>) -> Option<Vec<u8>>,
    /// What a file would be called, or its path be.
    pub name: fn(&str, &Others<'_>) -> Option<SmolStr>,
}

const ALIKE_MAX: usize = 4;

/// All orders into which they can be put.
pub(super) struct Symmetry<'a> {
    alike: &'a Alike,
    launches: Vec<usize>,
    /// `orders[n][i]` is whose place the one at `i` takes. The first leaves all as it is.
    orders: Vec<Vec<usize>>,
    /// Where they are, once the search has begun.
    launched: OnceLock<Launched>,
    /// Whether some of them turned out not to be alike, or that could not be told.
    is_broken: AtomicBool,
}

struct Launched {
    places: Vec<Place>,
    /// As the orders say.
    changes: Vec<Places>,
}

impl<'a> Symmetry<'a> {
    /// Nothing if there are not at least two. Who is named by what wakes the adversary, or by
    /// a fault that is told, is like nobody.
    pub(super) fn new(alike: &'a Alike, setup: &Setup) -> Option<Self> {
        let wakes = setup.adversary.after.iter().map(|after| after.process);
        let named: Vec<usize> = wakes.chain(setup.story.iter().map(|it| it.process)).collect();
        let unnamed = alike.launches.iter().copied().filter(|launch| !named.contains(launch));
        let machine = |launch: usize| setup.processes[launch].machine;
        let first = alike.launches.first().map(|launch| machine(*launch));
        let neighbours = unnamed.filter(|launch| Some(machine(*launch)) == first);
        let launches: Vec<usize> = neighbours.take(ALIKE_MAX).collect();
        let count = launches.len();
        let orders = permutations(count);
        let (launched, is_broken) = (OnceLock::new(), AtomicBool::new(false));
        (count > 1).then_some(Self { alike, launches, orders, launched, is_broken })
    }

    /// Whether they are not alike, as was seen meanwhile: then some states were taken for
    /// what they are not.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// The number of the order in which a state is to be put, and what its fingerprint is
    /// then. Nothing if it is in this order already, or nobody is known to be alike.
    pub(super) fn order_of(
        &self,
        at: &Anatomy,
        rest: &Rest,
        scenes: &mut Scenes<'_>,
        memory: &mut Orders,
    ) -> Option<(usize, Fingerprint)> {
        let launched = self.launched.get()?;
        let order = self.try_order_of(launched, at, rest, scenes, memory);
        if order.is_none() {
            self.is_broken.store(true, Ordering::Relaxed);
        }
        order.filter(|(number, _)| *number > 0)
    }

    fn try_order_of(
        &self,
        Launched { places, changes }: &Launched,
        at: &Anatomy,
        rest: &Rest,
        scenes: &mut Scenes<'_>,
        memory: &mut Orders,
    ) -> Option<(usize, Fingerprint)> {
        // Whoever is not one of them must not tell them apart either.
        let mut classes = [Fingerprint(0); ALIKE_MAX];
        for (task, place) in (0..).map(TaskId).zip(rest.tasks.clone()) {
            let class = self.class(task, at.numbers()[place], changes, at, scenes, memory)?;
            if let Some(one) = places.iter().position(|place| place.task == task) {
                classes[one] = class;
            }
        }
        let mut signatures = [(Fingerprint(0), Fingerprint(0)); ALIKE_MAX];
        for (one, place) in places.iter().enumerate() {
            let number = at.numbers()[rest.process(place.proc)];
            let outward = memory.outward(number, || {
                let state = scenes.at(at).world.state();
                Fingerprint::of_state(&state.outward(*place))
            });
            signatures[one] = (classes[one], outward);
        }
        let is_sorted = |order: &[usize]| {
            (1..order.len()).all(|at| {
                (0..at).all(|before| match signatures[before].cmp(&signatures[at]) {
                    Less => order[before] < order[at],
                    Equal => true,
                    Greater => order[before] > order[at],
                })
            })
        };
        let mut best: Option<(Fingerprint, usize)> = None;
        let orders = self.orders.iter().zip(changes).enumerate();
        for (number, (_, places)) in orders.filter(|(_, (order, _))| is_sorted(order)) {
            let known = memory.fingerprint(number, at);
            if cfg!(debug_assertions) && known.is_some() {
                let found = self.look(number, places, at, rest, scenes, memory);
                assert_eq!(found, known, "what becomes of parts does not depend on the others");
            }
            let fingerprint = match known {
                Some(known) => known,
                None => self.look(number, places, at, rest, scenes, memory)?,
            };
            best = best.into_iter().chain([(fingerprint, number)]).min();
        }
        best.map(|(fingerprint, number)| (number, fingerprint))
    }

    /// Puts a state in this order, and takes note of what becomes of its parts; its
    /// fingerprint then.
    fn look(
        &self,
        number: usize,
        places: &Places,
        at: &Anatomy,
        rest: &Rest,
        scenes: &mut Scenes<'_>,
        memory: &mut Orders,
    ) -> Option<Fingerprint> {
        let scene = scenes.at(at);
        let (state, watch) =
            self.renamed(number, places, scene.world.state(), &scene.watch, &memory.texts)?;
        Some(memory.learn(number, (at, &rest.names), (&state, &watch), places, scene.store()))
    }

    /// What is the same of where a task stands, whoever it is; nothing if that cannot be told.
    fn class(
        &self,
        task: TaskId,
        number: u128,
        changes: &[Places],
        at: &Anatomy,
        scenes: &mut Scenes<'_>,
        memory: &mut Orders,
    ) -> Option<Fingerprint> {
        if let Some(class) = memory.class(number) {
            return class;
        }
        let state = scenes.at(at).world.state();
        let texts = &memory.texts;
        let class = state.class_of(task, changes.len(), &mut |number, look| {
            self.with_renaming(number, &changes[number], texts, look);
        });
        memory.learn_class(number, class);
        class
    }

    /// Becomes of a state in the order of this number, of whose parts that is known.
    pub(super) fn put(
        &self,
        number: usize,
        before: &Anatomy,
        rest: &Rest,
        memory: &mut Orders,
        after: &mut Anatomy,
    ) {
        let Some(launched) = self.launched.get() else { return };
        memory.put(number, (before, &rest.names), &launched.changes[number], after);
    }

    /// Whose place each takes in this order.
    pub(super) fn order(&self, number: usize) -> &[usize] {
        &self.orders[number]
    }

    /// Who takes whose place, by this order of them.
    pub(super) fn places(&self, order: &[usize]) -> Option<&Places> {
        let number = self.orders.iter().position(|other| other == order)?;
        self.launched.get().map(|launched| &launched.changes[number])
    }

    /// The search begins in this state. Who is launched later may have another number in each
    /// run: then nobody is taken for another.
    pub(super) fn begin(&self, state: &State) {
        let places = self.launches.iter().map(|launch| state.place_of(*launch));
        let Some(places) = places.collect::<Option<Vec<Place>>>() else {
            self.is_broken.store(true, Ordering::Relaxed);
            return;
        };
        let changes = self.orders.iter().map(|order| Places::new(&places, order)).collect();
        self.launched.get_or_init(|| Launched { places, changes });
    }

    /// A state, and what is remembered of it, in the order of this number; nothing if that
    /// cannot be told.
    fn renamed(
        &self,
        number: usize,
        places: &Places,
        state: &State,
        watch: &Arc<Watch>,
        texts: &Texts,
    ) -> Option<(State, Arc<Watch>)> {
        let mut put = None;
        self.with_renaming(number, places, texts, &mut |renaming| {
            put = state.renamed(places, renaming);
        });
        let mut watch = Arc::clone(watch);
        let pid = |pid| places.pid(pid);
        let swap = Swap {
            proc: &|proc| places.proc(proc),
            task: &|task| places.task(task),
            name: &|name| texts.names.get(number, name, || (self.alike.name)(name, &pid)),
        };
        let mut is_known = true;
        Arc::make_mut(&mut watch).change(|monitor| is_known = monitor.change_places(&swap));
        put.filter(|_| is_known).map(|state| (state, watch))
    }

    fn with_renaming(
        &self,
        number: usize,
        places: &Places,
        texts: &Texts,
        look: &mut dyn FnMut(&Renaming<'_>),
    ) {
        let pid = |pid| places.pid(pid);
        let text = |bytes: &[u8]| {
            texts.texts.get(number, bytes, || (self.alike.text)(bytes, &pid).map(Into::into))
        };
        let name = |name: &str| texts.names.get(number, name, || (self.alike.name)(name, &pid));
        look(&Renaming { number, count: self.orders.len(), pid: &pid, text: &text, name: &name });
    }
}

/// All orders of so many, that which leaves all as it is first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = all.into_iter().flat_map(|order: Vec<usize>| {
            let left: Vec<usize> = (0..count).filter(|it| !order.contains(it)).collect();
            left.into_iter().map(move |next| [&order[..], &[next]].concat())
        });
        all = longer.collect();
    }
    all
}

mod orders;
#[cfg(test)]
mod tests;
