use super::Strategy;
use super::kinds::{kinds_of, pick};
use crate::choice::Choice;
use crate::kernel::TaskId;
use crate::random::Stream;
use crate::setup::Adversary;
use crate::world::{Offer, World};

/// A move that is free is made once in so many choices.
const FREE_EVERY: usize = 8;

/// Probabilistic concurrency testing: whoever has the highest priority runs, and at a
/// few random places the one that runs falls behind all others that have not fallen.
///
/// Of runs of at most `length` choices, at least one in `tasks · length^(depth - 1)` meets a
/// fault that `depth` orderings bring about, and nothing else. Moves come at random places,
/// too, as many as the budgets allow.
/// (Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010.)
pub struct Pct {
    order: Stream,
    moves: Stream,
    length: usize,
    /// Where the one that runs falls behind, and to which rank among those who have
    /// fallen; what is next comes last.
    falls: Vec<(usize, u32)>,
    /// Where the adversary moves, likewise; known once it has said what it has.
    moves_at: Option<Vec<usize>>,
    /// The first runs; newcomers are put in at random.
    ranks: Vec<TaskId>,
    /// Who runs when none of those can: the highest first.
    fallen: Vec<(u32, TaskId)>,
    step: usize,
    offered: Vec<Choice>,
}

impl Pct {
    /// The walk of this seed, for runs of about `length` choices and faults that need
    /// `depth` orderings; one means that nobody falls behind.
    pub fn new(seed: u64, length: usize, depth: u32) -> Self {
        let length = length.max(1);
        let mut places = Stream::new(seed, "places");
        let mut falls: Vec<(usize, u32)> =
            (1..depth).map(|rank| (places.below(length), rank)).collect();
        falls.sort_unstable_by(|one, other| other.cmp(one));
        Self {
            order: Stream::new(seed, "order"),
            moves: Stream::new(seed, "moves"),
            length,
            falls,
            moves_at: None,
            ranks: Vec::new(),
            fallen: Vec::new(),
            step: 0,
            offered: Vec::new(),
        }
    }

    /// Whether it is time for a move.
    fn is_time_to_move(&mut self, world: &World) -> bool {
        if self.moves_at.is_none() {
            let granted = world.setup().adversary.budgets().into_iter();
            let total: usize = granted.map(|(_, budget)| self.moves_of(budget)).sum();
            // Whoever is stopped is to go on some time.
            let stops = world.setup().adversary.stops as usize;
            let moves = (total + stops).min(self.length);
            let at = (0..moves).map(|_| self.moves.below(self.length)).collect();
            self.moves_at = Some(descending(at));
        }
        take_due(self.moves_at.as_mut().expect("it was just made"), self.step)
    }

    /// Of what is free there is no end: it comes once in so many choices.
    fn moves_of(&self, budget: u32) -> usize {
        match budget {
            Adversary::FREE => self.length.div_ceil(FREE_EVERY),
            budget => budget as usize,
        }
    }

    /// Silence comes when nothing else is left.
    fn choose_move(&mut self, world: &World) -> Choice {
        world.moves(&mut self.offered);
        if self.offered.len() > 1 {
            self.offered.retain(|choice| *choice != Choice::Quiet);
        }
        let kinds = kinds_of(&self.offered);
        pick(&mut self.offered, &kinds, &mut self.moves)
    }

    fn choose_step(&mut self, steps: &[Choice]) -> Choice {
        let tasks: Vec<TaskId> = steps.iter().filter_map(|step| task_of(*step)).collect();
        for task in &tasks {
            let is_known = self.ranks.contains(task) || self.fallen.iter().any(|it| it.1 == *task);
            if !is_known {
                let at = self.order.below(self.ranks.len() + 1);
                self.ranks.insert(at, *task);
            }
        }
        let of_fallen = self.fallen.iter().map(|(_, task)| *task);
        let mut all = self.ranks.iter().copied().chain(of_fallen);
        // What is no task's step has no rival.
        let Some(task) = all.find(|task| tasks.contains(task)) else { return steps[0] };
        if let Some((_, rank)) = self.falls.pop_if(|(place, _)| *place < self.step) {
            self.ranks.retain(|it| *it != task);
            self.fallen.retain(|(_, it)| *it != task);
            let at = self.fallen.partition_point(|(higher, _)| *higher > rank);
            self.fallen.insert(at, (rank, task));
        }
        Choice::Step(task)
    }
}

impl Strategy for Pct {
    fn choose(&mut self, world: &World, offer: &Offer) -> Option<Choice> {
        self.step += 1;
        if offer.may_move && (offer.steps.is_empty() || self.is_time_to_move(world)) {
            return Some(self.choose_move(world));
        }
        Some(self.choose_step(&offer.steps))
    }
}

fn task_of(step: Choice) -> Option<TaskId> {
    match step {
        Choice::Step(task) => Some(task),
        _ => None,
    }
}

fn descending(mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable_by(|one, other| other.cmp(one));
    places
}

/// Takes a place off the list, if it has been reached.
fn take_due(places: &mut Vec<usize>, step: usize) -> bool {
    places.pop_if(|place| *place < step).is_some()
}
