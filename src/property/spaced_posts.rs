use std::time::Duration;

use locklab_models::word::mark;
use locklab_sim::kernel::ProcId;
use locklab_sim::{Event, Seconds, Swap};
use locklab_sys::{Fingerprint, Happening, SmolStr};

use super::jury::{Judge, Sight};
use super::sites::{Changed, name};

/// Two posts to an account lie as far apart as the poster of the later one keeps them.
#[derive(Clone, Default)]
pub(super) struct SpacedPosts {
    /// Whose post was the last to each account, and when.
    last: Vec<(SmolStr, ProcId, Duration)>,
}

impl Judge for SpacedPosts {
    fn observe(&mut self, sight: &Sight<'_>, _: Option<&Changed>) -> Option<String> {
        let &Sight { world, event, .. } = sight;
        let Event::Said {
            proc, said: Happening::Mark { name: mark::POSTED, subject, value }, ..
        } = event
        else {
            return None;
        };
        let now = world.kernel().now();
        let spacing = Duration::from_secs(u64::try_from(*value).unwrap_or_default());
        let at = self.last.iter().position(|(account, ..)| account == subject);
        let before = at.map(|at| self.last.remove(at));
        self.last.push((subject.clone(), *proc, now));
        self.last.sort_unstable();
        let (_, by, time) = before?;
        let apart = now.saturating_sub(time);
        (apart < spacing).then(|| {
            let (who, by) = (name(world, *proc), name(world, by));
            let (apart, spacing) = (Seconds(apart), Seconds(spacing));
            format!("a post of {who} to {subject} goes out {apart} after one of {by}, and {spacing} must lie between")
        })
    }

    fn set_back(&mut self, clock: &dyn Fn(Duration) -> Duration) {
        for (_, _, time) in &mut self.last {
            *time = clock(*time);
        }
    }

    fn change_places(&mut self, swap: &Swap<'_>) -> bool {
        for (account, by, _) in &mut self.last {
            *by = (swap.proc)(*by);
            if let Some(name) = (swap.name)(account) {
                *account = name;
            }
        }
        self.last.sort_unstable();
        true
    }

    fn memory(&self) -> Option<Fingerprint> {
        Some(Fingerprint::of_state(&self.last))
    }
}
