use locklab_sys::{Clock, Errno, Pid, Signal, Sys};
use tracing::debug;

use super::errors::Foreseen;
use super::look::Seen;
use super::owner::pidfd_number;
use super::place::Place;
use super::record::Record;
use super::watch::Watch;
use crate::Period;
use crate::policy::{Stale, Unsigned};

impl Place<'_> {
    /// Whether the rule lets the claim that was seen be taken over.
    pub async fn may_take(&self, sys: &Sys, seen: &Seen, watch: Option<&Watch>) -> bool {
        match (self.lock.unsigned, &seen.record) {
            (Some(unsigned), None) => self.is_debris(sys, seen, unsigned).await,
            (_, record) => self.is_stale(sys, seen, record.as_ref(), watch).await,
        }
    }

    async fn is_debris(&self, sys: &Sys, seen: &Seen, unsigned: Unsigned) -> bool {
        match unsigned {
            Unsigned::Held => {
                debug!(target: "locklab", "the claim is not signed: it counts as held");
                false
            }
            Unsigned::DebrisAtOnce => {
                debug!(target: "locklab", "the claim is not signed: debris");
                true
            }
            Unsigned::DebrisAfter(limit) => {
                debug!(target: "locklab", "the claim is not signed");
                self.is_older(sys, seen, limit).await
            }
        }
    }

    async fn is_stale(
        &self,
        sys: &Sys,
        seen: &Seen,
        record: Option<&Record>,
        watch: Option<&Watch>,
    ) -> bool {
        let record = || record.expect("a rule that asks owners signs its claims");
        match self.lock.stale {
            Stale::Never => false,
            Stale::Age(limit) | Stale::Heartbeat(limit) => self.is_older(sys, seen, limit).await,
            Stale::Dead => self.is_dead(sys, record()).await,
            Stale::DeadOrAge(limit) => {
                self.is_dead(sys, record()).await || self.is_older(sys, seen, limit).await
            }
            Stale::ObservedUnchanged(limit) => {
                let watch = watch.expect("a claim that is judged by that is watched");
                let stale = watch.unchanged > limit.get();
                let verdict = if stale { "stale" } else { "held" };
                let seen = humantime::format_duration(watch.unchanged.min(limit.get()));
                let so_long = if stale { "more than " } else { "" };
                debug!(target: "locklab", "I have seen this claim for {so_long}{seen}: {verdict}");
                stale
            }
        }
    }

    async fn is_older(&self, sys: &Sys, seen: &Seen, limit: Period) -> bool {
        let stat = seen.stat.expect("a rule that asks for age has looked at the file time");
        let now = sys.clock_gettime(Clock::Realtime).await;
        let age = now.saturating_sub(stat.mtime);
        let older = age > limit.get();
        let verdict = if older { "stale" } else { "held" };
        let age = humantime::format_duration(age);
        debug!(target: "locklab", "the claim is {age} old: {verdict}");
        older
    }

    /// Whether the owner is provably gone. A stopped process is not, nor is a
    /// zombie: only of a process that is gone can one know that it will not act.
    async fn is_dead(&self, sys: &Sys, record: &Record) -> bool {
        let pid = record.pid.expect("a rule that judges owners has their pids");
        let own = &self.owner.record;
        if own.host.is_some() && record.host != own.host {
            debug!(target: "locklab", "the owner, pid {pid}, is of another host: who knows");
            return false;
        }
        if own.boot.is_some() && record.boot != own.boot {
            debug!(target: "locklab", "the owner, pid {pid}, is of another boot: gone");
            return true;
        }
        if own.namespace.is_some() && record.namespace != own.namespace {
            debug!(target: "locklab", "the owner, pid {pid}, is of another namespace: who knows");
            return false;
        }
        let pidfd = record.pidfd.filter(|_| own.pidfd.is_some());
        let start = record.start.filter(|_| own.start.is_some());
        match (pidfd, start) {
            (Some(number), _) => is_another(sys, pid, number).await,
            (None, Some(start)) => has_gone(sys, pid, start).await,
            (None, None) => is_unused(sys, pid).await,
        }
    }
}

/// Whether the process with this pid and start time has gone.
async fn has_gone(sys: &Sys, pid: Pid, start: u64) -> bool {
    let stat = sys.proc_stat(pid).await.unless([Errno::ENOENT], "look at pid", &pid.to_string());
    match stat {
        None => debug!(target: "locklab", "the owner, pid {pid}, is gone"),
        Some(stat) if stat.start_ticks != start => {
            debug!(target: "locklab", "the owner is gone: pid {pid} is another process now");
        }
        Some(_) => {
            debug!(target: "locklab", "the owner, pid {pid}, is alive");
            return false;
        }
    }
    true
}

/// Whether no process has this pid, or one whose pidfds have another number.
async fn is_another(sys: &Sys, pid: Pid, number: u64) -> bool {
    let found = pidfd_number(sys, pid).await;
    match found {
        None => debug!(target: "locklab", "the owner, pid {pid}, is gone"),
        Some(found) if found != number => {
            debug!(target: "locklab", "the owner is gone: pid {pid} is another process now");
        }
        Some(_) => debug!(target: "locklab", "the owner, pid {pid}, is alive"),
    }
    found != Some(number)
}

/// Whether no process has this pid. Whatever else the signal says, somebody
/// has it.
async fn is_unused(sys: &Sys, pid: Pid) -> bool {
    let unused = sys.kill(pid, Signal::Probe).await == Err(Errno::ESRCH);
    let verdict = if unused { "gone" } else { "alive" };
    debug!(target: "locklab", "the owner, pid {pid}, is {verdict}");
    unused
}
