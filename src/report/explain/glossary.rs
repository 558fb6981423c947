//! The words that reports and scenario files use, beside the names of what there is.

use super::Page;

/// Each with what it says, in a line or two.
pub const WORDS: &[(&str, &str)] = &[
    (
        "story",
        "what a scenario tells: its faults come at their points, and each process runs until it blocks",
    ),
    (
        "fault",
        "what happens to a process or its machine when it comes to a point of its program, in the story",
    ),
    (
        "change",
        "parameters of a program that the story changes, and random runs and searches with it",
    ),
    (
        "adversary",
        "who may make moves, of each kind as many as the scenario grants, wherever it likes: in random runs by chance, in a search in every way there is",
    ),
    (
        "stops",
        "how often the adversary may stop a process (SIGSTOP), which goes on later as if nothing had been",
    ),
    ("kills", "how often the adversary may kill a process (SIGKILL)"),
    (
        "passes",
        "how often time may pass though somebody could have run, as on a slow machine; `free` is as often as it likes",
    ),
    (
        "reuses",
        "how often the pid of a dead process may be given to a stranger, which lives for ever and wants nothing",
    ),
    ("io-errors", "how often a read, write or fsync of a file may fail with EIO"),
    (
        "sleeps",
        "how often a machine may be suspended: nobody runs, and its monotonic clock stands still",
    ),
    ("pauses", "how often a virtual machine may be paused: all its clocks stand still"),
    (
        "reboots",
        "how often a machine may boot in good order: processes and kernel locks are gone, files are not",
    ),
    ("power-losses", "how often a machine may lose its power, and with it what nobody synced"),
    ("clock-steps", "how often a machine's realtime clock may be set by an hour"),
    ("full-disks", "how often a machine's disk may be full for ten seconds"),
    ("schedule", "the choices that make a run what it is, in a line that replays it"),
    ("choice", "a step or a move that is not forced: where more than one could be made"),
    ("step", "one system call of one process: nothing comes between its beginning and its end"),
    (
        "move",
        "what happens to processes rather than being done by them: a launch, a fault, time that passes",
    ),
    ("jump", "time passes to the next instant for which anybody waits, since nobody can run"),
    ("until", "time passes to the instant that is named, though somebody could run"),
    ("quiet", "the adversary makes no more moves from here on, and who was stopped goes on"),
    (
        "preemption",
        "a step of somebody though who stepped last could have gone on; without any, each runs until it blocks",
    ),
    ("exhaustive", "a search through every run there is, the shortest first"),
    ("random", "runs in which any step is as likely as another"),
    ("sampled", "random runs, as a schedule's line calls them"),
    (
        "pct",
        "random runs by priorities: whoever runs falls behind at few places, which finds faults sooner that few orderings bring about (Burckhardt et al., 2010)",
    ),
    (
        "search",
        "a table of a scenario: `compare` looks at every run there is of it, up to so many `states` and so much `memory`",
    ),
    (
        "state",
        "all that what may happen depends on: runs that come to one state are one from there on",
    ),
    (
        "states",
        "how many of them a search sees, at most: where there are more, it has proved nothing",
    ),
    ("memory", "how many MiB a search takes, at most, reckoned from the number of its states"),
    (
        "teeth",
        "what shows that a proof could have failed: a change of one part of the rule with which the property falls in the same scenario",
    ),
    ("patience", "how long who waits for a lock keeps trying before it gives up"),
    ("horizon", "the virtual time at which a run is cut off"),
    ("prompt", "how soon a dead holder must be succeeded"),
    ("reached", "what must be seen in the story, or it has told nothing"),
    (
        "cause",
        "the part of a rule that an expectation blames: with another word there, the property does not fall",
    ),
    ("holds", "proved: it falls in no run there is, within what the scenario grants"),
    ("safe", "it fell in nothing that was looked at; beside `all N states` that is proved"),
    ("violated", "it fell: with a run that shows it"),
    ("not-found", "it did not fall in any of the runs that were tried, which proves nothing"),
    ("inconclusive", "nothing can be said, for the reasons given"),
    ("open", "the scenario does not say what to expect of such a rule"),
    ("self-deadlock", "somebody waits for a lock that it holds itself"),
    ("deadlock", "several wait for each other, each for a lock that the next one holds"),
    ("metrics", "what a rule costs and what harm it does, counted in runs: `compare --metrics`"),
    (
        "two inside",
        "double occupancy: for how long two or more were inside one lock, at the longest in one run, and in how many runs they were",
    ),
    (
        "death to entry",
        "the virtual time from the death of a holder, when nobody else was inside, to the next entry, whoever wanted in meanwhile",
    ),
    (
        "uncontended",
        "of an acquisition: nobody else wanted or had the lock and nothing stood in the way; it costs so many system calls from wanting the lock to being inside",
    ),
    ("longest wait", "the longest virtual time from wanting a lock to being inside or refused"),
    ("proved in", "in so many scenarios every property was proved in all runs there are"),
    (
        "stuck or late in",
        "in so many scenarios somebody was kept out for ever, or a dead holder was succeeded too late: the rule is safe there, and of no use",
    ),
    ("model-only", "rests on what no real kernel has confirmed: true of the simulated Linux"),
    ("claim", "the file, directory or link that says that a lock is held"),
    (
        "stranger",
        "a process that is given the pid of a dead one, and has nothing to do with any lock",
    ),
    ("2 IN", "two processes were inside the lock at once: `mutual-exclusion` fell"),
    ("ROBBED", "the claim of a living holder was removed by another: `live-holder` fell"),
    ("LOST CLAIM", "a release removed a claim that was not the releaser's: `own-release` fell"),
    ("SLOW", "a dead holder was succeeded too late: `prompt-takeover` fell"),
    (
        "STUCK",
        "somebody who should get in never does: `progress` fell, by a self-deadlock, a deadlock, or a claim that nobody may ever remove",
    ),
    ("SAME SLOT", "a dispatcher counted a slot as free that was not: `slot-counted-once` fell"),
    ("DOUBLED", "two workers were started for one job: `no-double-start` fell"),
    ("TOO SOON", "two posts to an account went out too close together: `spaced-posts` fell"),
    (
        "LOST JOB",
        "a dispatcher was told that its job is started, and it never was: `no-lost-dispatch` fell",
    ),
    ("publish", "the part of a rule that says how a claim comes to be at its path"),
    ("record", "the part of a rule that says what of its owner a claim names"),
    ("stale", "the part of a rule that says when a claim may be removed by another"),
    ("unsigned", "the part of a rule that says what a claim is without a readable record"),
    (
        "takeover",
        "the part of a rule that says how a stale claim is removed; among metrics, an acquisition that removed another's claim, and the calls it cost",
    ),
    ("verify", "the part of a rule that says what is compared just before that"),
    (
        "compare",
        "the part of a rule that says when a claim that is renamed aside is compared: before or after",
    ),
    (
        "mismatch",
        "the part of a rule that says what becomes of a claim that was renamed aside and is not the one that was judged",
    ),
    (
        "guard",
        "the part of a rule that says whether takers hold a lock of their own meanwhile; and a program",
    ),
    ("release", "the part of a rule that says which claim a release removes"),
    (
        "reentry",
        "the part of a rule that says what becomes of who takes a lock that its process holds",
    ),
    (
        "kernel",
        "a rule by which the kernel keeps the lock, and lets go at the latest when its owner dies",
    ),
    ("let-go", "the part of a rule that says how a lock that the kernel keeps is released"),
    (
        "recheck",
        "the part of a rule that says what is asked when the kernel has given the lock: whether the path still stands for the file that was locked",
    ),
    (
        "on-exec",
        "the part of a rule that says whether a child that runs another program has the file of a kernel lock open, and so the lock",
    ),
];

/// The word, whatever its letters' size.
pub fn word(name: &str) -> Option<String> {
    let (word, meaning) = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(name))?;
    Some(Page::titled(word, "word", meaning).0)
}

/// A mark: what a program says of itself by it.
pub fn mark(mark: &str, meaning: &str) -> String {
    Page::titled(mark, "mark", meaning).0
}

#[cfg(test)]
mod tests {
    use locklab_models::Policy;
    use locklab_models::word::MARKS;
    use locklab_sim::Adversary;

    use super::word;
    use crate::arm::Arm;
    use crate::property;
    use crate::report::table;
    use crate::scenario::PropertyName;

    #[test]
    fn what_reports_and_files_say_is_explained() {
        let budgets = Adversary::default().budgets();
        let budgets = budgets.iter().map(|(budget, _)| (*budget).to_owned());
        let falls = PropertyName::ALL.map(|it| property::word(it, "2 are inside"));
        let parts = Policy::part_values().iter().map(|(part, _)| (*part).to_owned());
        let parts = parts.filter(|part| part != "kind");
        let arms = [Arm::Story, Arm::Sampled, Arm::Exhaustive].map(|arm| arm.name().to_owned());
        let verdicts = ["holds", "safe", "violated", "not-found", "inconclusive", "open"];
        let verdicts = verdicts.map(str::to_owned);
        let metrics = table::METRICS.iter().map(|it| (*it).to_owned());
        let all = budgets.chain(falls).chain(parts).chain(arms).chain(verdicts).chain(metrics);
        let is_mark = |it: &str| MARKS.iter().any(|(mark, _)| *mark == it);
        let unknown: Vec<String> = all.filter(|it| word(it).is_none() && !is_mark(it)).collect();
        assert_eq!(unknown, [""; 0]);
        assert_eq!(word("stuck"), word("STUCK"));
    }
}
