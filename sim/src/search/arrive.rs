//! From a choice to the state that it leads to.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Fingerprint, Happening};

use super::anatomy::Anatomy;
use super::expand::{Fall, Reached};
use super::outcomes::{Made, Outcome};
use super::retrace::forced_in;
use super::seen::Step;
use super::stand::{Stand, Watch};
use super::walk::Walker;
use crate::choice::Choice;
use crate::event::Event;
use crate::kernel::Effect;
use crate::monitor::{End, Fell};
use crate::part::{looked_at, watched};
use crate::world::World;

/// What who watches made of what happened.
struct Heard {
    /// Whether it was told anything.
    is_news: bool,
    /// Whether a call failed that the adversary chose.
    has_failed: bool,
    fell: Fell,
}

impl Walker<'_> {
    /// The state that it leads to.
    pub(super) fn follow(&mut self, choice: Choice, stand: &Stand) -> Fingerprint {
        self.expansion.edges += 1;
        // That a call is to fail is no fault before it is made.
        if let Some(budget) = choice.budget().filter(|_| !matches!(choice, Choice::FailIo(..))) {
            self.expansion.spend(budget);
        }
        let step = Some((stand.id, since(stand.state.now(), choice)));
        self.left = stand.left;
        self.left.spend(choice);
        let raw = self.bring_about(choice, stand, step, false);
        self.arrive(Some(stand), step, raw.expect("it need not be silent"))
    }

    /// Makes a choice, or lets the world be as if it had been made; the fingerprint of what
    /// comes of it, before what must happen then. If that is known, the world may still stand
    /// where it stood. Nothing if it was to be silent and is not.
    pub(super) fn bring_about(
        &mut self,
        choice: Choice,
        stand: &Stand,
        step: Step,
        silently: bool,
    ) -> Option<Fingerprint> {
        let here = &stand.anatomy;
        let node = match choice {
            Choice::Step(task) => Some(stand.state.node(task)),
            _ => None,
        };
        let Some(outcome) = self.outcomes.find(choice, node, here) else {
            self.stand_on(stand);
            return self.make(choice, node, (stand, step), silently);
        };
        if cfg!(debug_assertions) {
            self.must_come_of(choice, stand, outcome);
        }
        if silently && !outcome.is_silent {
            return None;
        }
        let raw = self.with_all_else(outcome.fingerprint(here));
        if self.is_reached(raw) {
            return Some(raw);
        }
        if !self.is_here {
            self.world.go_to(&stand.state);
            self.watch.clone_from(&stand.watch);
        }
        self.is_here = false;
        outcome.befall(&mut self.world, &mut self.watch, (here, &mut self.after));
        debug_assert!(self.fingerprint() == raw, "what was told of {choice:?} was put in place");
        Some(raw)
    }

    /// What is remembered is what comes of it when it is made, and no other.
    fn must_come_of(&self, choice: Choice, stand: &Stand, outcome: &Outcome) {
        let (mut world, mut watch) = (self.world.clone(), Arc::clone(&stand.watch));
        world.go_to(&stand.state);
        let (is_silent, heard) = make(&mut world, &mut watch, choice, false);
        let heard = heard.expect("it need not be silent");
        assert!(heard.fell.is_empty() && !heard.has_failed, "{choice:?} has something to tell");
        assert_eq!(is_silent, outcome.is_silent, "{choice:?} is not as silent as it was");
        let mut anatomy = Anatomy::default();
        anatomy.look_at(world.state(), &watch);
        let is_same = anatomy.fingerprint() == outcome.fingerprint(&stand.anatomy);
        assert!(is_same, "what comes of {choice:?} is not what came of it before");
    }

    /// Makes a choice, and takes note of what comes of it.
    fn make(
        &mut self,
        choice: Choice,
        node: Option<Fingerprint>,
        (stand, step): (&Stand, Step),
        silently: bool,
    ) -> Option<Fingerprint> {
        self.is_here = false;
        let Self { world, watch, .. } = self;
        let (is_silent, heard) = watched(|| make(world, watch, choice, silently));
        let heard = heard?;
        let raw = self.fingerprint();
        // What falls or fails is told each time.
        if heard.fell.is_empty() && !heard.has_failed {
            let made = Made { choice, node, is_silent, is_heard: heard.is_news };
            let (state, watch) = (self.world.state(), &self.watch);
            looked_at(|seen| {
                self.outcomes.learn(made, seen, (stand, &self.after), (state, watch));
            });
        }
        self.take_down(heard, step, 0);
        Some(raw)
    }

    /// Lets happen what must after what has this fingerprint, and keeps the state that
    /// comes of it if it is new.
    pub(super) fn arrive(
        &mut self,
        stand: Option<&Stand>,
        step: Step,
        raw: Fingerprint,
    ) -> Fingerprint {
        if self.knows(raw) {
            return raw;
        }
        if let Some(fingerprint) = self.outcomes.arrival(raw) {
            return self.reach(fingerprint, step, None);
        }
        let told = self.expansion.told;
        let (forced, is_other) = self.settle(stand, step);
        if let (None, Some(symmetry)) = (step, self.symmetry) {
            symmetry.begin(self.world.state());
        }
        self.left.look_around(&self.offer.steps);
        if is_other {
            self.after.look_at(self.world.state(), &self.watch);
        }
        let settled = self.with_all_else(self.after.fingerprint());
        let order = if self.is_reached(settled) { None } else { self.order() };
        let ordered = order.map_or(settled, |(_, fingerprint)| fingerprint);
        let fingerprint = self.outcomes.arrival(ordered).unwrap_or(ordered);
        // From now on it need not be settled, and put in order, to be known.
        let aliases = [settled, raw].into_iter().filter(|alias| *alias != fingerprint);
        self.expansion.aliases.extend(aliases.map(|alias| (alias, fingerprint)));
        if self.is_reached(fingerprint) {
            return self.reach(fingerprint, step, None);
        }
        if let Some((number, _)) = order {
            self.put(number);
            self.after.look_at(self.world.state(), &self.watch);
            debug_assert!(self.fingerprint() == fingerprint, "it was told what comes of it");
        }
        if self.is_at_end() {
            self.end(step, forced);
        }
        // What fell on the way is told of each way.
        if self.expansion.told == told {
            for alias in [raw, settled, fingerprint] {
                self.outcomes.arrived(alias, fingerprint);
            }
        }
        let stand = self.stand();
        self.reach(fingerprint, step, Some(stand))
    }

    /// Whether a state is known, or was come to in this batch with nothing to tell.
    fn is_reached(&self, fingerprint: Fingerprint) -> bool {
        self.knows(fingerprint) || self.outcomes.arrival(fingerprint).is_some()
    }

    fn reach(
        &mut self,
        fingerprint: Fingerprint,
        step: Step,
        stand: Option<Box<Stand>>,
    ) -> Fingerprint {
        if !self.knows(fingerprint) {
            self.expansion.reached.push(Reached { fingerprint, step, stand });
        }
        fingerprint
    }

    fn knows(&self, fingerprint: Fingerprint) -> bool {
        self.seen.is_some_and(|seen| seen.knows(fingerprint))
    }

    /// Lets happen what must, and sets clocks back; how much had to happen, and whether it
    /// is another state then.
    pub(super) fn settle(&mut self, stand: Option<&Stand>, step: Step) -> (usize, bool) {
        let mut forced = 0;
        while let Some(next) = forced_in(&self.world, &mut self.offer) {
            forced += 1;
            self.world.apply(next);
            self.observe(step, forced);
        }
        // Nothing but a change of the rest makes clocks move on.
        let is_same_rest = stand.is_some_and(|it| self.after.has_rest_of(&it.anatomy));
        let need_not = forced == 0 && self.is_set_back && is_same_rest;
        let was_set_back = !need_not && self.set_back();
        let is_other = forced > 0 || was_set_back;
        (forced, is_other)
    }

    /// Whether nothing happens any more if the adversary makes no move.
    fn is_at_end(&self) -> bool {
        let kernel = self.world.kernel();
        let mut all = kernel.processes();
        self.offer.steps.is_empty() && !all.any(|(_, process)| process.is_stopped())
    }

    /// To fill what was used before takes no memory, and far less time.
    fn stand(&mut self) -> Box<Stand> {
        let (state, watch, left) = (self.world.state(), &self.watch, self.left);
        let anatomy = &self.after;
        match self.expansion.spare.pop() {
            Some(mut stand) => {
                stand.left = left;
                stand.state.clone_from(state);
                stand.watch.clone_from(watch);
                stand.anatomy.clone_from(anatomy);
                stand
            }
            None => {
                let (state, anatomy) = (state.clone(), anatomy.clone());
                Box::new(Stand { id: 0, left, state, watch: Arc::clone(watch), anatomy })
            }
        }
    }

    /// Whether it did.
    fn set_back(&mut self) -> bool {
        let Some(memory) = self.search.reductions.memory else { return false };
        let Some(was) = self.world.set_back(memory.programs) else { return false };
        let clock = |time: Duration| {
            let time = (time + World::BASE).saturating_sub(was);
            time.max(World::BASE - memory.monitors)
        };
        Arc::make_mut(&mut self.watch).change(|monitor| monitor.set_back(&clock));
        true
    }

    /// The number of the order into which those that are alike are put.
    pub(super) fn put_in_order(&mut self) -> usize {
        self.after.look_at(self.world.state(), &self.watch);
        let order = self.order();
        order.map_or(0, |(number, _)| {
            self.put(number);
            number
        })
    }

    /// The number of the order into which those that are alike are to be put, and what comes
    /// of it, unless they are in order.
    fn order(&mut self) -> Option<(usize, Fingerprint)> {
        let Self { symmetry, world, watch, after, outcomes, .. } = self;
        let order =
            symmetry.as_ref()?.order_of(world.state(), watch, after, &mut outcomes.orders)?;
        Some((order.0, self.left.with(order.1)))
    }

    fn put(&mut self, number: usize) {
        let Some(symmetry) = self.symmetry else { return };
        let put = symmetry.put(number, self.world.state(), &self.watch, &self.outcomes.orders);
        if let Some((state, watch)) = put {
            self.world.set_state(state);
            self.watch = watch;
        }
    }

    pub(super) fn fingerprint(&mut self) -> Fingerprint {
        self.after.look_at(self.world.state(), &self.watch);
        self.with_all_else(self.after.fingerprint())
    }

    /// The fingerprint of where the world stands, if this is that of its state and of who
    /// watches: with what is left, and with what moves may depend on.
    fn with_all_else(&self, state: Fingerprint) -> Fingerprint {
        let whole = self.left.with(state);
        match self.allowed {
            Some(_) => Fingerprint::of_state(&(whole, self.world.last_points())),
            None => whole,
        }
    }

    pub(super) fn observe(&mut self, step: Step, forced: usize) {
        let heard = tell(&self.world, &mut self.watch);
        self.take_down(heard, step, forced);
    }

    fn take_down(&mut self, heard: Heard, step: Step, forced: usize) {
        if heard.has_failed {
            self.expansion.spend("io-errors");
        }
        self.expansion.told += usize::from(heard.has_failed) + heard.fell.len();
        let falls = heard.fell.into_iter();
        let fall = |(which, _)| Fall { which, step, forced, at_end: false };
        self.expansion.falls.extend(falls.map(fall));
    }

    fn end(&mut self, step: Step, forced: usize) {
        let end = if self.world.is_over() { End::Finished } else { End::Hung };
        if let Some(look) = self.search.look_at_ends {
            self.expansion.ends.insert(look(&self.world, end));
        }
        let mut fell = Vec::new();
        self.watch.monitor.clone().end(&self.world, end, &mut fell);
        self.expansion.told += fell.len();
        let fall = |(which, _)| Fall { which, step, forced, at_end: true };
        self.expansion.falls.extend(fell.into_iter().map(fall));
    }
}

/// The choice as it is written down: clocks may be set back before it is made again.
fn since(now: Duration, choice: Choice) -> Choice {
    match choice {
        Choice::Until(time) => Choice::Until(time - now),
        other => other,
    }
}

/// Makes a choice; whether it is silent, and, unless it was to be silent and is not, what who
/// watches made of it.
fn make(
    world: &mut World,
    watch: &mut Arc<Watch>,
    choice: Choice,
    silently: bool,
) -> (bool, Option<Heard>) {
    world.apply(choice);
    if choice == Choice::Quiet {
        world.forget_adversary();
    }
    let is_silent = world.events().iter().all(is_silent);
    (is_silent, (is_silent || !silently).then(|| tell(world, watch)))
}

/// Whether it tells of nothing but where programs stand.
fn is_silent(event: &Event) -> bool {
    matches!(event, Event::Said { said: Happening::Point(_), .. })
}

/// Tells who watches of all that has just happened.
fn tell(world: &World, watch: &mut Arc<Watch>) -> Heard {
    let failed = |event: &Event| matches!(event, Event::Effect(Effect::IoFailed { .. }));
    let has_failed = world.events().iter().any(failed);
    // Most steps are no news.
    let is_news = world.news().next().is_some();
    let mut fell = Vec::new();
    if is_news {
        Arc::make_mut(watch).change(|monitor| {
            for event in world.news() {
                monitor.observe(world, event, &mut fell);
            }
        });
    }
    Heard { is_news, has_failed, fell }
}
