//! Where somebody who should get in never does: for lack of anything that could
//! happen, or on a circle that may be gone round for ever.

use super::quiet::{Graph, NOWHERE, Tasks};
use crate::kernel::TaskId;

/// The first node, the shallowest, at which somebody waits who need never get in.
pub(super) struct Trap {
    pub(super) node: u32,
    /// Who waits; nobody need have said so where nothing happens any more.
    pub(super) waiter: Option<TaskId>,
    /// The nodes of the circle, sorted; none where nothing happens any more.
    pub(super) circle: Vec<u32>,
}

/// What a closed graph shows.
#[derive(Default)]
pub(super) struct Judgement {
    pub(super) trap: Option<Trap>,
    /// Whether somebody can go on for ever while others wait for a time that, as long as
    /// anybody can go on, does not come: of such nothing can be said.
    pub(super) time_stands_still: bool,
}

pub(super) fn judge(graph: &Graph) -> Judgement {
    let mut judgement = Judgement { trap: dead_end(graph), time_stands_still: false };
    let all = (0..graph.len() as u32).fold(0, |all, node| all | graph.calm(node).waits.0);
    for waiter in Tasks(all).iter() {
        Components::new(graph, waiter).each(&mut |nodes| match Circle::of(graph, &nodes).judge() {
            Fairness::Unfair => {}
            Fairness::OutOfTime => judgement.time_stands_still = true,
            Fairness::Fair => {
                let node = nodes[0];
                if judgement.trap.as_ref().is_none_or(|trap| node < trap.node) {
                    judgement.trap = Some(Trap { node, waiter: Some(waiter), circle: nodes });
                }
            }
        });
    }
    judgement
}

/// The first node from which nothing ever happens though not everybody has ended.
fn dead_end(graph: &Graph) -> Option<Trap> {
    let stands = |node: &u32| graph.ways(*node).is_empty() && !graph.calm(*node).is_over;
    let node = (0..graph.len() as u32).find(stands)?;
    let waiter = graph.calm(node).waits.iter().next();
    Some(Trap { node, waiter, circle: Vec::new() })
}

/// What there is on the way round all of a component.
struct Circle {
    is_closed: bool,
    /// Who can go on everywhere on it, and who does somewhere.
    can: Tasks,
    does: Tasks,
    time_passes: bool,
    /// Whether everywhere something is to happen at a time.
    has_timer: bool,
}

enum Fairness {
    /// Nobody can go round for ever without keeping somebody from going on who always can.
    Unfair,
    /// Only that no time passes would be unfair.
    OutOfTime,
    Fair,
}

impl Circle {
    fn of(graph: &Graph, nodes: &[u32]) -> Self {
        let mut circle = Self {
            is_closed: false,
            can: Tasks::ALL,
            does: Tasks::default(),
            time_passes: false,
            has_timer: true,
        };
        for node in nodes {
            let calm = graph.calm(*node);
            circle.can.0 &= calm.can.0;
            circle.has_timer &= calm.has_timer;
            for way in graph.ways(*node).map(|way| graph.way(way)) {
                if nodes.binary_search(&way.to).is_ok() {
                    circle.is_closed = true;
                    match way.by {
                        Some(task) => _ = circle.does.insert(task),
                        None => circle.time_passes = true,
                    }
                }
            }
        }
        circle
    }

    /// Weak fairness: who can always go on does so at some time, and so does the clock.
    fn judge(&self) -> Fairness {
        if !self.is_closed || self.can.0 & !self.does.0 != 0 {
            Fairness::Unfair
        } else if self.has_timer && !self.time_passes {
            Fairness::OutOfTime
        } else {
            Fairness::Fair
        }
    }
}

/// Among the nodes in which one task waits, those that can all be come to from each
/// other, by Tarjan's algorithm (1972), without recursion.
struct Components<'a> {
    graph: &'a Graph,
    waiter: TaskId,
    /// When each node was come to; [`UNSEEN`], or [`DONE`] with.
    order: Vec<u32>,
    stack: Vec<u32>,
    frames: Vec<Frame>,
}

struct Frame {
    node: u32,
    next_way: usize,
    low: u32,
}

const UNSEEN: u32 = 0;
const DONE: u32 = u32::MAX;

impl<'a> Components<'a> {
    fn new(graph: &'a Graph, waiter: TaskId) -> Self {
        let order = vec![UNSEEN; graph.len()];
        Self { graph, waiter, order, stack: Vec::new(), frames: Vec::new() }
    }

    /// Each of them, sorted.
    fn each(mut self, found: &mut dyn FnMut(Vec<u32>)) {
        let mut seen = 0;
        for root in 0..self.graph.len() as u32 {
            if self.waits(root) && self.order[root as usize] == UNSEEN {
                self.come_to(root, &mut seen);
            }
            while let Some(frame) = self.frames.last_mut() {
                if frame.next_way < self.graph.ways(frame.node).end {
                    frame.next_way += 1;
                    let to = self.graph.way(frame.next_way - 1).to;
                    if to == NOWHERE || !self.graph.calm(to).waits.contains(self.waiter) {
                        continue;
                    }
                    match self.order[to as usize] {
                        UNSEEN => self.come_to(to, &mut seen),
                        DONE => {}
                        earlier => frame.low = frame.low.min(earlier),
                    }
                } else if let Some(mut nodes) = self.leave() {
                    nodes.iter().for_each(|node| self.order[*node as usize] = DONE);
                    nodes.sort_unstable();
                    found(nodes);
                }
            }
        }
    }

    fn waits(&self, node: u32) -> bool {
        self.graph.calm(node).waits.contains(self.waiter)
    }

    fn come_to(&mut self, node: u32, seen: &mut u32) {
        *seen += 1;
        self.order[node as usize] = *seen;
        self.stack.push(node);
        self.frames.push(Frame { node, next_way: self.graph.ways(node).start, low: *seen });
    }

    /// Goes back from the node that was come to last; the component of which it is the first.
    fn leave(&mut self) -> Option<Vec<u32>> {
        let Frame { node, low, .. } = self.frames.pop()?;
        if let Some(before) = self.frames.last_mut() {
            before.low = before.low.min(low);
        }
        if low != self.order[node as usize] {
            return None;
        }
        let at = self.stack.iter().rposition(|it| *it == node).expect("it was put there");
        Some(self.stack.split_off(at))
    }
}
