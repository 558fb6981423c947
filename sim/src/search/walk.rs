use std::sync::Arc;

use super::anatomy::Anatomy;
use super::expand::{Expander, Expansion, QuietStand};
use super::left::Left;
use super::outcomes::Outcomes;
use super::quiet::Calm;
use super::seen::Seen;
use super::stand::{Stand, Watch};
use super::symmetry::Symmetry;
use super::{Allowed, Cut, Search};
use crate::choice::Choice;
use crate::world::{Offer, World};

impl Expander<'_> {
    /// The first state.
    pub(super) fn begin(&self) -> Expansion {
        let mut walker = Walker::new(self, None);
        walker.make_prefix();
        let raw = walker.fingerprint();
        walker.arrive(None, None, raw);
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
        walker.outcomes = self.take_outcomes();
        for stand in stands {
            walker.go_on_from(stand);
        }
        self.put_back(walker.outcomes);
        walker.expansion
    }
}

/// Goes on from one state after another.
pub(super) struct Walker<'a> {
    pub(super) search: &'a Search,
    pub(super) symmetry: Option<&'a Symmetry<'a>>,
    pub(super) into_quiet: bool,
    pub(super) allowed: Option<&'a Allowed<'a>>,
    pub(super) seen: Option<&'a Seen>,
    pub(super) world: World,
    pub(super) watch: Arc<Watch>,
    pub(super) left: Left,
    pub(super) offer: Offer,
    choices: Vec<Choice>,
    pub(super) outcomes: Outcomes,
    /// Whether the world stands where the choices begin that are made now.
    pub(super) is_here: bool,
    /// Whether no clock need be set back there.
    pub(super) is_set_back: bool,
    pub(super) after: Anatomy,
    pub(super) expansion: Expansion,
}

impl<'a> Walker<'a> {
    pub(super) fn new(expander: &Expander<'a>, seen: Option<&'a Seen>) -> Self {
        Self {
            search: expander.search,
            symmetry: expander.symmetry,
            into_quiet: expander.into_quiet,
            allowed: expander.allowed,
            seen,
            world: expander.world(),
            watch: Arc::new(Watch::new(expander.search.monitor.clone())),
            left: if expander.into_quiet { Left::ALL } else { Left::of(expander.search.bounds) },
            offer: Offer::default(),
            choices: Vec::new(),
            outcomes: Outcomes::default(),
            is_here: false,
            is_set_back: false,
            after: Anatomy::default(),
            expansion: Expansion::default(),
        }
    }

    /// Goes to the first state; the number of the order into which those that are alike were
    /// put.
    pub(super) fn begin(&mut self) -> usize {
        self.make_prefix();
        self.after.look_at(self.world.state(), &self.watch);
        self.settle(None, None);
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
        self.settle(None, None);
        self.put_in_order()
    }

    fn go_on_from(&mut self, stand: &Stand) {
        self.is_here = false;
        self.go_to(stand);
        self.is_set_back = self.world.is_set_back();
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
        for choice in &choices {
            self.follow(*choice, stand);
        }
        self.choices = choices;
        if self.into_quiet {
            self.follow(Choice::Quiet, stand);
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
        for choice in &steps {
            ways.push((by(choice), self.follow(*choice, stand)));
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
        let found = self.expansion.reached.len();
        let at = Some((stand.id, step));
        if let Some(raw) = self.bring_about(step, stand, at, true) {
            self.arrive(Some(stand), at, raw);
            if self.expansion.reached.len() > found {
                self.expansion.edges += 1;
                return true;
            }
        }
        if !self.is_here {
            self.go_to(stand);
            self.world.offer(&mut self.offer);
        }
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
        self.stand_on(stand);
    }

    /// Goes there, if the world does not stand there yet.
    pub(super) fn stand_on(&mut self, stand: &Stand) {
        if !self.is_here {
            self.world.go_to(&stand.state);
            self.watch.clone_from(&stand.watch);
            self.is_here = true;
        }
    }
}
