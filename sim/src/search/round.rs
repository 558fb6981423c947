//! The way round a circle.

use std::collections::VecDeque;

use super::circles::Trap;
use super::quiet::{Graph, NOWHERE, Tasks, Way};
use crate::choice::Choice;

/// The choices that lead from a trap's node round its circle and back, so that it is fair
/// to do so for ever.
pub(super) fn round(graph: &Graph, trap: &Trap) -> Vec<Choice> {
    let mut walker = Walker::new(graph, trap);
    if !trap.circle.is_empty() {
        // Who cannot go on somewhere, or does, has no more to ask for.
        walker.look_around();
        while !walker.owed.is_empty() {
            walker.go(|walker, way| walker.pays(way));
        }
        let home = trap.node;
        if walker.node != home || walker.choices.is_empty() {
            walker.go(|_, way| way.to == home);
        }
    }
    walker.choices
}

struct Walker<'a> {
    graph: &'a Graph,
    circle: &'a [u32],
    node: u32,
    /// Those who have been able to go on all the way and have not.
    owed: Tasks,
    choices: Vec<Choice>,
}

impl<'a> Walker<'a> {
    fn new(graph: &'a Graph, trap: &'a Trap) -> Self {
        let (circle, node) = (&trap.circle[..], trap.node);
        Self { graph, circle, node, owed: Tasks::ALL, choices: Vec::new() }
    }

    fn look_around(&mut self) {
        self.owed.0 &= self.graph.calm(self.node).can.0;
    }

    /// Whether somebody to whom a step is owed makes it so, or cannot afterwards.
    fn pays(&self, way: Way) -> bool {
        let makes_it = way.by.is_some_and(|task| self.owed.contains(task));
        makes_it || self.owed.0 & !self.graph.calm(way.to).can.0 != 0
    }

    /// Goes the shortest way that ends with such a step.
    fn go(&mut self, is_last: impl Fn(&Self, Way) -> bool) {
        let mut ways = self.shortest(is_last);
        ways.reverse();
        for way in ways {
            self.choices.push(way.by.map_or(Choice::Jump, Choice::Step));
            if let Some(task) = way.by {
                self.owed.remove(task);
            }
            self.node = way.to;
            self.look_around();
        }
    }

    /// The ways, the last one first.
    fn shortest(&self, is_last: impl Fn(&Self, Way) -> bool) -> Vec<Way> {
        let place = |node| self.circle.binary_search(&node).ok();
        let mut came_by: Vec<Option<(u32, Way)>> = vec![None; self.circle.len()];
        let mut queue = VecDeque::from([self.node]);
        while let Some(node) = queue.pop_front() {
            for way in self.graph.ways(node).map(|way| self.graph.way(way)) {
                let Some(to) = Some(way.to).filter(|to| *to != NOWHERE).and_then(place) else {
                    continue;
                };
                if is_last(self, way) {
                    return self.back(node, way, &came_by);
                }
                if came_by[to].is_none() && way.to != self.node {
                    came_by[to] = Some((node, way));
                    queue.push_back(way.to);
                }
            }
        }
        unreachable!("every node of a circle can be come to from every other, and it is fair")
    }

    fn back(&self, mut node: u32, last: Way, came_by: &[Option<(u32, Way)>]) -> Vec<Way> {
        let mut ways = vec![last];
        while node != self.node {
            let place = self.circle.binary_search(&node).expect("it is on the circle");
            let (before, way) = came_by[place].expect("it was come to");
            ways.push(way);
            node = before;
        }
        ways
    }
}
