//! From a choice to the state that it leads to.

use std::time::Duration;

use locklab_sys::Fingerprint;

use super::expand::{Fall, Reached};
use super::scene::Heard;
use super::seen::Step;
use super::stand::Stand;
use super::walk::Walker;
use crate::choice::Choice;
use crate::monitor::End;

impl Walker<'_> {
    /// The state that it leads to.
    pub(super) fn follow(&mut self, choice: Choice, stand: &Stand) -> Fingerprint {
        self.expansion.edges += 1;
        // That a call is to fail is no fault before it is made.
        if let Some(budget) = choice.budget().filter(|_| !matches!(choice, Choice::FailIo(..))) {
            self.expansion.spend(budget);
        }
        let step = Some((stand.id, since(self.oracle.now(&stand.anatomy), choice)));
        self.left = stand.left;
        self.left.spend(choice);
        let raw = self.bring_about(choice, stand, step, false);
        self.arrive(step, raw.expect("it need not be silent"))
    }

    /// Makes a choice, or finds what is known to come of it: the fingerprint of that, before
    /// what must happen then. Nothing if it was to be silent and is not.
    pub(super) fn bring_about(
        &mut self,
        choice: Choice,
        stand: &Stand,
        step: Step,
        silently: bool,
    ) -> Option<Fingerprint> {
        let from = &stand.anatomy;
        if let Some(is_silent) = self.oracle.known(choice, from, &mut self.after) {
            // Nothing is remembered where anything but the state is told apart.
            return (!silently || is_silent).then(|| self.left.with(self.after.fingerprint()));
        }
        self.stand_on(stand);
        let made = self.oracle.make(choice, from, &mut self.after);
        if silently && !made.news.is_silent {
            return None;
        }
        self.take_down(made.heard, step, 0);
        Some(self.fingerprint())
    }

    /// Lets happen what must after what has this fingerprint, and keeps the state that
    /// comes of it if it is new.
    pub(super) fn arrive(&mut self, step: Step, raw: Fingerprint) -> Fingerprint {
        if self.knows(raw) {
            return raw;
        }
        if let Some(fingerprint) = self.arrival(raw) {
            return self.reach(fingerprint, step, None);
        }
        let told = self.expansion.told;
        let forced = self.settle(step);
        if let (None, Some(symmetry)) = (step, self.symmetry) {
            symmetry.begin(self.oracle.scenes.at(&self.after).world.state());
        }
        if self.left.preemptions.is_some() {
            self.oracle.abilities(&self.after, &mut self.abilities);
            let abilities = &self.abilities;
            self.left.look_around(|task| abilities.iter().any(|(it, _)| it == task));
        }
        let settled = self.fingerprint();
        let order = if self.is_reached(settled) { None } else { self.order() };
        let ordered = order.map_or(settled, |(_, fingerprint)| fingerprint);
        let fingerprint = self.arrival(ordered).unwrap_or(ordered);
        let is_new = !self.is_reached(fingerprint);
        if is_new {
            self.put_in(order);
            self.oracle.abilities(&self.after, &mut self.abilities);
            self.end_if_over(step, forced);
        }
        // What fell on the way is told of each way.
        if self.expansion.told == told && self.oracle.learned.make_room() {
            for alias in [raw, settled, fingerprint] {
                self.oracle.learned.arrived(alias, fingerprint);
            }
        }
        let stand = is_new.then(|| self.stand());
        self.reach(fingerprint, step, stand)
    }

    /// Whether a state is known, or was come to in this batch with nothing to tell.
    fn is_reached(&self, fingerprint: Fingerprint) -> bool {
        self.knows(fingerprint) || self.arrival(fingerprint).is_some()
    }

    /// The state that it comes to, if that is known or was come to in this batch.
    fn arrival(&self, raw: Fingerprint) -> Option<Fingerprint> {
        let arrival = self.oracle.learned.arrival(raw)?;
        (arrival.is_new || self.knows(arrival.at)).then_some(arrival.at)
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

    /// Lets happen what must, and sets clocks back; how much had to happen.
    pub(super) fn settle(&mut self, step: Step) -> usize {
        let mut forced = 0;
        while let Some(next) = self.oracle.front(&self.after).forced {
            forced += 1;
            let from = std::mem::take(&mut self.after);
            let heard = self.oracle.follow(next, &from, &mut self.after);
            self.take_down(heard, step, forced);
        }
        if let Some(memory) = self.search.reductions.memory {
            self.oracle.set_back(&mut self.after, memory);
        }
        forced
    }

    /// If nothing happens any more unless the adversary makes a move, the run may end here.
    fn end_if_over(&mut self, step: Step, forced: usize) {
        if !self.abilities.is_empty() || self.oracle.ending(&self.after).has_timer {
            return;
        }
        let scene = self.oracle.scenes.at(&self.after);
        let world = &scene.world;
        if world.kernel().processes().any(|(_, process)| process.is_stopped()) {
            return;
        }
        let end = if world.is_over() { End::Finished } else { End::Hung };
        if let Some(look) = self.search.look_at_ends {
            self.expansion.ends.insert(look(world, end));
        }
        let mut fell = Vec::new();
        scene.watch.monitor.clone().end(world, end, &mut fell);
        self.expansion.told += fell.len();
        let fall = |(which, _)| Fall { which, step, forced, at_end: true };
        self.expansion.falls.extend(fell.into_iter().map(fall));
    }

    fn stand(&mut self) -> Box<Stand> {
        let points = self.allowed.map(|_| self.oracle.scenes.at(&self.after).world.last_points());
        Box::new(Stand {
            id: 0,
            left: self.left,
            anatomy: self.after.clone(),
            abilities: self.abilities[..].into(),
            points: points.unwrap_or_default(),
        })
    }

    /// The number of the order into which those that are alike are put.
    pub(super) fn put_in_order(&mut self) -> usize {
        let order = self.order();
        self.put_in(order);
        order.map_or(0, |(number, _)| number)
    }

    /// The number of the order into which those that are alike are to be put, and what comes
    /// of it, unless they are in order.
    fn order(&mut self) -> Option<(usize, Fingerprint)> {
        let (number, fingerprint) = self.oracle.order(self.symmetry?, &self.after)?;
        Some((number, self.left.with(fingerprint)))
    }

    fn put_in(&mut self, order: Option<(usize, Fingerprint)>) {
        if let (Some(symmetry), Some((number, fingerprint))) = (self.symmetry, order) {
            self.oracle.put(symmetry, number, &mut self.after);
            debug_assert!(self.fingerprint() == fingerprint, "it was told what comes of it");
        }
    }

    /// The fingerprint of a state that was come to: with what is left, and with what moves may
    /// depend on.
    pub(super) fn fingerprint(&mut self) -> Fingerprint {
        let whole = self.left.with(self.after.fingerprint());
        match self.allowed {
            Some(_) => {
                let points = self.oracle.scenes.at(&self.after).world.last_points();
                Fingerprint::of_state(&(whole, points))
            }
            None => whole,
        }
    }

    pub(super) fn take_down(&mut self, heard: Heard, step: Step, forced: usize) {
        if heard.has_failed {
            self.expansion.spend("io-errors");
        }
        self.expansion.told += usize::from(heard.has_failed) + heard.fell.len();
        let falls = heard.fell.into_iter();
        let fall = |(which, _)| Fall { which, step, forced, at_end: false };
        self.expansion.falls.extend(falls.map(fall));
    }
}

/// The choice as it is written down: clocks may be set back before it is made again.
fn since(now: Duration, choice: Choice) -> Choice {
    match choice {
        Choice::Until(time) => Choice::Until(time - now),
        other => other,
    }
}
