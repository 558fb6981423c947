//! What may happen in a state, and what comes of it: remembered, or found out.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use locklab_sys::Fingerprint;

use super::Memory;
use super::anatomy::Anatomy;
use super::learned::{Ending, Learned};
use super::memo::Memo;
use super::outcomes::{News, Outcome};
use super::scene::{Heard, Made, Scenes};
use super::store::{Rest, Store};
use super::symmetry::Symmetry;
use crate::choice::Choice;
use crate::kernel::TaskId;
use crate::world::{Ability, Front, World};

/// Answers what is asked of states that are told in numbers.
pub(super) struct Oracle<'a> {
    pub(super) scenes: Scenes<'a>,
    pub(super) learned: Learned,
    store: &'a Store,
    /// The last that was looked up, with its number.
    rest: Option<(u128, Arc<Rest>)>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(scenes: Scenes<'a>, learned: Learned, store: &'a Store) -> Self {
        Self { scenes, learned, store, rest: None }
    }

    /// What is in no part.
    pub(super) fn rest(&mut self, at: &Anatomy) -> &Arc<Rest> {
        if self.rest.as_ref().is_none_or(|(number, _)| *number != at.rest()) {
            let rest = self.store.rest(at.rest()).expect("what there is is kept");
            self.rest = Some((at.rest(), rest));
        }
        let (_, rest) = self.rest.as_ref().expect("it was just looked up");
        rest
    }

    pub(super) fn now(&mut self, at: &Anatomy) -> Duration {
        self.rest(at).state.now()
    }

    /// What the course of the world says of what may happen.
    pub(super) fn front(&mut self, at: &Anatomy) -> Front {
        self.ask(|learned| &mut learned.fronts, 0, at, World::front)
    }

    /// Who can make a step, in their order.
    pub(super) fn abilities(&mut self, at: &Anatomy, all: &mut Vec<(TaskId, Ability)>) {
        all.clear();
        for (task, place) in (0..).map(TaskId).zip(self.rest(at).tasks.clone()) {
            let question = at.numbers()[place];
            let look = |world: &World| world.ability(task);
            let ability = self.ask(|learned| &mut learned.abilities, question, at, look);
            all.extend(ability.map(|ability| (task, ability)));
        }
    }

    pub(super) fn ending(&mut self, at: &Anatomy) -> Ending {
        let look =
            |world: &World| Ending { has_timer: world.has_timer(), is_over: world.is_over() };
        self.ask(|learned| &mut learned.endings, 0, at, look)
    }

    /// Adds the moves of the adversary, but for its silence.
    pub(super) fn moves(
        &mut self,
        at: &Anatomy,
        front: Front,
        somebody_can_step: bool,
        moves: &mut Vec<Choice>,
    ) {
        for index in 0..self.rest(at).tasks.len() as u32 {
            let look = |world: &World, moves: &mut Vec<Choice>| {
                world.offer_moves_on(TaskId(index), moves);
            };
            self.ask_moves(u128::from(index), at, look, moves);
        }
        if front.may_pass && somebody_can_step {
            self.ask_moves(PASSES, at, World::offer_passes, moves);
        }
        if front.may_mishap {
            self.ask_moves(MISHAPS, at, World::offer_mishaps, moves);
        }
    }

    fn ask_moves(
        &mut self,
        question: u128,
        at: &Anatomy,
        look: impl Fn(&World, &mut Vec<Choice>),
        moves: &mut Vec<Choice>,
    ) {
        let look = |world: &World| {
            let mut moves = Vec::new();
            look(world, &mut moves);
            Arc::from(moves)
        };
        let answer: Arc<[Choice]> = self.ask(|learned| &mut learned.moves, question, at, look);
        moves.extend(&answer[..]);
    }

    /// What comes of a choice, if that is known; and whether it told of nothing but where
    /// programs stand.
    pub(super) fn known(
        &mut self,
        choice: Choice,
        from: &Anatomy,
        after: &mut Anatomy,
    ) -> Option<bool> {
        let question = self.question(choice, from);
        let outcome = self.learned.outcomes.find(question, from)?;
        outcome.befall(from, after);
        let news = outcome.news;
        if let Some(told) = news.told {
            let question = hearing(told, after);
            after.set_watch(*self.learned.hearings.find(question, after)?);
        }
        if cfg!(debug_assertions) {
            self.must_come_of(choice, from, news, after);
        }
        Some(news.is_silent)
    }

    /// What is remembered is what comes of it when it is made, and no other.
    fn must_come_of(&mut self, choice: Choice, from: &Anatomy, news: News, after: &Anatomy) {
        let scene = self.scenes.at(from);
        let made = scene.make(choice);
        let is_nothing = made.heard.fell.is_empty() && !made.heard.has_failed;
        assert!(is_nothing, "{choice:?} has something to tell");
        assert_eq!(made.news, news, "{choice:?} does not tell what it told");
        assert!(*after == *scene.here(), "what comes of {choice:?} is not what came of it before");
    }

    /// Makes a choice; `after` is told of what comes of it.
    pub(super) fn make(&mut self, choice: Choice, from: &Anatomy, after: &mut Anatomy) -> Made {
        let scene = self.scenes.at(from);
        let made = scene.make(choice);
        after.clone_from(scene.here());
        let has_room = from.has_room() && after.has_room();
        // What falls or fails is told each time.
        if !made.heard.has_failed && has_room && self.learned.make_room() {
            self.learn(choice, &made, from, after);
        }
        made
    }

    fn learn(&mut self, choice: Choice, made: &Made, from: &Anatomy, after: &Anatomy) {
        let mut unheard = after.clone();
        unheard.set_watch(from.watch());
        let question = self.question(choice, from);
        let (before, now) = (Arc::clone(self.rest(from)), Arc::clone(self.rest(after)));
        let (before, now) = ((from, &before.names[..]), (&unheard, &now.names[..]));
        let outcome = Outcome::new(made.news, before, now);
        self.learned.outcomes.learn(question, made.looks, from, outcome);
        if let Some(told) = made.news.told.filter(|_| made.heard.fell.is_empty()) {
            let question = hearing(told, &unheard);
            self.learned.hearings.learn(question, made.heard_at, &unheard, after.watch());
        }
    }

    /// What comes of a choice, whether it is known or not.
    pub(super) fn follow(&mut self, choice: Choice, from: &Anatomy, after: &mut Anatomy) -> Heard {
        match self.known(choice, from, after) {
            Some(_) => Heard::default(),
            None => self.make(choice, from, after).heard,
        }
    }

    /// What a task does depends on where it stands.
    fn question(&mut self, choice: Choice, from: &Anatomy) -> u128 {
        match choice {
            Choice::Step(task) => {
                let place = self.rest(from).tasks.start + task.0 as usize;
                from.numbers()[place]
            }
            other => Fingerprint::of_state(&other).0,
        }
    }

    /// Sets all clocks back where they can and need be.
    pub(super) fn set_back(&mut self, at: &mut Anatomy, memory: Memory) {
        let look = |world: &World| !world.is_set_back() && world.may_be_set_back();
        if self.ask(|learned| &mut learned.clocks, 0, at, look) {
            let scene = self.scenes.at(at);
            scene.set_back(memory);
            at.clone_from(scene.here());
        }
    }

    /// The number of the order into which those that are alike are to be put, and the
    /// fingerprint of what comes of it, unless they are in order.
    pub(super) fn order(
        &mut self,
        symmetry: &Symmetry<'_>,
        at: &Anatomy,
    ) -> Option<(usize, Fingerprint)> {
        let rest = Arc::clone(self.rest(at));
        symmetry.order_of(at, &rest, &mut self.scenes, &mut self.learned.orders)
    }

    /// Puts them into the order of this number.
    pub(super) fn put(&mut self, symmetry: &Symmetry<'_>, number: usize, at: &mut Anatomy) {
        let rest = Arc::clone(self.rest(at));
        let before = std::mem::take(at);
        symmetry.put(number, &before, &rest, &mut self.learned.orders, at);
    }

    fn ask<V: Clone + PartialEq + Debug>(
        &mut self,
        memo: impl Fn(&mut Learned) -> &mut Memo<V>,
        question: u128,
        at: &Anatomy,
        look: impl Fn(&World) -> V,
    ) -> V {
        if let Some(answer) = memo(&mut self.learned).find(question, at) {
            let answer = answer.clone();
            debug_assert_eq!(self.scenes.at(at).ask(look).0, answer, "it is as it was");
            return answer;
        }
        let (answer, looks) = self.scenes.at(at).ask(look);
        if at.has_room() && self.learned.make_room() {
            memo(&mut self.learned).learn(question, looks, at, answer.clone());
        }
        answer
    }
}

/// What somebody who watches makes of what is told.
fn hearing(told: Fingerprint, after: &Anatomy) -> u128 {
    told.0.wrapping_add(after.watch())
}

/// Questions about moves; smaller numbers ask about tasks.
const PASSES: u128 = 1 << 64;
const MISHAPS: u128 = PASSES + 1;
