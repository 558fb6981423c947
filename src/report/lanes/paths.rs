use std::collections::BTreeMap;
use std::time::Duration;

use locklab_models::lock_of_entry;
use locklab_models::word::mark;
use locklab_sim::{Trace, TracedEvent, TracedOutcome, TracedStep};
use locklab_sys::{Call, Direction, Fd, Ret, SmolStr};

/// The paths of the claims, and what every descriptor is open on.
pub(super) struct Paths {
    claims: Vec<SmolStr>,
    open: BTreeMap<(SmolStr, Fd), SmolStr>,
    /// How long a wait at a descriptor is at most.
    limits: BTreeMap<(SmolStr, Fd, Direction), Option<Duration>>,
}

impl Paths {
    /// The claims are what the marks of the trace name.
    pub(super) fn of(trace: &Trace) -> Self {
        let mut claims: Vec<SmolStr> = Vec::new();
        for event in trace.steps.iter().flat_map(|step| &step.events) {
            if let TracedEvent::Mark { name, subject, .. } = event
                && is_of_lock(name)
                && !claims.contains(subject)
            {
                claims.push(subject.clone());
            }
        }
        Self { claims, open: BTreeMap::new(), limits: BTreeMap::new() }
    }

    /// Without any claim, whose path would go without saying.
    pub(super) fn of_nobody() -> Self {
        Self { claims: Vec::new(), open: BTreeMap::new(), limits: BTreeMap::new() }
    }

    pub(super) fn claims(&self) -> &[SmolStr] {
        &self.claims
    }

    pub(super) fn is_claim(&self, path: &str) -> bool {
        self.claims.iter().any(|claim| claim == path)
    }

    /// What is left of a path to tell it from others: nothing of the only
    /// claim's, `.guard` of what stands beside it, `/owner` of what is in it; of
    /// any other the name. Of an owner's entry only whose it is.
    pub(super) fn short<'a>(&self, path: &'a str) -> &'a str {
        let path = match lock_of_entry(path) {
            Some(_) => path.split(' ').next().unwrap_or(path),
            None => path,
        };
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        match &self.claims[..] {
            [claim] => path.strip_prefix(claim.as_str()).unwrap_or(name),
            _ => name,
        }
    }

    /// The name of a memory cell without the only claim's path.
    pub(super) fn without_claim<'a>(&self, cell: &'a str) -> &'a str {
        match &self.claims[..] {
            [claim] => {
                cell.strip_suffix(claim.as_str()).map_or(cell, |rest| rest.trim_end_matches(" of "))
            }
            _ => cell,
        }
    }

    /// As [`short`](Self::short), of what the descriptor is open on.
    pub(super) fn of_descriptor(&self, process: &str, fd: Fd) -> &str {
        self.open.get(&(owner(process), fd)).map_or("", |path| self.short(path))
    }

    /// How long a wait at the descriptor is at most.
    pub(super) fn limit(&self, process: &str, fd: Fd, of: Direction) -> Option<Duration> {
        self.limits.get(&(owner(process), fd, of)).copied().flatten()
    }

    /// Follows the descriptors over a step.
    pub(super) fn follow(&mut self, step: &TracedStep) {
        let (Some(caller), Some(call)) = (&step.process, &step.call) else { return };
        let process = &owner(caller);
        match (call, &step.outcome) {
            (Call::Open { path, .. }, Some(TracedOutcome::Returned(Ret::Fd(fd)))) => {
                self.open.insert((process.clone(), *fd), path.clone());
            }
            (Call::Dup { fd }, Some(TracedOutcome::Returned(Ret::Fd(copy)))) => {
                if let Some(path) = self.open.get(&(process.clone(), *fd)) {
                    self.open.insert((process.clone(), *copy), path.clone());
                }
            }
            (Call::SetTimeout { fd, of, timeout }, Some(TracedOutcome::Returned(_))) => {
                self.limits.insert((process.clone(), *fd, *of), *timeout);
            }
            (Call::Close { fd }, _) => {
                self.open.remove(&(process.clone(), *fd));
                self.limits.retain(|(who, at, _), _| (who, at) != (process, fd));
            }
            (Call::Spawn { keep, .. }, _) => self.inherit(process, Some(keep), &step.events),
            (Call::Fork { .. }, _) => self.inherit(process, None, &step.events),
            _ => {}
        }
    }

    /// A child has those of `keep`, or all.
    fn inherit(&mut self, parent: &SmolStr, keep: Option<&[Fd]>, events: &[TracedEvent]) {
        let is_kept = |fd| keep.is_none_or(|keep| keep.contains(&fd));
        let inherited: Vec<(Fd, SmolStr)> = self
            .open
            .iter()
            .filter(|((who, fd), _)| who == parent && is_kept(*fd))
            .map(|((_, fd), path)| (*fd, path.clone()))
            .collect();
        for event in events {
            let TracedEvent::Started { process: child, .. } = event else { continue };
            for (fd, path) in &inherited {
                self.open.insert((child.clone(), *fd), path.clone());
            }
        }
    }
}

/// Whose descriptors a caller's are: threads share those of their process.
fn owner(caller: &str) -> SmolStr {
    caller.split_once('#').map_or(caller, |(process, _)| process).into()
}

/// Whether the subject of such a mark is a lock's path.
fn is_of_lock(mark: &str) -> bool {
    use mark::{ENTERED, LEAVING, POSTED, REFUSED, RELEASED, SCHEDULED, WAITING};
    [WAITING, ENTERED, LEAVING, RELEASED, REFUSED, SCHEDULED, POSTED].contains(&mark)
}
