//! Where tasks may stand, and the edges between.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::cursor::Role;
use crate::renaming::{Renaming, Renamings};
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
    origin: Origin,
    edges: Edges,
    /// Where the task would stand, had processes changed places, by the number of the
    /// change; `None` if that cannot be told.
    renamed: OnceLock<Box<[Renamed]>>,
    /// The least fingerprint of all these nodes.
    class: OnceLock<Option<Fingerprint>>,
    all: Weak<Nodes>,
}

/// A node, once somebody asked for it, if there is one.
type Renamed = OnceLock<Option<Weak<Node>>>;

/// How a node was found first.
enum Origin {
    /// A program begins there.
    Start,
    /// A task was given this reply at another node.
    Reply(Weak<Node>, Reply),
    /// A task would have stood there, had clocks shown other times, instead of here.
    Shift(Weak<Node>),
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
        let edge = Edge { said: said.into(), progress, to: self.node(stance, Origin::Start) };
        self.lock().starts.push((image, role, edge.clone()));
        edge
    }

    /// The node of a stance.
    fn node(self: &Arc<Self>, stance: Stance, origin: Origin) -> Weak<Node> {
        let fingerprint = stance.fingerprint();
        let all = Arc::downgrade(self);
        let mut known = self.lock();
        let node = known.nodes.entry(fingerprint).or_insert_with(|| {
            let has_times = stance.has_times();
            Arc::new(Node {
                stance,
                fingerprint,
                has_times,
                origin,
                edges: Edges::default(),
                renamed: OnceLock::new(),
                class: OnceLock::new(),
                all,
            })
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
    pub(crate) fn follow(
        self: &Arc<Self>,
        reply: &Reply,
        said: &mut Vec<Happening>,
    ) -> (Arc<Self>, Progress) {
        let edge = self.edges.find_or_learn(reply, || self.learn(reply.clone()));
        edge.take(said)
    }

    /// Where the task would stand, had all clocks shown other times. `None` if its
    /// program makes more of a time than how long ago that was.
    pub(crate) fn shifted(self: &Arc<Self>, shift: &Shift<'_>) -> Option<Arc<Self>> {
        if !self.has_times {
            return Some(Arc::clone(self));
        }
        self.find(self.stance.shifted(shift), self)
    }

    /// Where the task would stand, had processes changed places. `None` if that cannot be
    /// told.
    pub(crate) fn renamed(self: &Arc<Self>, renaming: &Renaming<'_>) -> Option<Arc<Self>> {
        if renaming.number == 0 {
            return Some(Arc::clone(self));
        }
        let all =
            self.renamed.get_or_init(|| (0..renaming.count).map(|_| OnceLock::new()).collect());
        let renamed = all[renaming.number]
            .get_or_init(|| self.rename(renaming).map(|renamed| Arc::downgrade(&renamed)));
        renamed.as_ref().map(|node| node.upgrade().expect("the automaton owns its nodes"))
    }

    /// What is the same of this node and of where the task would stand under any of so many
    /// changes of places, which `renamings` shows one after another.
    pub(crate) fn class(
        self: &Arc<Self>,
        count: usize,
        renamings: &mut Renamings<'_>,
    ) -> Option<Fingerprint> {
        *self.class.get_or_init(|| {
            let mut least = Some(self.fingerprint);
            for number in 1..count {
                renamings(number, &mut |renaming| {
                    let node = self.renamed(renaming).map(|node| node.fingerprint);
                    least = least.zip(node).map(|(least, node)| least.min(node));
                });
            }
            least
        })
    }

    /// It is led there by what it would have been told, and must then make the call that it
    /// makes here, but for the names: else it makes more of them than who is who.
    fn rename(self: &Arc<Self>, renaming: &Renaming<'_>) -> Option<Arc<Self>> {
        let renamed = match &self.origin {
            Origin::Start => Arc::clone(self),
            Origin::Reply(before, reply) => {
                let before = before.upgrade().expect("the automaton owns its nodes");
                let (mut said, mut would_say) = (Vec::new(), Vec::new());
                let (_, progress) = before.follow(reply, &mut said);
                let reply = renaming.reply(before.pending()?, reply)?;
                let (node, would) = before.renamed(renaming)?.follow(&reply, &mut would_say);
                said.iter_mut().for_each(|said| rename(said, renaming));
                if (&said, &progress) != (&would_say, &would) {
                    return None;
                }
                node
            }
            Origin::Shift(before) => {
                let before = before.upgrade().expect("the automaton owns its nodes");
                let before = before.renamed(renaming)?;
                self.find(self.stance.renamed(&before.stance, renaming)?, &before)?
            }
        };
        let call = match self.pending() {
            Some(call) => Some(renaming.call(call)?),
            None => None,
        };
        (renamed.pending() == call.as_ref()).then_some(renamed)
    }

    /// The node of a stance that a task could have come to, instead of to `of`.
    fn find(&self, stance: Stance, of: &Arc<Self>) -> Option<Arc<Self>> {
        let all = self.all.upgrade().expect("the automaton outlives its tasks");
        let known = all.lock().nodes.get(&stance.fingerprint()).cloned();
        if known.is_some() || stance.try_rerun().is_err() {
            return known;
        }
        all.node(stance, Origin::Shift(Arc::downgrade(of))).upgrade()
    }

    pub(crate) fn show_times(&self, shift: &Shift<'_>) {
        if self.has_times {
            self.stance.show_times(shift);
        }
    }

    fn learn(self: &Arc<Self>, reply: Reply) -> Edge {
        let all = self.all.upgrade().expect("the automaton outlives its tasks");
        let mut stance = self.stance.clone();
        let mut said = Vec::new();
        let progress = stance.resume(&mut stance.rerun(), reply.clone(), &mut said);
        let origin = Origin::Reply(Arc::downgrade(self), reply);
        Edge { said: said.into(), progress, to: all.node(stance, origin) }
    }
}

/// What would have been said, had processes changed places.
fn rename(said: &mut Happening, renaming: &Renaming<'_>) {
    if let Happening::Mark { subject, .. } = said
        && let Some(name) = (renaming.name)(subject)
    {
        *subject = name;
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
