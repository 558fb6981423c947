//! What locks cost, and how much harm they do: counted in the traces of runs.

mod measure;
mod person;
mod ranking;
mod tally;
mod watch;

pub use measure::measure;
pub use ranking::{Fallen, Rank, Ranking, Safe};
pub use tally::Tally;

/// What runs have shown, together. A tally that is empty says that nobody could measure it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// How many runs were looked at.
    pub runs: u64,
    /// In how many of them somebody wanted a lock while another one wanted it, was inside,
    /// or had not done with its release.
    pub contended_runs: u64,
    /// For how long two or more were inside one lock, in ns of virtual time: a number for
    /// each run in which they were, 0 where no time passed meanwhile.
    pub double_occupancy_ns: Tally,
    /// From the death of a holder, when nobody else was inside, to the next entry, in ns of
    /// virtual time.
    pub succession_ns: Tally,
    /// How many such deaths there were after which nobody entered.
    pub unsucceeded: u64,
    /// System calls from wanting the lock to being inside, where nothing stood in the way.
    pub uncontended_calls: Tally,
    /// The same where a claim of another was removed; attempts before that one are left out.
    pub takeover_calls: Tally,
    /// From wanting the lock to being inside or refused, in ns of virtual time.
    pub wait_ns: Tally,
    /// How many waits the ends of the runs cut short.
    pub unended_waits: u64,
    /// How often the lock was not to be had.
    pub refusals: u64,
}

impl Metrics {
    /// For how long two were inside, at the longest in one run: 0 if they never were, though
    /// several wanted in; nothing if nobody ever contended.
    pub fn longest_double_occupancy_ns(&self) -> Option<u64> {
        (self.contended_runs > 0).then(|| self.double_occupancy_ns.most().unwrap_or(0))
    }

    /// How often the lock was refused; nothing if nobody ever wanted it.
    pub fn refused(&self) -> Option<u64> {
        let wanted = self.wait_ns.count() + self.unended_waits;
        (wanted > 0).then_some(self.refusals)
    }

    /// Adds what other runs have shown.
    pub fn merge(&mut self, other: &Self) {
        self.runs += other.runs;
        self.contended_runs += other.contended_runs;
        self.double_occupancy_ns.merge(&other.double_occupancy_ns);
        self.succession_ns.merge(&other.succession_ns);
        self.unsucceeded += other.unsucceeded;
        self.uncontended_calls.merge(&other.uncontended_calls);
        self.takeover_calls.merge(&other.takeover_calls);
        self.wait_ns.merge(&other.wait_ns);
        self.unended_waits += other.unended_waits;
        self.refusals += other.refusals;
    }
}
