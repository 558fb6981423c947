//! What a search has found so far.

use std::collections::{BTreeMap, BTreeSet};

use locklab_sys::Fingerprint;

use super::expand::{Expander, Expansion, Reached};
use super::quiet::Graph;
use super::seen::{Seen, StateId};
use super::stand::Stand;
use super::{Cut, Explored, Found};

/// What has been found so far.
pub(super) struct Tally {
    pub(super) seen: Seen,
    edges: u64,
    pub(super) depth: u32,
    falls: Vec<Option<Found>>,
    sought: usize,
    spent: Vec<(&'static str, u64)>,
    pub(super) cut: Option<Cut>,
    ends: BTreeSet<Fingerprint>,
    pub(super) quiet: Graph,
}

impl Tally {
    pub(super) fn new(watched: usize, sought: usize) -> Self {
        Self {
            seen: Seen::default(),
            edges: 0,
            depth: 0,
            falls: vec![None; watched],
            sought,
            spent: Vec::new(),
            cut: None,
            ends: BTreeSet::new(),
            quiet: Graph::default(),
        }
    }

    /// Takes note of what the states of a batch led to; those that are new.
    pub(super) fn enter(
        &mut self,
        expansions: Vec<Expansion>,
        expander: &Expander<'_>,
    ) -> Vec<Box<Stand>> {
        let mut new = New::default();
        for mut expansion in expansions {
            self.count(&mut expansion, expander);
            for reached in expansion.reached {
                self.reach(reached, expander.search.bounds.states, &mut new);
            }
            for stand in expansion.quiet {
                self.quiet.enter(stand, &self.seen);
            }
        }
        new.stands()
    }

    fn count(&mut self, expansion: &mut Expansion, expander: &Expander<'_>) {
        self.edges += expansion.edges;
        self.ends.append(&mut expansion.ends);
        for (budget, times) in expansion.spent.drain(..) {
            match self.spent.iter_mut().find(|(name, _)| *name == budget) {
                Some((_, sum)) => *sum += times,
                None => self.spent.push((budget, times)),
            }
        }
        if let Some(cut) = expansion.cut {
            self.cut_at(cut);
        }
        for fall in expansion.falls.drain(..) {
            if self.falls[fall.which].is_none() {
                let which = fall.which;
                self.falls[which] = Some(fall.found(&self.seen, expander));
            }
        }
    }

    /// Takes note of a state, unless there are as many as allowed.
    fn reach(&mut self, reached: Reached, states: u64, new: &mut New) {
        let Reached { fingerprint, step, stand } = reached;
        if self.seen.len() < states {
            if let Some(id) = self.seen.insert(fingerprint, step) {
                return new.enter(fingerprint, id, stand);
            }
        } else if !self.seen.knows(fingerprint) {
            self.cut_at(Cut::States);
        }
        new.fill(fingerprint, stand);
    }

    pub(super) fn cut_at(&mut self, cut: Cut) {
        self.cut = self.cut.max(Some(cut));
    }

    /// Whether there is nothing more to be found.
    pub(super) fn is_done(&self) -> bool {
        self.sought > 0 && self.falls[..self.sought].iter().all(Option::is_some)
    }

    pub(super) fn explored(self) -> Explored {
        let ended_early = self.is_done();
        let Self { seen, edges, depth, falls, mut spent, cut, ends, sought: _, quiet: _ } = self;
        spent.sort_unstable();
        Explored { states: seen.len(), edges, depth, falls, spent, cut, ends, ended_early }
    }
}

/// The new states of a batch, in their order.
#[derive(Default)]
struct New {
    all: Vec<(StateId, Option<Box<Stand>>)>,
    /// Those that come with another way to them.
    wanted: BTreeMap<Fingerprint, usize>,
}

impl New {
    fn enter(&mut self, fingerprint: Fingerprint, id: StateId, stand: Option<Box<Stand>>) {
        if stand.is_none() {
            self.wanted.insert(fingerprint, self.all.len());
        }
        self.all.push((id, stand));
    }

    /// Something that comes with another way to a state may be needed.
    fn fill(&mut self, fingerprint: Fingerprint, stand: Option<Box<Stand>>) {
        if let Some(stand) = stand
            && let Some(at) = self.wanted.remove(&fingerprint)
        {
            self.all[at].1 = Some(stand);
        }
    }

    fn stands(self) -> Vec<Box<Stand>> {
        let all = self.all.into_iter().map(|(id, stand)| {
            let mut stand = stand.expect("one of the ways to a state comes with it");
            stand.id = id;
            stand
        });
        all.collect()
    }
}
