use locklab_sim::kernel::{Effect, ProcId};
use locklab_sim::{Event, Swap};
use locklab_sys::{Fingerprint, Happening, SmolStr};

use super::jury::{Judge, Sight};
use super::sites::{Change, Changed, Sites};

/// Sees contention: somebody wants a lock that another one wants or has, or
/// left behind. Without it a run has tested nothing.
#[derive(Clone, Default)]
pub struct Contention {
    /// Who has begun with a lock and not properly ended, dead or alive; twice
    /// for one who begins again inside.
    open: Vec<(SmolStr, ProcId)>,
}

impl Contention {
    /// Who ends before it has made a claim leaves nothing to contend with.
    fn forget_who_only_waited(&mut self, sites: &Sites, ended: ProcId) {
        let left = |lock: &SmolStr| {
            let standing = sites.of_process(lock, ended);
            standing.inside || standing.releasing || sites.maker(lock) == Some(ended)
        };
        self.open.retain(|(lock, proc)| *proc != ended || left(lock));
    }
}

impl Judge for Contention {
    fn observe(&mut self, sight: &Sight<'_>, changed: Option<&Changed>) -> Option<String> {
        if let Event::Effect(Effect::Ended { proc, .. }) = sight.event {
            self.forget_who_only_waited(sight.sites, *proc);
        }
        let Changed { change, lock, proc, .. } = changed?;
        match change {
            Change::Waiting => {
                let left_behind = sight.sites.maker(lock).is_some_and(|maker| maker != *proc);
                let contended = left_behind || self.open.iter().any(|(path, _)| path == lock);
                self.open.push((lock.clone(), *proc));
                self.open.sort_unstable();
                contended.then(|| "the lock was contended".to_owned())
            }
            Change::Released | Change::Refused => {
                let ended = |(path, other): &(SmolStr, ProcId)| path == lock && other == proc;
                if let Some(index) = self.open.iter().position(ended) {
                    self.open.remove(index);
                }
                None
            }
            Change::Entered | Change::Leaving => None,
        }
    }

    fn change_places(&mut self, swap: &Swap<'_>) -> bool {
        self.open.iter_mut().for_each(|(_, open)| *open = (swap.proc)(*open));
        self.open.sort_unstable();
        true
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&self.open))
    }
}

/// Sees a process of the set-up say a mark for the nth time.
#[derive(Clone)]
pub struct Reached {
    process: usize,
    mark: SmolStr,
    left: u32,
}

impl Reached {
    /// A witness for the `nth` time, from 1.
    pub fn new(process: usize, mark: SmolStr, nth: u32) -> Self {
        Self { process, mark, left: nth }
    }
}

impl Judge for Reached {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, .. } = sight;
        let Event::Said { proc, said: Happening::Mark { name, .. }, .. } = event else {
            return None;
        };
        if world.launched(self.process) != Some(*proc) || *name != self.mark || self.left == 0 {
            return None;
        }
        self.left -= 1;
        (self.left == 0).then(|| format!("{} was reached", self.mark))
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&self.left))
    }
}

/// Sees a program abort: a fault of the program, not of the rule.
#[derive(Clone)]
pub struct Aborts;

impl Judge for Aborts {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, .. } = sight;
        let Event::Aborted { proc, message } = event else { return None };
        Some(format!("{} aborted: {message}", world.kernel().process(*proc).name))
    }
}
