use std::collections::BTreeMap;

use locklab_models::claim_number;
use locklab_models::word::mark;
use locklab_sim::{Trace, TracedEvent, TracedStep};
use locklab_sys::SmolStr;

use super::Metrics;
use super::person::{Person, Wish, process_of};

/// What is known of a run, as far as it has been read.
pub(super) struct Watch<'a> {
    counts: &'a dyn Fn(&str) -> bool,
    people: Vec<Person>,
    /// Who made the claims that lie at paths.
    claims: BTreeMap<SmolStr, SmolStr>,
    /// When the holder of a lock died, since which nobody has entered.
    vacant_since_ns: BTreeMap<SmolStr, u64>,
    /// For how long two or more were inside a lock, if they ever were.
    double_ns: Option<u64>,
    is_contended: bool,
    now_ns: u64,
    metrics: Metrics,
}

impl Metrics {
    /// Of one run. Of wants, waits and refusals only those of the processes count for which
    /// `counts` says so, by their names: the rules of others are not measured.
    pub fn of(trace: &Trace, counts: &dyn Fn(&str) -> bool) -> Self {
        let mut watch = Watch {
            counts,
            people: Vec::new(),
            claims: BTreeMap::new(),
            vacant_since_ns: BTreeMap::new(),
            double_ns: None,
            is_contended: false,
            now_ns: 0,
            metrics: Self::default(),
        };
        trace.steps.iter().for_each(|step| watch.step(step));
        watch.end()
    }
}

impl Watch<'_> {
    fn step(&mut self, step: &TracedStep) {
        self.pass(step.time_ns);
        if let Some(caller) = &step.process {
            let callers = self.people.iter_mut().filter(|person| person.thread == *caller);
            callers.filter_map(|person| person.wish.as_mut()).for_each(|wish| wish.step(step));
        }
        for event in &step.events {
            self.see(event, step.process.as_deref());
        }
    }

    /// Time passes, during which everybody stays where they are.
    fn pass(&mut self, time_ns: u64) {
        let passed = time_ns.saturating_sub(self.now_ns);
        self.now_ns = time_ns;
        if passed > 0 {
            let shared = self.shared_locks();
            if shared > 0 {
                *self.double_ns.get_or_insert(0) += passed * shared;
            }
        }
    }

    /// How many locks two or more are inside of.
    fn shared_locks(&self) -> u64 {
        let inside = |lock: &SmolStr| {
            self.people.iter().filter(|it| it.lock == *lock && it.is_inside()).count()
        };
        let mut locks: Vec<&SmolStr> = self.people.iter().map(|person| &person.lock).collect();
        locks.sort_unstable();
        locks.dedup();
        locks.into_iter().filter(|lock| inside(lock) > 1).count() as u64
    }

    fn see(&mut self, event: &TracedEvent, caller: Option<&str>) {
        match event {
            TracedEvent::Mark { process, name, subject, .. } => self.hear(process, name, subject),
            TracedEvent::Ended { process, .. } => self.bury(process),
            TracedEvent::ThreadEnded { thread } => {
                let ended = self.people.iter_mut().filter(|person| person.thread == *thread);
                ended.for_each(|person| person.gone = true);
            }
            // What anybody may have made, as the file of a kernel lock, is no claim.
            TracedEvent::NameAdded { path, maker, exclusive: true, .. }
            | TracedEvent::NameFound { path, maker, .. } => {
                self.supersede(path, caller);
                self.claims.insert(path.clone(), maker.clone());
            }
            TracedEvent::NameLost { path, .. } => {
                self.claims.remove(path);
            }
            TracedEvent::NameRemoved { path, maker, .. } => {
                self.claims.remove(path);
                self.remove(path, maker, caller);
            }
            _ => {}
        }
    }

    fn hear(&mut self, thread: &SmolStr, mark: &str, lock: &SmolStr) {
        match mark {
            mark::WAITING => self.want(lock, thread),
            mark::ENTERED => self.enter(lock, thread),
            mark::LEAVING => {
                let person = self.person(lock, thread);
                person.depth = person.depth.saturating_sub(1);
                person.releasing = true;
            }
            mark::RELEASED => self.person(lock, thread).releasing = false,
            mark::REFUSED => self.refuse(lock, thread),
            _ => {}
        }
    }

    fn want(&mut self, lock: &SmolStr, thread: &SmolStr) {
        let involved = self.people.iter().filter(|it| it.lock == *lock && it.is_in_the_way());
        let (own, others): (Vec<_>, Vec<_>) = involved.partition(|it| it.thread == *thread);
        let is_free = self.maker(lock).is_none();
        let is_clear = own.is_empty() && others.is_empty() && is_free;
        self.is_contended |= !others.is_empty();
        let now_ns = self.now_ns;
        self.disturb(lock, thread, false);
        let person = self.person(lock, thread);
        person.wish = Some(Wish::new(now_ns, is_clear));
    }

    fn enter(&mut self, lock: &SmolStr, thread: &SmolStr) {
        if let Some(died_ns) = self.vacant_since_ns.remove(lock) {
            self.metrics.succession_ns.add(self.now_ns - died_ns);
        }
        self.disturb(lock, thread, true);
        let now_ns = self.now_ns;
        let person = self.person(lock, thread);
        person.depth += 1;
        let wish = person.wish.take().filter(|_| person.counts);
        if let Some(wish) = wish {
            let metrics = &mut self.metrics;
            metrics.wait_ns.add(now_ns - wish.since_ns);
            if let Some(calls) = wish.uncontended_calls() {
                metrics.uncontended_calls.add(calls);
            } else if let Some(calls) = wish.takeover_calls() {
                metrics.takeover_calls.add(calls);
            }
        }
        let inside = self.people.iter().filter(|it| it.lock == *lock && it.is_inside());
        if inside.count() > 1 {
            self.double_ns.get_or_insert(0);
        }
    }

    fn refuse(&mut self, lock: &SmolStr, thread: &SmolStr) {
        let now_ns = self.now_ns;
        let person = self.person(lock, thread);
        if let Some(wish) = person.wish.take().filter(|_| person.counts) {
            self.metrics.wait_ns.add(now_ns - wish.since_ns);
            self.metrics.refusals += 1;
        }
    }

    /// Who made the claim that lies at a lock's path: where claims are numbers, the highest, if
    /// it is not let go of.
    fn maker(&self, lock: &str) -> Option<&SmolStr> {
        let numbers = self.claims.iter().filter_map(|(path, maker)| {
            let (of, number, let_go) = claim_number(path)?;
            (of == lock).then_some((number, let_go, maker))
        });
        match numbers.max() {
            Some((_, let_go, maker)) => (!let_go).then_some(maker),
            None => self.claims.get(lock),
        }
    }

    /// Whoever makes the next number while another's stands takes that over.
    fn supersede(&mut self, path: &str, by: Option<&str>) {
        let Some((lock, ..)) = claim_number(path) else { return };
        let Some(by) = by else { return };
        if self.maker(lock).is_none_or(|maker| maker == process_of(by)) {
            return;
        }
        let takers = self.people.iter_mut().filter(|it| it.lock == lock && it.thread == by);
        takers.filter_map(|person| person.wish.as_mut()).for_each(Wish::removed);
    }

    /// A name is gone. A claim of another that whoever wants the lock has removed is one that
    /// it takes over: that at the path, or an entry of it, where the claim is a directory.
    fn remove(&mut self, path: &str, maker: &str, by: Option<&str>) {
        if claim_number(path).is_some() {
            // Only a higher number takes one over: to remove it is to clean up.
            return;
        }
        let is_of = |person: &&mut Person| {
            let rest = path.strip_prefix(person.lock.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for person in self.people.iter_mut().filter(is_of) {
            let Some(wish) = person.wish.as_mut() else { continue };
            if by != Some(person.thread.as_str()) {
                wish.clear = false;
            } else if process_of(&person.thread) != maker {
                wish.removed();
            }
        }
    }

    /// A process has ended: locks that it held are vacant, unless others are inside.
    fn bury(&mut self, process: &str) {
        for person in self.people.iter_mut().filter(|person| person.is_of(process)) {
            person.gone = true;
            person.wish = None;
        }
        let dead = self.people.iter().filter(|it| it.is_of(process));
        for person in dead.filter(|it| it.depth > 0 || it.releasing) {
            let lock = &person.lock;
            if !self.people.iter().any(|it| it.lock == *lock && it.is_inside()) {
                self.vacant_since_ns.entry(lock.clone()).or_insert(self.now_ns);
            }
        }
        // Nobody comes back from there, and a next life has a name of its own.
        self.people.retain(|person| !person.is_of(process));
    }

    /// Whoever else wants the lock is not alone with it.
    fn disturb(&mut self, lock: &str, thread: &str, somebody_got_in: bool) {
        let others = self.people.iter_mut().filter(|it| it.lock == lock && it.thread != thread);
        let wishes = others.filter_map(|person| person.wish.as_mut());
        wishes.for_each(|wish| wish.disturbed(somebody_got_in));
    }

    fn person(&mut self, lock: &SmolStr, thread: &SmolStr) -> &mut Person {
        let known = self.people.iter().position(|it| it.lock == *lock && it.thread == *thread);
        let index = known.unwrap_or_else(|| {
            self.people.push(Person {
                lock: lock.clone(),
                thread: thread.clone(),
                counts: (self.counts)(process_of(thread)),
                depth: 0,
                releasing: false,
                gone: false,
                wish: None,
            });
            self.people.len() - 1
        });
        &mut self.people[index]
    }

    fn end(self) -> Metrics {
        let mut metrics = self.metrics;
        metrics.runs = 1;
        metrics.contended_runs = u64::from(self.is_contended);
        if let Some(double_ns) = self.double_ns {
            metrics.double_occupancy_ns.add(double_ns);
        }
        let waiting = self.people.iter().filter(|it| it.counts && !it.gone && it.wish.is_some());
        metrics.unended_waits = waiting.count() as u64;
        metrics.unsucceeded = self.vacant_since_ns.len() as u64;
        metrics
    }
}
