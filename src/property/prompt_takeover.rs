use std::time::Duration;

use locklab_models::word::mark;
use locklab_sim::kernel::{Effect, ProcId};
use locklab_sim::{End, Event, Seconds, Swap, World};
use locklab_sys::{Fingerprint, Happening, SmolStr};

use super::jury::{Judge, Sight};
use super::sites::{Change, Changed, Person, Sites};

/// When a holder has died, whoever waits is let in within a bound.
#[derive(Clone)]
pub(super) struct PromptTakeover {
    bound: Duration,
    /// Locks whose holder has died, and since when somebody who could run has
    /// waited for them.
    vacant: Vec<(SmolStr, Option<Duration>)>,
}

impl PromptTakeover {
    pub(super) fn new(bound: Duration) -> Self {
        Self { bound, vacant: Vec::new() }
    }

    /// A holder has died, inside or on its way out: its locks are vacant, but
    /// for those that somebody else is inside.
    fn vacate(&mut self, sites: &Sites, dead: ProcId) {
        let holds = |it: &&Person| it.proc == dead && (it.depth > 0 || it.releasing);
        for person in sites.people().iter().filter(holds) {
            let lock = &person.lock;
            let known = self.vacant.iter().any(|(vacant, _)| vacant == lock);
            if !known && sites.inside(lock).next().is_none() {
                self.vacant.push((lock.clone(), None));
            }
        }
        self.vacant.sort_unstable();
    }

    /// The wait for a vacant lock begins when somebody who can run wants it,
    /// and is over when nobody does.
    fn look_who_waits(&mut self, world: &World, sites: &Sites) {
        let now = world.kernel().now();
        let can_run = |proc| !world.kernel().process(proc).is_stopped() && !world.is_starved(proc);
        for (lock, since) in &mut self.vacant {
            let waits = |it: &Person| it.lock == *lock && it.waiting && !it.gone;
            let awaited = sites.people().iter().any(|it| waits(it) && can_run(it.proc));
            *since = if awaited { since.or(Some(now)) } else { None };
        }
    }

    /// The wait for each vacant lock begins again.
    fn put_off(&mut self, world: &World) {
        for since in self.vacant.iter_mut().filter_map(|(_, since)| since.as_mut()) {
            *since = world.kernel().now();
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

/// The lock whose wait ends, and how.
fn ends_a_wait(event: &Event) -> Option<(&str, &'static str)> {
    let Event::Said { said: Happening::Mark { name, subject, .. }, .. } = event else {
        return None;
    };
    match *name {
        mark::ENTERED => Some((subject, "is entered")),
        mark::REFUSED => Some((subject, "is given up")),
        _ => None,
    }
}

impl Judge for PromptTakeover {
    /// Judged before the mark is taken, since that ends the wait.
    fn foresee(&mut self, sight: &Sight<'_>) -> Option<String> {
        let (lock, what) = ends_a_wait(sight.event)?;
        self.late(sight.world, lock, what)
    }

    fn observe(&mut self, sight: &Sight<'_>, changed: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, sites } = sight;
        match (event, changed) {
            (Event::Effect(Effect::Ended { proc, .. }), _) => self.vacate(sites, *proc),
            // Nobody could run meanwhile, whatever the rule.
            (Event::TimePassed, _) => self.put_off(world),
            (_, Some(Changed { change: Change::Entered, lock, .. })) => {
                self.vacant.retain(|(vacant, _)| vacant != lock);
            }
            _ => {}
        }
        self.look_who_waits(world, sites);
        None
    }

    fn end(&mut self, world: &World, _: &Sites, end: End) -> Option<String> {
        let mut vacant = self.vacant.iter().filter(|_| end == End::Hung);
        vacant.find_map(|(lock, _)| self.late(world, lock, "is never entered"))
    }

    fn set_back(&mut self, clock: &dyn Fn(Duration) -> Duration) {
        for since in self.vacant.iter_mut().filter_map(|(_, since)| since.as_mut()) {
            *since = clock(*since);
        }
    }

    /// It knows locks alone.
    fn change_places(&mut self, _: &Swap<'_>) -> bool {
        true
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&self.vacant))
    }
}
