use std::time::Duration;

use locklab_models::word::mark;
use locklab_sim::kernel::{Effect, ProcId};
use locklab_sim::{End, Event, Monitor, Seconds, World};
use locklab_sys::{Fingerprint, Happening, SmolStr};

use super::sites::{Change, Person, Sites, name};

/// Who wants a lock gets in, once faults are over and nobody is inside.
///
/// Told apart are a process that waits for itself, processes that wait for
/// each other, and a claim that nobody may ever remove.
pub(super) struct Progress {
    /// How long the rules may rightly keep somebody from a free lock.
    grace: Duration,
    sites: Sites,
    /// When the last fault took effect or was over.
    calm_since: Duration,
    /// When a process last left each lock, or died inside it.
    left: Vec<(SmolStr, Duration)>,
    /// Who made the claims that lie at the locks' paths.
    claims: Vec<(SmolStr, ProcId)>,
}

impl Progress {
    pub(super) fn new(grace: Duration) -> Self {
        Self {
            grace,
            sites: Sites::default(),
            calm_since: Duration::ZERO,
            left: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Why `waiter`, which gave up or will wait for ever, should have got in;
    /// `None` if it may only have been impatient.
    fn stuck(&self, world: &World, waiter: &Person, for_ever: bool) -> Option<String> {
        let (lock, who) = (&waiter.lock, name(world, waiter.proc));
        if waiter.depth > 0 {
            return Some(format!("{who} waits for {lock}, which it holds itself"));
        }
        if let Some(ring) = self.ring(waiter) {
            let names: Vec<&str> = ring.iter().map(|proc| name(world, *proc).as_str()).collect();
            return Some(format!("{} wait for each other", names.join(", ")));
        }
        if self.sites.inside(lock).next().is_some() {
            return None;
        }
        let left = self.left.iter().find(|(path, _)| path == lock).map(|(_, time)| *time);
        let free_since =
            [waiter.waiting_since, left, Some(self.calm_since)].into_iter().flatten().max()?;
        let waited = world.kernel().now().saturating_sub(free_since);
        if !for_ever && waited <= self.grace {
            return None;
        }
        let claim = self.claims.iter().find(|(path, _)| path == lock);
        let why = match claim {
            Some((_, maker)) if !world.kernel().process(*maker).is_alive() => {
                format!("nobody removes the claim of {}, which is dead", name(world, *maker))
            }
            Some((_, maker)) => format!("the claim of {} is left there", name(world, *maker)),
            None => "it is free".to_owned(),
        };
        let long = if for_ever { "for ever".to_owned() } else { Seconds(waited).to_string() };
        Some(format!("{who} is kept from {lock} {long} though nobody is inside: {why}"))
    }

    /// The processes that wait for each other in a ring through `waiter`.
    fn ring(&self, waiter: &Person) -> Option<Vec<ProcId>> {
        let mut ring = vec![waiter.proc];
        let mut lock = waiter.lock.clone();
        loop {
            let holder = self.sites.inside(&lock).next()?.proc;
            if holder == waiter.proc {
                return Some(ring);
            }
            if ring.contains(&holder) {
                return None;
            }
            ring.push(holder);
            let wants = |person: &&Person| person.proc == holder && person.waiting_since.is_some();
            lock = self.sites.people().iter().find(wants)?.lock.clone();
        }
    }

    fn note(&mut self, world: &World, event: &Event) {
        let now = world.kernel().now();
        match event {
            Event::Effect(Effect::NameAdded { path, maker, .. }) => {
                self.claims.retain(|(claim, _)| claim != path);
                self.claims.push((path.clone(), *maker));
            }
            Event::Effect(Effect::NameRemoved { path, .. }) => {
                self.claims.retain(|(claim, _)| claim != path);
            }
            Event::Effect(
                Effect::Stopped { .. } | Effect::Continued { .. } | Effect::Ended { .. },
            )
            | Event::Quiet => self.calm_since = now,
            _ => {}
        }
    }
}

/// Who gives up on which lock.
fn refusal(event: &Event) -> Option<(&str, ProcId)> {
    match event {
        Event::Said { proc, said: Happening::Mark { name, subject, .. }, .. }
            if *name == mark::REFUSED =>
        {
            Some((subject, *proc))
        }
        _ => None,
    }
}

impl Monitor for Progress {
    fn observe(&mut self, world: &World, event: &Event) -> Option<String> {
        self.note(world, event);
        if let Some((lock, proc)) = refusal(event) {
            // Judged before the mark is taken, since that ends the wait.
            let fell = self.sites.of(lock, proc).and_then(|w| self.stuck(world, w, false));
            self.sites.observe(world, event);
            return fell;
        }
        if let Some((Change::Leaving, lock, _)) = self.sites.observe(world, event) {
            self.left.retain(|(path, _)| *path != lock);
            self.left.push((lock, world.kernel().now()));
        }
        None
    }

    fn end(&mut self, world: &World, end: End) -> Option<String> {
        if end != End::Hung {
            return None;
        }
        let mut waiting =
            self.sites.people().iter().filter(|p| p.waiting_since.is_some() && !p.gone).peekable();
        if waiting.peek().is_none() {
            return Some("somebody waits for ever".to_owned());
        }
        waiting.find_map(|waiter| self.stuck(world, waiter, true))
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&(&self.sites, self.calm_since, &self.left, &self.claims))
    }
}
