use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Fingerprint, Happening};

use super::expand::{Expander, Expansion, Fall, QuietStand};
use super::left::Left;
use super::quiet::Calm;
use super::retrace::forced_in;
use super::seen::{Seen, StateId, Step};
use super::stand::{Stand, Watch};
use super::symmetry::{Symmetry, Texts};
use super::{Allowed, Cut, Search};
use crate::choice::Choice;
use crate::event::Event;
use crate::kernel::Effect;
use crate::monitor::End;
use crate::world::{Offer, World};

impl Expander<'_> {
    /// The first state.
    pub(super) fn begin(&self) -> Expansion {
        let mut walker = Walker::new(self, None);
        walker.make_prefix();
        walker.arrive(None);
        walker.expansion
    }

    /// What these states lead to, but for what is known. What is found is put into
    /// `spare`, as long as there is some.
    pub(super) fn expand(
        &self,
        stands: &[Box<Stand>],
        spare: Vec<Box<Stand>>,
        seen: &Seen,
    ) -> Expansion {
        let mut walker = Walker::new(self, Some(seen));
        walker.expansion.spare = spare;
        for stand in stands {
            walker.go_on_from(stand);
        }
        walker.expansion
    }
}

/// Goes on from one state after another.
pub(super) struct Walker<'a> {
    search: &'a Search,
    symmetry: Option<&'a Symmetry<'a>>,
    texts: Texts,
    into_quiet: bool,
    allowed: Option<&'a Allowed<'a>>,
    seen: Option<&'a Seen>,
    world: World,
    watch: Arc<Watch>,
    left: Left,
    offer: Offer,
    choices: Vec<Choice>,
    expansion: Expansion,
}

impl<'a> Walker<'a> {
    pub(super) fn new(expander: &Expander<'a>, seen: Option<&'a Seen>) -> Self {
        Self {
            search: expander.search,
            symmetry: expander.symmetry,
            texts: Texts::default(),
            into_quiet: expander.into_quiet,
            allowed: expander.allowed,
            seen,
            world: expander.world(),
            watch: Arc::new(Watch::new(expander.search.monitor.clone())),
            left: if expander.into_quiet { Left::ALL } else { Left::of(expander.search.bounds) },
            offer: Offer::default(),
            choices: Vec::new(),
            expansion: Expansion::default(),
        }
    }

    /// Goes to the first state; the number of the order into which those that are alike were
    /// put.
    pub(super) fn begin(&mut self) -> usize {
        self.make_prefix();
        self.settle(None);
        self.put_in_order()
    }

    fn make_prefix(&mut self) {
        for choice in &self.search.prefix {
            self.world.apply(*choice);
            self.observe(None, 0);
        }
    }

    /// Makes a choice again, as it was written down; the number of the order into which
    /// those that are alike are put then.
    pub(super) fn repeat(&mut self, choice: Choice) -> usize {
        self.world.apply(Expander::in_time(&self.world, choice));
        self.observe(None, 0);
        self.settle(None);
        self.put_in_order()
    }

    fn go_on_from(&mut self, stand: &Stand) {
        self.go_to(stand);
        let keeps_time = self.search.reductions.memory.is_none();
        if keeps_time && self.world.kernel().now() > self.search.bounds.limits.horizon {
            self.expansion.cut = self.expansion.cut.max(Some(Cut::Horizon));
            return;
        }
        self.world.offer(&mut self.offer);
        if self.into_quiet && self.world.is_quiet() {
            return self.go_on_in_quiet(stand);
        }
        if self.search.reductions.local && self.may_reorder() && self.go_on_alone(stand) {
            return;
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.clear();
        if self.offer.may_move {
            self.world.moves(&mut choices);
            // Who need not move need not fall silent either.
            choices.retain(|choice| *choice != Choice::Quiet);
            if let Some(allowed) = self.allowed {
                choices.retain(|choice| allowed(&self.world, *choice));
            }
        }
        choices.splice(0..0, self.steps());
        choices.retain(|choice| self.left.allows(*choice));
        for (index, choice) in choices.iter().enumerate() {
            if index > 0 {
                self.go_to(stand);
            }
            self.follow(*choice, stand.id);
        }
        self.choices = choices;
        if self.into_quiet {
            self.go_to(stand);
            self.follow(Choice::Quiet, stand.id);
        }
    }

    /// Nothing is left out here: who is put off for ever is what is asked about.
    fn go_on_in_quiet(&mut self, stand: &Stand) {
        let steps = std::mem::take(&mut self.offer.steps);
        let by = |choice: &Choice| match choice {
            Choice::Step(task) => Some(*task),
            _ => None,
        };
        let waiting = self.watch.monitor.waiting(&self.world).into_iter();
        let (calm, is_crowded) = Calm::of(&self.world, steps.iter().filter_map(by), waiting);
        let mut ways = Vec::with_capacity(steps.len());
        for (index, choice) in steps.iter().enumerate() {
            if index > 0 {
                self.go_to(stand);
            }
            ways.push((by(choice), self.follow(*choice, stand.id)));
        }
        self.expansion.quiet.push(QuietStand { id: stand.id, calm, ways, is_crowded });
    }

    /// Lets one task alone go on, if its step concerns nobody else, and what comes of it
    /// is new: else all others could be put off for ever.
    fn go_on_alone(&mut self, stand: &Stand) -> bool {
        let mut steps = self.offer.steps.iter();
        let Some(step) = steps.find(|step| self.world.is_local(**step)).copied() else {
            return false;
        };
        self.world.apply(step);
        let found = self.expansion.stands.len();
        let is_silent = self.world.events().iter().all(|event| match event {
            Event::Said { said, .. } => matches!(said, Happening::Point(_)),
            _ => false,
        });
        if is_silent {
            self.observe(Some((stand.id, step)), 0);
            self.arrive(Some((stand.id, step)));
            if self.expansion.stands.len() > found {
                self.expansion.edges += 1;
                return true;
            }
        }
        self.go_to(stand);
        self.world.offer(&mut self.offer);
        false
    }

    /// The steps to be tried. Who would only wait is as well off not to begin with it,
    /// as long as there is somebody else.
    fn steps(&mut self) -> Vec<Choice> {
        let steps = std::mem::take(&mut self.offer.steps);
        if !self.search.reductions.waits || !self.may_reorder() || steps.len() < 2 {
            return steps;
        }
        let (waits, others): (Vec<_>, Vec<_>) =
            steps.into_iter().partition(|step| self.world.would_only_wait(*step));
        if others.is_empty() { waits[..1].to_vec() } else { others }
    }

    /// Whether it makes no difference to what is bounded or allowed who goes on first.
    fn may_reorder(&self) -> bool {
        self.left.preemptions.is_none() && self.allowed.is_none()
    }

    fn go_to(&mut self, stand: &Stand) {
        self.left = stand.left;
        self.world.go_to(&stand.state);
        self.watch.clone_from(&stand.watch);
    }

    /// The state that it leads to.
    fn follow(&mut self, choice: Choice, parent: StateId) -> Fingerprint {
        self.expansion.edges += 1;
        // That a call is to fail is no fault before it is made.
        if let Some(budget) = choice.budget().filter(|_| !matches!(choice, Choice::FailIo(..))) {
            self.expansion.spend(budget);
        }
        let step = Some((parent, self.since_now(choice)));
        self.left.spend(choice);
        self.world.apply(choice);
        if choice == Choice::Quiet {
            self.world.forget_adversary();
        }
        self.observe(step, 0);
        self.arrive(step)
    }

    /// The choice as it is written down: clocks may be set back before it is made again.
    fn since_now(&self, choice: Choice) -> Choice {
        match choice {
            Choice::Until(time) => Choice::Until(time - self.world.kernel().now()),
            other => other,
        }
    }

    /// Lets happen what must, and keeps the state that comes of it if it is new.
    fn arrive(&mut self, step: Step) -> Fingerprint {
        let forced = self.settle(step);
        if let (None, Some(symmetry)) = (step, self.symmetry) {
            symmetry.begin(self.world.state());
        }
        self.left.look_around(&self.offer.steps);
        let fingerprint = self.fingerprint();
        if self.seen.is_some_and(|seen| seen.knows(fingerprint)) {
            return fingerprint;
        }
        let fingerprint = match self.put_in_order() {
            0 => fingerprint,
            _ => {
                let alias = fingerprint;
                let fingerprint = self.fingerprint();
                self.expansion.aliases.push((alias, fingerprint));
                if self.seen.is_some_and(|seen| seen.knows(fingerprint)) {
                    return fingerprint;
                }
                fingerprint
            }
        };
        if self.is_at_end() {
            self.end(step, forced);
        }
        self.keep(fingerprint, step);
        fingerprint
    }

    /// Lets happen what must, and sets clocks back; how much had to happen.
    fn settle(&mut self, step: Step) -> usize {
        let mut forced = 0;
        while let Some(next) = forced_in(&self.world, &mut self.offer) {
            forced += 1;
            self.world.apply(next);
            self.observe(step, forced);
        }
        self.set_back();
        forced
    }

    /// Whether nothing happens any more if the adversary makes no move.
    fn is_at_end(&self) -> bool {
        let kernel = self.world.kernel();
        let mut all = kernel.processes();
        self.offer.steps.is_empty() && !all.any(|(_, process)| process.is_stopped())
    }

    /// To fill what was used before takes no memory, and far less time.
    fn keep(&mut self, fingerprint: Fingerprint, step: Step) {
        let state = self.world.state();
        let stand = match self.expansion.spare.pop() {
            Some(mut stand) => {
                (stand.fingerprint, stand.step, stand.left) = (fingerprint, step, self.left);
                stand.state.clone_from(state);
                stand.watch.clone_from(&self.watch);
                stand
            }
            None => {
                let (state, watch) = (state.clone(), Arc::clone(&self.watch));
                Box::new(Stand { fingerprint, id: 0, step, left: self.left, state, watch })
            }
        };
        self.expansion.stands.push(stand);
    }

    fn set_back(&mut self) {
        let Some(memory) = self.search.reductions.memory else { return };
        let Some(was) = self.world.set_back(memory.programs) else { return };
        let clock = |time: Duration| {
            let time = (time + World::BASE).saturating_sub(was);
            time.max(World::BASE - memory.monitors)
        };
        Arc::make_mut(&mut self.watch).change(|monitor| monitor.set_back(&clock));
    }

    /// The number of the order into which those that are alike are put.
    fn put_in_order(&mut self) -> usize {
        let sorted = self
            .symmetry
            .and_then(|symmetry| symmetry.sorted(self.world.state(), &self.watch, &self.texts));
        let Some((number, state, watch)) = sorted else { return 0 };
        self.world.set_state(state);
        self.watch = watch;
        number
    }

    fn fingerprint(&self) -> Fingerprint {
        let stands = (self.world.fingerprint(), self.watch.fingerprint);
        if self.allowed.is_some() {
            return Fingerprint::of_state(&(stands, self.left, self.world.last_points()));
        }
        match self.left.is_bounded() {
            true => Fingerprint::of_state(&(stands, self.left)),
            false => Fingerprint::of_state(&stands),
        }
    }

    fn observe(&mut self, step: Step, forced: usize) {
        let Self { world, watch, expansion, .. } = self;
        let failed = |event: &Event| matches!(event, Event::Effect(Effect::IoFailed { .. }));
        if world.events().iter().any(failed) {
            expansion.spend("io-errors");
        }
        // Most steps are no news.
        if !world.news().any(|_| true) {
            return;
        }
        let mut fell = Vec::new();
        Arc::make_mut(watch).change(|monitor| {
            for event in world.news() {
                monitor.observe(world, event, &mut fell);
            }
        });
        let falls = fell.into_iter();
        expansion.falls.extend(falls.map(|(which, _)| Fall { which, step, forced, at_end: false }));
    }

    fn end(&mut self, step: Step, forced: usize) {
        let end = if self.world.is_over() { End::Finished } else { End::Hung };
        if let Some(look) = self.search.look_at_ends {
            self.expansion.ends.insert(look(&self.world, end));
        }
        let mut fell = Vec::new();
        self.watch.monitor.clone().end(&self.world, end, &mut fell);
        let falls = fell.into_iter();
        self.expansion.falls.extend(falls.map(|(which, _)| Fall {
            which,
            step,
            forced,
            at_end: true,
        }));
    }
}
