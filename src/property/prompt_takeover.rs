use std::time::Duration;

use locklab_sim::kernel::{Effect, ProcId};
use locklab_sim::{End, Event, Monitor, Seconds, World};
use locklab_sys::{Fingerprint, SmolStr};

use super::sites::{Change, Person, Sites};

/// When a holder has died, whoever waits is let in within a bound.
#[derive(Clone)]
pub(super) struct PromptTakeover {
    bound: Duration,
    sites: Sites,
    /// Locks whose holder has died, and since when somebody who could run has
    /// waited for them.
    vacant: Vec<(SmolStr, Option<Duration>)>,
}

impl PromptTakeover {
    pub(super) fn new(bound: Duration) -> Self {
        Self { bound, sites: Sites::default(), vacant: Vec::new() }
    }

    /// Whether somebody who lives waits for `lock`, other than `but`.
    fn is_awaited(&self, lock: &str, but: Option<ProcId>) -> bool {
        let waits = |it: &&Person| it.lock == lock && it.waiting_since.is_some() && !it.gone;
        self.sites.people().iter().filter(waits).any(|it| Some(it.proc) != but)
    }

    /// A holder has died, inside or on its way out: its locks are vacant.
    fn vacate(&mut self, world: &World, dead: ProcId) {
        let holds = |it: &&Person| it.proc == dead && (it.depth > 0 || it.releasing);
        let held = self.sites.people().iter().filter(holds);
        let held: Vec<SmolStr> = held.map(|person| person.lock.clone()).collect();
        for lock in held {
            let awaited = self.is_awaited(&lock, Some(dead));
            self.vacant.push((lock, awaited.then_some(world.kernel().now())));
        }
        self.vacant.sort_unstable();
    }

    /// The wait for each vacant lock begins again.
    fn put_off(&mut self, world: &World) {
        for since in self.vacant.iter_mut().filter_map(|(_, since)| since.as_mut()) {
            *since = world.kernel().now();
        }
    }

    /// Somebody can come from now on: the wait begins, unless another could
    /// have come before.
    fn can_come(&mut self, world: &World, proc: ProcId) {
        let now = world.kernel().now();
        for index in 0..self.vacant.len() {
            let lock = self.vacant[index].0.clone();
            let waits = self.sites.of(&lock, proc).is_some_and(|it| it.waiting_since.is_some());
            if waits && !self.is_awaited(&lock, Some(proc)) {
                self.vacant[index].1 = Some(now);
            }
        }
    }

    /// What fell if `lock` has been vacant, and wanted, for longer than the bound.
    fn late(&self, world: &World, lock: &str, what: &str) -> Option<String> {
        let (_, since) = self.vacant.iter().find(|(vacant, _)| vacant == lock)?;
        let delay = world.kernel().now().saturating_sub((*since)?);
        (delay > self.bound).then(|| {
            format!(
                "{lock} {what} {} after its dead holder could have been succeeded",
                Seconds(delay)
            )
        })
    }
}

impl Monitor for PromptTakeover {
    fn observe(&mut self, world: &World, event: &Event) -> Option<String> {
        match event {
            Event::Effect(Effect::Ended { proc, .. }) => self.vacate(world, *proc),
            // Who was stopped could not come.
            Event::Effect(Effect::Continued { proc }) => self.can_come(world, *proc),
            // Nobody could run meanwhile, whatever the rule.
            Event::TimePassed => self.put_off(world),
            _ => {}
        }
        let (change, lock, proc) = self.sites.observe(world, event)?;
        match change {
            Change::Waiting => self.can_come(world, proc),
            Change::Entered => {
                let fell = self.late(world, &lock, "is entered");
                self.vacant.retain(|(vacant, _)| *vacant != lock);
                return fell;
            }
            Change::Refused => return self.late(world, &lock, "is given up"),
            Change::Leaving | Change::Released => {}
        }
        None
    }

    fn end(&mut self, world: &World, end: End) -> Option<String> {
        let vacant: Vec<SmolStr> = self.vacant.iter().map(|(lock, _)| lock.clone()).collect();
        let hung = (end == End::Hung).then_some(vacant)?;
        hung.iter().find_map(|lock| self.late(world, lock, "is never entered"))
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&(&self.sites, &self.vacant))
    }
}
