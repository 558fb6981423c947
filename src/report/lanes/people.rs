use locklab_sim::{Trace, TracedEvent};
use locklab_sys::SmolStr;

use super::row::Lane;

/// Who has a lane. A child has none of its own: it speaks in its parent's.
pub(super) struct People(Vec<Person>);

struct Person {
    name: SmolStr,
    /// Whether it, or a child, marks anything.
    marks: bool,
}

impl People {
    pub(super) fn of(trace: &Trace) -> Self {
        let roots = trace.processes.iter().filter(|process| root(&process.name) == process.name);
        let person = |name: &SmolStr| Person { name: name.clone(), marks: false };
        let mut people = Self(roots.map(|process| person(&process.name)).collect());
        for event in trace.steps.iter().flat_map(|step| &step.events) {
            if let TracedEvent::Mark { process, .. } = event {
                let lane = people.lane(process);
                people.0[lane].marks = true;
            }
        }
        people
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &SmolStr> {
        self.0.iter().map(|person| &person.name)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn lane(&self, process: &str) -> Lane {
        let named = self.0.iter().position(|person| person.name == root(process));
        named.expect("who takes part was started")
    }

    /// Whether a lane tells of more than calls.
    pub(super) fn marks(&self, lane: Lane) -> bool {
        self.0.get(lane).is_some_and(|person| person.marks)
    }
}

/// The ancestor that init launched, in its first life.
fn root(process: &str) -> &str {
    let root = process.split_once('/').map_or(process, |(root, _)| root);
    root.split_once('.').map_or(root, |(first, _)| first)
}

/// Whether it was launched before, and again after a boot.
pub(super) fn lives_again(process: &str) -> bool {
    !is_child(process) && root(process) != process
}

/// What is said, with the speaker's program before it if it is a child.
pub(super) fn spoken(process: &str, words: &str) -> String {
    match process.rsplit_once('/') {
        Some((_, child)) => {
            let program = child.rsplit_once('.').map_or(child, |(program, _)| program);
            format!("{program}: {words}")
        }
        None => words.to_owned(),
    }
}

pub(super) fn is_child(process: &str) -> bool {
    process.contains('/')
}
