use std::time::Duration;

use locklab_models::word::mark;
use locklab_sim::{End, Event, Lasso, Offer, Strategy, Stuck, World};
use locklab_sys::{Happening, SmolStr};

use super::jury::{Judge, Sight};
use super::progress::Progress;
use super::sites::Sites;

/// Why who waits never gets in, as it can be seen on the way there and twice round, from
/// the beginning of `world`, in which nobody gives up.
pub fn for_ever(mut world: World, stuck: &Stuck) -> String {
    let mut lasso = Lasso::new(stuck);
    let mut witness = Witness::new(stuck);
    let mut offer = Offer::default();
    while lasso.rounds() < 2 {
        world.offer(&mut offer);
        if offer.is_empty() {
            return witness.at_the_end(&world);
        }
        let is_round = lasso.rounds() == 1;
        let choice = lasso.choose(&world, &offer).expect("it leads round for ever");
        world.apply(choice);
        witness.observe(&world, is_round);
    }
    witness.after_the_round(&world)
}

/// Sees who is where, and on the way round who gets in.
struct Witness<'a> {
    stuck: &'a Stuck,
    sites: Sites,
    progress: Progress,
    why: Option<String>,
    entered: Vec<SmolStr>,
}

impl<'a> Witness<'a> {
    fn new(stuck: &'a Stuck) -> Self {
        let progress = Progress::new(Duration::ZERO);
        Self { stuck, sites: Sites::default(), progress, why: None, entered: Vec::new() }
    }

    fn observe(&mut self, world: &World, is_round: bool) {
        let Self { sites, progress, .. } = self;
        for event in world.events() {
            progress.foresee(&Sight { world, event, sites });
            let changed = sites.observe(event);
            progress.observe(&Sight { world, event, sites }, changed.as_ref());
            if is_round {
                self.entered.extend(entry(world, event));
            }
        }
        if is_round && self.why.is_none() {
            self.why = progress.why_for_ever(world, sites, self.stuck.waiter);
        }
    }

    fn at_the_end(&mut self, world: &World) -> String {
        let why = self.progress.end(world, &self.sites, End::Hung);
        why.unwrap_or_else(|| "somebody waits for ever".to_owned())
    }

    fn after_the_round(self, world: &World) -> String {
        let waiter = self.sites.waiting().find(|it| Some(it.task) == self.stuck.waiter);
        let waiter = waiter.expect("somebody waits all the way round");
        let (who, lock) = (world.kernel().task_name(waiter.task), &waiter.lock);
        let mut others = self.entered;
        others.sort_unstable();
        others.dedup();
        match self.why {
            _ if !others.is_empty() => {
                let others = others.join(", ");
                format!("{who} need never get into {lock}: others may, again and again: {others}")
            }
            Some(why) => why,
            None => format!("{who} need never get into {lock}"),
        }
    }
}

/// Who gets in.
fn entry(world: &World, event: &Event) -> Option<SmolStr> {
    match event {
        Event::Said { task, said: Happening::Mark { name: mark::ENTERED, .. }, .. } => {
            Some(world.kernel().task_name(*task))
        }
        _ => None,
    }
}
