use std::hash::{Hash, Hasher};

use locklab_models::word::mark;
use locklab_models::{claim_number, lock_of_entry};
use locklab_sim::kernel::{Effect, Naming, ProcId, TaskId};
use locklab_sim::{Event, Swap, World};
use locklab_sys::{Happening, SmolStr};

/// Who is where with each lock, by marks and deaths alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites {
    /// By lock, process and thread: in one order, however they came.
    people: Vec<Person>,
    /// Who made the claims that lie at paths, by path.
    claims: Vec<(SmolStr, ProcId)>,
    /// The locks at whose paths there are directories without the entry that made them
    /// somebody's claim.
    emptied: Vec<SmolStr>,
}

impl Hash for Sites {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { people, claims, emptied } = self;
        (people, claims).hash(state);
        if !emptied.is_empty() {
            emptied.hash(state);
        }
    }
}

/// A thread of a process and a lock that it has to do with. Two threads of one
/// process are two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Person {
    pub(super) lock: SmolStr,
    pub(super) proc: ProcId,
    pub(super) task: TaskId,
    /// How deeply it is inside, 0 for outside: counted here, not as the lock says.
    pub(super) depth: u32,
    /// It wants the lock, once more if it is inside.
    pub(super) waiting: bool,
    /// It has left a section, an inner one perhaps, and has not yet released.
    pub(super) releasing: bool,
    /// It has ended.
    pub(super) gone: bool,
}

/// How a process stands to a lock, through one thread or another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) inside: bool,
    pub(super) waiting: bool,
    pub(super) releasing: bool,
}

/// A claim that is gone, or the entry that made it one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removed<'a> {
    pub(super) lock: &'a str,
    pub(super) ino: u64,
    /// Who made it.
    pub(super) maker: ProcId,
    /// Who removed it.
    pub(super) by: ProcId,
    /// It was a number: a high one makes a lower one no claim of who is still on its way in.
    pub(super) is_number: bool,
}

/// What a mark changed, for which lock, and whose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub(super) change: Change,
    pub(super) lock: SmolStr,
    pub(super) proc: ProcId,
    pub(super) task: TaskId,
}

/// How somebody stands to a lock from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Waiting,
    Entered,
    Leaving,
    Released,
    Refused,
}

impl Sites {
    /// Takes note of an event; what a mark changed.
    pub(super) fn observe(&mut self, event: &Event) -> Option<Changed> {
        match event {
            Event::Said { task, proc, said: Happening::Mark { name, subject, .. } } => {
                let change = change(name)?;
                self.person(subject, *proc, *task).take(change);
                Some(Changed { change, lock: subject.clone(), proc: *proc, task: *task })
            }
            Event::Effect(Effect::Ended { proc, .. }) => {
                for person in self.people.iter_mut().filter(|person| person.proc == *proc) {
                    person.gone = true;
                }
                None
            }
            Event::Effect(Effect::ThreadEnded { task, .. }) => {
                for person in self.people.iter_mut().filter(|person| person.task == *task) {
                    person.gone = true;
                }
                None
            }
            // What anybody may have made, as the file of a kernel lock, is no
            // claim of its maker's.
            Event::Effect(
                Effect::NameAdded { path, maker, how: Naming::Exclusive | Naming::Moved, .. }
                | Effect::NameFound { path, maker, .. },
            ) => {
                self.claims.retain(|(claim, _)| claim != path);
                self.emptied.retain(|emptied| emptied != path);
                self.claims.push((path.clone(), *maker));
                self.claims.sort_unstable();
                None
            }
            Event::Effect(Effect::NameRemoved { path, .. } | Effect::NameLost { path, .. }) => {
                self.claims.retain(|(claim, _)| claim != path);
                let emptied = lock_of_entry(path).filter(|lock| self.maker(lock).is_some());
                if let Some(lock) = emptied.filter(|_| claim_number(path).is_none()) {
                    self.claims.retain(|(claim, _)| claim != lock);
                    self.emptied.push(lock.into());
                    self.emptied.sort_unstable();
                }
                None
            }
            _ => None,
        }
    }

    /// Processes change places.
    pub(super) fn change_places(&mut self, swap: &Swap<'_>) {
        for person in &mut self.people {
            (person.proc, person.task) = ((swap.proc)(person.proc), (swap.task)(person.task));
        }
        self.people.sort_unstable_by(|one, other| {
            (&one.lock, one.proc, one.task).cmp(&(&other.lock, other.proc, other.task))
        });
        for (path, maker) in &mut self.claims {
            *maker = (swap.proc)(*maker);
            if let Some(name) = (swap.name)(path) {
                *path = name;
            }
        }
        self.claims.sort_unstable();
        for path in &mut self.emptied {
            if let Some(name) = (swap.name)(path) {
                *path = name;
            }
        }
        self.emptied.sort_unstable();
    }

    fn person(&mut self, lock: &SmolStr, proc: ProcId, task: TaskId) -> &mut Person {
        let key = |person: &Person| (person.lock.clone(), person.proc, person.task);
        let index = match self.people.binary_search_by_key(&(lock.clone(), proc, task), key) {
            Ok(index) => index,
            Err(index) => {
                let person = Person {
                    lock: lock.clone(),
                    proc,
                    task,
                    depth: 0,
                    waiting: false,
                    releasing: false,
                    gone: false,
                };
                self.people.insert(index, person);
                index
            }
        };
        &mut self.people[index]
    }

    /// Who wants a lock and is not inside, once more if it is.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Person> {
        self.people.iter().filter(|it| it.waiting && !it.gone)
    }

    /// What is known of a thread and a lock.
    pub(super) fn of(&self, lock: &str, task: TaskId) -> Option<&Person> {
        self.people.iter().find(|person| person.task == task && person.lock == lock)
    }

    /// What is known of a process and a lock: what any of its threads does, it does.
    pub(super) fn of_process(&self, lock: &str, proc: ProcId) -> Standing {
        let mut all = Standing::default();
        for person in self.people.iter().filter(|it| it.proc == proc && it.lock == lock) {
            all.inside |= person.depth > 0;
            all.waiting |= person.waiting;
            all.releasing |= person.releasing;
        }
        all
    }

    /// Everybody who has to do with anything.
    pub(super) fn people(&self) -> &[Person] {
        &self.people
    }

    /// Who made the claim that lies at a lock's path.
    pub(super) fn maker(&self, lock: &str) -> Option<ProcId> {
        let numbers = self.claims.iter().filter_map(|(path, maker)| {
            let (of, number, let_go) = claim_number(path)?;
            (of == lock).then_some((number, let_go, *maker))
        });
        match numbers.max() {
            Some((_, let_go, maker)) => (!let_go).then_some(maker),
            None => self.claims.iter().find(|(path, _)| path == lock).map(|(_, maker)| *maker),
        }
    }

    /// The claim that went by this event, if one did, or what made it one. What is left of a
    /// directory whose owner's entry was removed is nobody's claim, nor is a number that its
    /// owner has let go of.
    pub(super) fn removed<'a>(&self, event: &'a Event) -> Option<Removed<'a>> {
        match event {
            Event::Effect(Effect::NameRemoved { path, ino, maker, by })
                if !self.emptied.contains(path) =>
            {
                let lock = lock_of_entry(path).unwrap_or(path);
                let number = claim_number(path);
                let is_number = number.is_some();
                let let_go = number.is_some_and(|(_, _, let_go)| let_go);
                (!let_go).then_some(Removed { lock, ino: *ino, maker: *maker, by: *by, is_number })
            }
            _ => None,
        }
    }

    /// Whose claim it was that `by` has removed: that of another who is inside and has the
    /// file locked; else its maker's, unless that is outside and the releaser has it locked.
    pub(super) fn whose(&self, world: &World, removed: &Removed<'_>) -> ProcId {
        let &Removed { lock, ino, maker, by, .. } = removed;
        let lockers = world.kernel().lockers(world.kernel().process(by).machine, ino);
        // The dead are inside no more.
        let is_inside = |proc| self.inside(lock).any(|person| person.proc == proc);
        match lockers.iter().find(|proc| **proc != by && is_inside(**proc)) {
            Some(holder) => *holder,
            None if is_inside(maker) => maker,
            None if lockers.contains(&by) && self.of_process(lock, by).releasing => by,
            None => maker,
        }
    }

    /// The living who are inside.
    pub(super) fn inside<'a>(&'a self, lock: &'a str) -> impl Iterator<Item = &'a Person> {
        self.people.iter().filter(move |p| p.lock == lock && p.depth > 0 && !p.gone)
    }
}

impl Person {
    fn take(&mut self, change: Change) {
        match change {
            Change::Waiting => self.waiting = true,
            Change::Entered => {
                self.waiting = false;
                self.depth += 1;
            }
            Change::Leaving => {
                self.depth = self.depth.saturating_sub(1);
                self.releasing = true;
            }
            Change::Released => self.releasing = false,
            Change::Refused => self.waiting = false,
        }
    }
}

fn change(name: &str) -> Option<Change> {
    Some(match name {
        mark::WAITING => Change::Waiting,
        mark::ENTERED => Change::Entered,
        mark::LEAVING => Change::Leaving,
        mark::RELEASED => Change::Released,
        mark::REFUSED => Change::Refused,
        _ => return None,
    })
}

/// A process's name.
pub(super) fn name(world: &World, proc: ProcId) -> &SmolStr {
    &world.kernel().process(proc).name
}
