use locklab_sim::{Trace, TracedEvent};
use locklab_sys::SmolStr;

use super::row::Lane;

/// Who has a lane. A child or a thread has none of its own: it speaks in its
/// parent's or its process's.
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
    let root = process.split_once(['/', '#']).map_or(process, |(root, _)| root);
    root.split_once('.').map_or(root, |(first, _)| first)
}

/// Whether it was launched before, and again after a boot.
pub(super) fn lives_again(process: &str) -> bool {
    !is_guest(process) && root(process) != process
}

/// What is said, with the speaker before it if it has no lane: a child by its
/// program, a thread by its number.
pub(super) fn spoken(speaker: &str, words: &str) -> String {
    let (process, thread) = match speaker.split_once('#') {
        Some((process, number)) => (process, format!("#{number}")),
        None => (speaker, String::new()),
    };
    let program = process
        .rsplit_once('/')
        .map_or("", |(_, child)| child.rsplit_once('.').map_or(child, |(program, _)| program));
    match format!("{program}{thread}") {
        nobody if nobody.is_empty() => words.to_owned(),
        speaker => format!("{speaker}: {words}"),
    }
}

/// Whether it speaks in another's lane.
pub(super) fn is_guest(speaker: &str) -> bool {
    speaker.contains(['/', '#'])
}
