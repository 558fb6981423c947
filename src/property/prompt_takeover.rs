use std::time::Duration;

use locklab_sim::kernel::Effect;
use locklab_sim::{End, Event, Monitor, Seconds, World};
use locklab_sys::{Fingerprint, SmolStr};

use super::sites::{Change, Sites};

/// When a holder has died, whoever waits is let in within a bound.
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

    /// Restarts the clock of each vacant lock: whoever waits is there now.
    fn restart(&mut self, world: &World, lock: Option<&str>) {
        let now = world.kernel().now();
        for (vacant, since) in &mut self.vacant {
            if lock.is_none_or(|lock| lock == vacant) {
                let awaited = self.sites.people().iter().any(|person| {
                    person.lock == *vacant && person.waiting_since.is_some() && !person.gone
                });
                *since = awaited.then_some(now);
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
        if let Event::Effect(Effect::Ended { proc, .. }) = event {
            let held = self.sites.people().iter().filter(|p| p.proc == *proc && p.depth > 0);
            let held: Vec<SmolStr> = held.map(|person| person.lock.clone()).collect();
            self.vacant.extend(held.into_iter().map(|lock| (lock, None)));
        }
        let changed = self.sites.observe(world, event);
        match (event, changed) {
            // Who was stopped could not come: its wait begins when it can.
            (Event::Effect(Effect::Continued { .. } | Effect::Ended { .. }), _) => {
                self.restart(world, None);
            }
            (_, Some((Change::Waiting, lock, _))) => {
                let idle =
                    self.vacant.iter().any(|(vacant, since)| *vacant == lock && since.is_none());
                if idle {
                    self.restart(world, Some(&lock));
                }
            }
            (_, Some((Change::Entered, lock, _))) => {
                let fell = self.late(world, &lock, "is entered");
                self.vacant.retain(|(vacant, _)| *vacant != lock);
                return fell;
            }
            (_, Some((Change::Refused, lock, _))) => {
                return self.late(world, &lock, "is given up");
            }
            _ => {}
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
