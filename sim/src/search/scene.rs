//! A world that can be made to stand wherever one has stood.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Automaton, Fingerprint, Happening};

use super::anatomy::{Anatomy, Names, Parts};
use super::outcomes::News;
use super::stand::Watch;
use super::store::Store;
use super::{Memory, Search};
use crate::choice::Choice;
use crate::event::Event;
use crate::kernel::Effect;
use crate::monitor::Fell;
use crate::part::{looked_at, watched};
use crate::world::{State, World};

/// A world, and what watches it: it is built where it is needed first.
pub(super) struct Scenes<'a> {
    search: &'a Search,
    automaton: &'a Arc<Automaton>,
    store: &'a Store,
    scene: Option<Scene<'a>>,
}

impl<'a> Scenes<'a> {
    pub(super) fn new(search: &'a Search, automaton: &'a Arc<Automaton>, store: &'a Store) -> Self {
        Self { search, automaton, store, scene: None }
    }

    /// As it is at the beginning, or was left.
    pub(super) fn scene(&mut self) -> &mut Scene<'a> {
        let Self { search, automaton, store, scene } = self;
        scene.get_or_insert_with(|| {
            let world = World::learning(Arc::clone(&search.setup), search.seed, automaton);
            Scene::new(world, Watch::new(search.monitor.clone()), store)
        })
    }

    /// As it is where it is made so.
    pub(super) fn at(&mut self, there: &Anatomy) -> &mut Scene<'a> {
        let scene = self.scene();
        scene.go_to(there);
        scene
    }
}

/// A world, and what watches it.
pub(super) struct Scene<'a> {
    pub(super) world: World,
    pub(super) watch: Arc<Watch>,
    store: &'a Store,
    /// What they are made of.
    here: Anatomy,
    names: Names,
    /// Where the world stood before.
    before: State,
}

/// What came of a choice.
pub(super) struct Made {
    pub(super) news: News,
    pub(super) heard: Heard,
    /// Which parts of the state before it was looked at to make it.
    pub(super) looks: Parts,
    /// Which parts of the state after it who watches looked at.
    pub(super) heard_at: Parts,
}

/// What who watches made of what happened.
#[derive(Default)]
pub(super) struct Heard {
    /// Whether a call failed that the adversary chose.
    pub(super) has_failed: bool,
    pub(super) fell: Fell,
}

impl<'a> Scene<'a> {
    fn new(world: World, watch: Watch, store: &'a Store) -> Self {
        let before = world.state().clone();
        let (here, names) = (Anatomy::default(), Names::new());
        let mut scene = Self { world, watch: Arc::new(watch), store, here, names, before };
        scene.look();
        scene
    }

    pub(super) fn store(&self) -> &'a Store {
        self.store
    }

    /// What it is made of.
    pub(super) fn here(&self) -> &Anatomy {
        &self.here
    }

    fn go_to(&mut self, there: &Anatomy) {
        let Self { world, watch, store, here, .. } = self;
        if here.fingerprint() != there.fingerprint() {
            store.go(world, watch, here, there);
        }
    }

    /// Looks at what it has become; whatever that is can be gone back to.
    fn look(&mut self) {
        let Self { world, watch, store, here, names, .. } = self;
        here.look_at(world.state(), watch, names);
        store.keep(world.state(), watch, here, names);
    }

    /// Looks at something, and says which parts it looked at.
    pub(super) fn ask<V>(&self, look: impl FnOnce(&World) -> V) -> (V, Parts) {
        let answer = watched(|| look(&self.world));
        let state = self.world.state();
        (answer, looked_at(|seen| Parts::of(seen, state)))
    }

    /// Makes a choice.
    pub(super) fn make(&mut self, choice: Choice) -> Made {
        let Self { world, watch, before, .. } = self;
        before.clone_from(world.state());
        watched(|| {
            world.apply(choice);
            if choice == Choice::Quiet {
                world.forget_adversary();
            }
        });
        let looks = looked_at(|seen| Parts::of(seen, before));
        let news = news(world);
        let heard = watched(|| tell(world, watch, news.told.is_some()));
        let heard_at = looked_at(|seen| Parts::of(seen, world.state()));
        self.look();
        Made { news, heard, looks, heard_at }
    }

    /// Sets all clocks back, if that can be done.
    pub(super) fn set_back(&mut self, memory: Memory) {
        let Some(was) = self.world.set_back(memory.programs) else { return };
        let clock = |time: Duration| {
            let time = (time + World::BASE).saturating_sub(was);
            time.max(World::BASE - memory.monitors)
        };
        Arc::make_mut(&mut self.watch).change(|monitor| monitor.set_back(&clock));
        self.look();
    }
}

/// What the last choice told of.
fn news(world: &World) -> News {
    let mut told = None;
    for event in world.news() {
        told = Some(Fingerprint::of_state(&(told, event)));
    }
    News { is_silent: world.events().iter().all(is_silent), told }
}

/// Whether it tells of nothing but where programs stand.
fn is_silent(event: &Event) -> bool {
    matches!(event, Event::Said { said: Happening::Point(_), .. })
}

/// Tells who watches of all that has just happened. Most steps are no news.
fn tell(world: &World, watch: &mut Arc<Watch>, is_news: bool) -> Heard {
    let failed = |event: &Event| matches!(event, Event::Effect(Effect::IoFailed { .. }));
    let has_failed = world.events().iter().any(failed);
    let mut fell = Vec::new();
    if is_news {
        Arc::make_mut(watch).change(|monitor| {
            for event in world.news() {
                monitor.observe(world, event, &mut fell);
            }
        });
    }
    Heard { has_failed, fell }
}
