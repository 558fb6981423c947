use std::time::Duration;

use locklab_models::word::mark;
use locklab_sim::kernel::{Effect, ProcId, TaskId};
use locklab_sim::{End, Event, Seconds, Swap, World};
use locklab_sys::{ExitStatus, Fingerprint, Happening, SmolStr};

use super::jury::{Judge, Sight};
use super::sites::{Change, Changed, Person, Sites, name};

/// Who wants a lock gets in, once faults are over and nobody is inside.
///
/// Told apart are a process that waits for itself, processes that wait for
/// each other, and a claim that nobody may ever remove. In a run this can only
/// be judged when somebody gives up; it is judged so as rather to say nothing:
/// not while a process is stopped, nor while anybody is inside or on the way
/// in or out, nor before the lock has long been as it is.
#[derive(Clone)]
pub(super) struct Progress {
    /// How long the rules may rightly keep somebody from a free lock.
    grace: Duration,
    /// Who wants which lock, and since when.
    wishes: Vec<(SmolStr, TaskId, Duration)>,
    /// When time last passed, a clock was set, or the adversary fell silent.
    calm_since: Duration,
    /// When anything last changed at a lock: its path, or one of those who have
    /// to do with it.
    still_since: Vec<(SmolStr, Duration)>,
}

impl Progress {
    pub(super) fn new(grace: Duration) -> Self {
        Self { grace, wishes: Vec::new(), calm_since: Duration::ZERO, still_since: Vec::new() }
    }

    /// Why `first`, or else another, should have got in, if none of them ever will.
    pub(super) fn why_for_ever(
        &self,
        world: &World,
        sites: &Sites,
        first: Option<TaskId>,
    ) -> Option<String> {
        let mut people: Vec<&Person> = sites.waiting().collect();
        people.sort_by_key(|it| Some(it.task) != first);
        people.into_iter().find_map(|it| self.stuck(world, sites, it, true))
    }

    /// Why `waiter`, which gave up or will wait for ever, should have got in;
    /// `None` if it may only have been impatient.
    fn stuck(
        &self,
        world: &World,
        sites: &Sites,
        waiter: &Person,
        for_ever: bool,
    ) -> Option<String> {
        let kernel = world.kernel();
        let (lock, who) = (&waiter.lock, kernel.task_name(waiter.task));
        let mut concerned = sites.people().iter().filter(|it| it.lock == *lock && !it.gone);
        if concerned.any(|it| kernel.process(it.proc).is_stopped() || world.is_starved(it.proc)) {
            return None;
        }
        let holds_it = waiter.depth > 0;
        if !holds_it {
            if let Some(ring) = ring(sites, waiter) {
                let names: Vec<SmolStr> = ring.iter().map(|task| kernel.task_name(*task)).collect();
                return Some(format!("deadlock: {} wait for each other", names.join(", ")));
            }
            if is_in_use(world, sites, waiter) {
                return None;
            }
        }
        let still = self.still_since.iter().find(|(path, _)| path == lock).map(|(_, time)| *time);
        let wish = |(path, task, _): &&(SmolStr, TaskId, _)| path == lock && *task == waiter.task;
        let waiting_since = self.wishes.iter().find(wish).map(|(_, _, since)| *since);
        let free_since =
            [waiting_since, still, Some(self.calm_since)].into_iter().flatten().max()?;
        let waited = kernel.now().saturating_sub(free_since);
        if !for_ever && waited <= self.grace {
            return None;
        }
        // A rule that goes by age lets even its own holder in, if it waits long enough.
        if holds_it {
            return Some(format!("self-deadlock: {who} waits for {lock}, which it holds itself"));
        }
        let why = match sites.maker(lock) {
            Some(maker) if !kernel.process(maker).is_alive() => {
                let its_pid = if same_pid(world, maker, waiter.proc) {
                    format!(" and had the pid of {who}")
                } else {
                    String::new()
                };
                let maker = name(world, maker);
                format!("nobody removes the claim of {maker}, which is dead{its_pid}")
            }
            Some(maker) => format!("the claim of {} is left there", name(world, maker)),
            None => {
                let machine = kernel.process(waiter.proc).machine;
                match kernel.lockers_at(machine, lock).first() {
                    Some(locker) if *locker == waiter.proc => {
                        format!("{} has the file locked itself", name(world, *locker))
                    }
                    Some(locker) => format!("{} has the file locked", name(world, *locker)),
                    None => "it is free".to_owned(),
                }
            }
        };
        let long = if for_ever { "for ever".to_owned() } else { Seconds(waited).to_string() };
        Some(format!("{who} is kept from {lock} {long} though nobody is inside: {why}"))
    }

    fn note(&mut self, sight: &Sight<'_>) {
        let &Sight { world, event, sites } = sight;
        let now = world.kernel().now();
        match event {
            Event::Effect(
                Effect::NameAdded { path, .. }
                | Effect::NameRemoved { path, .. }
                | Effect::NameLost { path, .. }
                | Effect::NameFound { path, .. },
            ) => {
                self.stir(path, now);
            }
            // Whoever ends in good order disturbs nobody.
            Event::Effect(Effect::Ended { status: ExitStatus::Code(_), .. }) => {}
            Event::Starved { proc }
            | Event::Fed { proc }
            | Event::Effect(
                Effect::Stopped { proc } | Effect::Continued { proc } | Effect::Ended { proc, .. },
            ) => {
                let concerns = |it: &&Person| it.proc == *proc;
                let people = sites.people().iter().filter(concerns);
                let locks: Vec<SmolStr> = people.map(|it| it.lock.clone()).collect();
                locks.iter().for_each(|lock| self.stir(lock, now));
            }
            Event::Quiet | Event::TimePassed | Event::ClockSet => self.calm_since = now,
            _ => {}
        }
    }

    /// Something has changed at a lock.
    fn stir(&mut self, lock: &SmolStr, now: Duration) {
        self.still_since.retain(|(path, _)| path != lock);
        self.still_since.push((lock.clone(), now));
        self.still_since.sort_unstable();
    }
}

/// Whether two processes go by one pid, at different times, so that who asks whether the other
/// is alive finds itself.
fn same_pid(world: &World, one: ProcId, other: ProcId) -> bool {
    let [one, other] = [one, other].map(|it| world.kernel().process(it));
    (one.machine, one.pid) == (other.machine, other.pid)
}

/// Whether another living thread is inside, or on the way in or out.
fn is_in_use(world: &World, sites: &Sites, waiter: &Person) -> bool {
    let others = sites.people().iter().filter(|it| it.lock == waiter.lock && !it.gone);
    let maker = sites.maker(&waiter.lock);
    others.filter(|it| it.task != waiter.task).any(|it| {
        let takes = it.waiting && maker == Some(it.proc);
        let alive = world.kernel().process(it.proc).is_alive();
        alive && (it.depth > 0 || it.releasing || takes)
    })
}

/// The threads that wait for each other in a ring through `waiter`.
fn ring(sites: &Sites, waiter: &Person) -> Option<Vec<TaskId>> {
    let mut ring = vec![waiter.task];
    let mut lock = waiter.lock.clone();
    loop {
        let holder = sites.inside(&lock).next()?.task;
        if holder == waiter.task {
            return Some(ring);
        }
        if ring.contains(&holder) {
            return None;
        }
        ring.push(holder);
        let wants = |person: &&Person| person.task == holder && person.waiting;
        lock = sites.people().iter().find(wants)?.lock.clone();
    }
}

/// Who gives up on which lock.
fn refusal(event: &Event) -> Option<(&str, TaskId)> {
    match event {
        Event::Said { task, said: Happening::Mark { name, subject, .. }, .. }
            if *name == mark::REFUSED =>
        {
            Some((subject, *task))
        }
        _ => None,
    }
}

impl Judge for Progress {
    fn foresee(&mut self, sight: &Sight<'_>) -> Option<String> {
        self.note(sight);
        let (lock, task) = refusal(sight.event)?;
        // Judged before the mark is taken, since that ends the wait.
        let waiter = sight.sites.of(lock, task)?;
        self.stuck(sight.world, sight.sites, waiter, false)
    }

    fn observe(&mut self, sight: &Sight<'_>, changed: Option<&Changed>) -> Option<String> {
        let Changed { change, lock, task, .. } = changed?;
        let now = sight.world.kernel().now();
        match change {
            Change::Waiting => {
                self.wishes.push((lock.clone(), *task, now));
                self.wishes.sort_unstable();
            }
            Change::Entered => {
                self.wishes.retain(|(path, wishing, _)| path != lock || wishing != task);
                self.stir(lock, now);
            }
            Change::Leaving | Change::Released => self.stir(lock, now),
            Change::Refused => self.wishes.retain(|(_, wishing, _)| wishing != task),
        }
        None
    }

    fn end(&mut self, world: &World, sites: &Sites, end: End) -> Option<String> {
        if end != End::Hung {
            return None;
        }
        if sites.waiting().next().is_none() {
            return Some("somebody waits for ever".to_owned());
        }
        self.why_for_ever(world, sites, None)
    }

    fn set_back(&mut self, clock: &dyn Fn(Duration) -> Duration) {
        self.calm_since = clock(self.calm_since);
        for (_, _, since) in &mut self.wishes {
            *since = clock(*since);
        }
        for (_, since) in &mut self.still_since {
            *since = clock(*since);
        }
    }

    fn change_places(&mut self, swap: &Swap<'_>) -> bool {
        self.wishes.iter_mut().for_each(|(_, wishing, _)| *wishing = (swap.task)(*wishing));
        self.wishes.sort_unstable();
        for (path, _) in &mut self.still_since {
            if let Some(name) = (swap.name)(path) {
                *path = name;
            }
        }
        self.still_since.sort_unstable();
        true
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&(&self.wishes, self.calm_since, &self.still_since)))
    }
}
