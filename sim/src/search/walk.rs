use super::anatomy::Anatomy;
use super::expand::{Expander, Expansion, QuietStand};
use super::left::Left;
use super::oracle::Oracle;
use super::quiet::Calm;
use super::seen::Seen;
use super::stand::Stand;
use super::symmetry::Symmetry;
use super::{Allowed, Cut, Search};
use crate::choice::Choice;
use crate::kernel::TaskId;
use crate::world::{Ability, Front, Offer};

impl Expander<'_> {
    /// The first state.
    pub(super) fn begin(&self) -> Expansion {
        let mut walker = Walker::new(self, None);
        walker.make_prefix();
        let raw = walker.fingerprint();
        walker.arrive(None, raw);
        walker.expansion
    }

    /// What these states lead to, but for what is known.
    pub(super) fn expand(&self, stands: &[Box<Stand>], seen: &Seen) -> Expansion {
        let mut walker = Walker::new(self, Some(seen));
        for stand in stands {
            walker.go_on_from(stand);
        }
        self.put_back(walker.oracle.learned);
        walker.expansion
    }
}

/// Goes on from one state after another.
pub(super) struct Walker<'a> {
    pub(super) search: &'a Search,
    pub(super) symmetry: Option<&'a Symmetry<'a>>,
    into_quiet: bool,
    pub(super) allowed: Option<&'a Allowed<'a>>,
    pub(super) seen: Option<&'a Seen>,
    pub(super) oracle: Oracle<'a>,
    pub(super) left: Left,
    pub(super) abilities: Vec<(TaskId, Ability)>,
    choices: Vec<Choice>,
    /// What has become of where it stood.
    pub(super) after: Anatomy,
    pub(super) expansion: Expansion,
}

impl<'a> Walker<'a> {
    pub(super) fn new(expander: &'a Expander<'a>, seen: Option<&'a Seen>) -> Self {
        Self {
            search: expander.search,
            symmetry: expander.symmetry,
            into_quiet: expander.into_quiet,
            allowed: expander.allowed,
            seen,
            oracle: expander.oracle(seen.is_some()),
            left: if expander.into_quiet { Left::ALL } else { Left::of(expander.search.bounds) },
            abilities: Vec::new(),
            choices: Vec::new(),
            after: Anatomy::default(),
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
            let made = self.oracle.scenes.scene().make(*choice);
            self.take_down(made.heard, None, 0);
        }
        self.after.clone_from(self.oracle.scenes.scene().here());
    }

    /// Makes a choice again, as it was written down; the number of the order into which
    /// those that are alike are put then.
    pub(super) fn repeat(&mut self, choice: Choice) -> usize {
        let from = std::mem::take(&mut self.after);
        let choice = Expander::in_time(self.oracle.now(&from), choice);
        self.oracle.follow(choice, &from, &mut self.after);
        self.settle(None);
        self.put_in_order()
    }

    fn go_on_from(&mut self, stand: &Stand) {
        self.left = stand.left;
        let keeps_time = self.search.reductions.memory.is_none();
        if keeps_time && self.oracle.now(&stand.anatomy) > self.search.bounds.limits.horizon {
            self.expansion.cut = self.expansion.cut.max(Some(Cut::Horizon));
            return;
        }
        let front = self.oracle.front(&stand.anatomy);
        if self.into_quiet && front.is_quiet {
            return self.go_on_in_quiet(stand);
        }
        if self.search.reductions.local && self.may_reorder() && self.go_on_alone(stand) {
            return;
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.clear();
        self.steps(stand, &mut choices);
        self.moves(stand, front, &mut choices);
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
        let can: Vec<TaskId> = stand.abilities.iter().map(|(task, _)| *task).collect();
        let scene = self.oracle.scenes.at(&stand.anatomy);
        let waiting = scene.watch.monitor.waiting(&scene.world).into_iter();
        let (calm, is_crowded) = Calm::of(&scene.world, can.iter().copied(), waiting);
        let jump = can.is_empty() && calm.has_timer;
        let mut ways = Vec::with_capacity(can.len().max(1));
        for by in can.into_iter().map(Some).chain(jump.then_some(None)) {
            ways.push((by, self.follow(by.map_or(Choice::Jump, Choice::Step), stand)));
        }
        self.expansion.quiet.push(QuietStand { id: stand.id, calm, ways, is_crowded });
    }

    /// Lets one task alone go on, if its step concerns nobody else, and what comes of it
    /// is new: else all others could be put off for ever.
    fn go_on_alone(&mut self, stand: &Stand) -> bool {
        let mut local = stand.abilities.iter().filter(|(_, ability)| ability.is_local);
        let Some(step) = local.next().map(|(task, _)| Choice::Step(*task)) else { return false };
        let found = self.expansion.reached.len();
        let at = Some((stand.id, step));
        if let Some(raw) = self.bring_about(step, stand, at, true) {
            self.arrive(at, raw);
        }
        let is_new = self.expansion.reached.len() > found;
        self.expansion.edges += u64::from(is_new);
        is_new
    }

    /// Adds the steps to be tried, or the jump to the next timer when there are none. Who
    /// would only wait is as well off not to begin with it, as long as there is somebody else.
    fn steps(&mut self, stand: &Stand, choices: &mut Vec<Choice>) {
        let all = &stand.abilities;
        if all.is_empty() && self.oracle.ending(&stand.anatomy).has_timer {
            choices.push(Choice::Jump);
        }
        let reduces = self.search.reductions.waits && self.may_reorder() && all.len() > 1;
        let others = all.iter().filter(|(_, ability)| !reduces || !ability.only_waits);
        choices.extend(others.map(|(task, _)| Choice::Step(*task)));
        if choices.is_empty() {
            choices.extend(all.first().map(|(task, _)| Choice::Step(*task)));
        }
    }

    /// Adds the moves that the adversary may make. Who need not move need not fall silent
    /// either.
    fn moves(&mut self, stand: &Stand, front: Front, choices: &mut Vec<Choice>) {
        let anatomy = &stand.anatomy;
        if !front.is_awake || choices.is_empty() && self.oracle.ending(anatomy).is_over {
            return;
        }
        let steps = choices.len();
        self.oracle.moves(anatomy, front, !stand.abilities.is_empty(), choices);
        if let Some(allowed) = self.allowed {
            self.stand_on(stand);
            let world = &self.oracle.scenes.at(anatomy).world;
            let mut at = 0..;
            choices.retain(|choice| at.next() < Some(steps) || allowed(world, *choice));
        }
        debug_assert!(self.is_all(stand, &choices[steps..]), "the adversary has these moves");
    }

    /// Whether these are the moves that are offered there.
    fn is_all(&mut self, stand: &Stand, moves: &[Choice]) -> bool {
        let world = &self.oracle.scenes.at(&stand.anatomy).world;
        let (mut offer, mut all) = (Offer::default(), Vec::new());
        world.offer(&mut offer);
        world.moves(&mut all);
        all.retain(|choice| *choice != Choice::Quiet);
        offer.may_move && (self.allowed.is_some() || all == moves)
    }

    /// Whether it makes no difference to what is bounded or allowed who goes on first.
    fn may_reorder(&self) -> bool {
        self.left.preemptions.is_none() && self.allowed.is_none()
    }

    /// Where moves depend on what tasks said last, that is as it was there.
    pub(super) fn stand_on(&mut self, stand: &Stand) {
        if self.allowed.is_some() {
            self.oracle.scenes.at(&stand.anatomy).world.set_last_points(&stand.points);
        }
    }
}
