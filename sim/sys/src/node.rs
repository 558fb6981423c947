//! Where tasks may stand, and the edges between.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::cursor::Role;
use crate::shift::Shift;
use crate::slot::Happening;
use crate::stance::{Progress, Stance};
use crate::{Call, Fingerprint, Image, Reply};

/// All nodes, each once. They are owned here alone: loops make rings of edges.
#[derive(Default)]
pub(crate) struct Nodes {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    starts: Vec<(Image, Role, Edge)>,
    nodes: BTreeMap<Fingerprint, Arc<Node>>,
}

/// Where a task may stand.
pub(crate) struct Node {
    stance: Stance,
    fingerprint: Fingerprint,
    has_times: bool,
    edges: Edges,
    all: Weak<Nodes>,
}

/// The edges of a node, in the order in which they were learned.
#[derive(Default)]
struct Edges(OnceLock<Box<Learned>>);

struct Learned {
    reply: Reply,
    edge: Edge,
    rest: Edges,
}

#[derive(Clone)]
pub(crate) struct Edge {
    said: Arc<[Happening]>,
    progress: Progress,
    to: Weak<Node>,
}

impl Nodes {
    /// The edge to where a program begins.
    pub(crate) fn start(self: &Arc<Self>, image: Image, role: Role) -> Edge {
        let known = self.lock();
        let start = known.starts.iter().find(|(it, its, _)| *it == image && *its == role);
        let edge = start.map(|(_, _, edge)| edge.clone());
        drop(known);
        edge.unwrap_or_else(|| self.learn_start(image, role))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn_start(self: &Arc<Self>, image: Image, role: Role) -> Edge {
        let mut said = Vec::new();
        let (stance, _, progress) = Stance::start(image.clone(), role, &mut said);
        let edge = Edge { said: said.into(), progress, to: self.node(stance) };
        self.lock().starts.push((image, role, edge.clone()));
        edge
    }

    /// The node of a stance.
    fn node(self: &Arc<Self>, stance: Stance) -> Weak<Node> {
        let fingerprint = stance.fingerprint();
        let all = Arc::downgrade(self);
        let mut known = self.lock();
        let node = known.nodes.entry(fingerprint).or_insert_with(|| {
            let has_times = stance.has_times();
            Arc::new(Node { stance, fingerprint, has_times, edges: Edges::default(), all })
        });
        Arc::downgrade(node)
    }
}

impl Node {
    pub(crate) fn pending(&self) -> Option<&Call> {
        self.stance.pending.as_ref()
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    pub(crate) fn at_end(&self) -> Fingerprint {
        self.stance.at_end()
    }

    /// Where the reply leads.
    pub(crate) fn follow(&self, reply: &Reply, said: &mut Vec<Happening>) -> (Arc<Self>, Progress) {
        let edge = self.edges.find_or_learn(reply, || self.learn(reply.clone()));
        edge.take(said)
    }

    /// Where the task would stand, had all clocks shown other times. `None` if its
    /// program makes more of a time than how long ago that was.
    pub(crate) fn shifted(self: &Arc<Self>, shift: &Shift<'_>) -> Option<Arc<Self>> {
        if !self.has_times {
            return Some(Arc::clone(self));
        }
        let stance = self.stance.shifted(shift);
        let all = self.all.upgrade().expect("the automaton outlives its tasks");
        let known = all.lock().nodes.get(&stance.fingerprint()).cloned();
        if known.is_some() || stance.try_rerun().is_err() {
            return known;
        }
        all.node(stance).upgrade()
    }

    pub(crate) fn show_times(&self, shift: &Shift<'_>) {
        if self.has_times {
            self.stance.show_times(shift);
        }
    }

    fn learn(&self, reply: Reply) -> Edge {
        let all = self.all.upgrade().expect("the automaton outlives its tasks");
        let mut stance = self.stance.clone();
        let mut said = Vec::new();
        let progress = stance.resume(&mut stance.rerun(), reply, &mut said);
        Edge { said: said.into(), progress, to: all.node(stance) }
    }
}

impl Edges {
    /// The edge of a reply. Two threads may learn it at once: it is the same.
    fn find_or_learn(&self, reply: &Reply, learn: impl FnOnce() -> Edge) -> &Edge {
        let mut edges = self;
        while let Some(learned) = edges.0.get() {
            if learned.reply == *reply {
                return &learned.edge;
            }
            edges = &learned.rest;
        }
        let edge = learn();
        loop {
            let learned = edges.0.get_or_init(|| {
                let (reply, edge) = (reply.clone(), edge.clone());
                Box::new(Learned { reply, edge, rest: Self::default() })
            });
            if learned.reply == *reply {
                return &learned.edge;
            }
            edges = &learned.rest;
        }
    }
}

impl Edge {
    pub(crate) fn take(&self, said: &mut Vec<Happening>) -> (Arc<Node>, Progress) {
        said.extend(self.said.iter().cloned());
        (self.to.upgrade().expect("the automaton owns its nodes"), self.progress.clone())
    }
}
