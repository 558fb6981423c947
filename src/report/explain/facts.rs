//! What a policy takes for granted, read off its parts.

use locklab_models::Policy;

/// What must be so of a part for a fact to count.
#[derive(Clone, Copy)]
enum If {
    /// Its word is one of these.
    Is(&'static str, &'static [&'static str]),
    /// Its word is a sum with this in it.
    Has(&'static str, &'static str),
    /// Its word is a sum without this in it.
    Lacks(&'static str, &'static str),
}

use If::{Has, Is, Lacks};

/// The words by which a claim is judged by its owner.
const ASKS_OWNER: If = Is("stale", &["dead", "dead-or-age"]);

/// Each with the parts that rely on it: all of them must be so.
const FACTS: &[(&[If], &str)] = &[
    (
        &[Is("publish", &["create-then-write", "mkdir-then-write", "link", "symlink"])],
        "Of two who make the claim at once one fails, whatever the file system: open with O_EXCL, mkdir, link and symlink are one step.",
    ),
    (
        &[Is("publish", &["rename-directory"])],
        "A directory is not renamed over one that is not empty, and the rename is one step.",
    ),
    (
        &[Is("publish", &["numbered"])],
        "A number is linked into the directory by one alone, and none ever comes again.",
    ),
    (
        &[Is("publish", &["link", "rename-directory", "numbered"])],
        "Nobody else makes or removes the private name beside the lock, which has the own pid in it.",
    ),
    (
        &[Is("publish", &["create-then-write", "mkdir-then-write"]), Is("unsigned", &["held"])],
        "No owner dies between making its claim and signing it: what is not signed counts as held for ever.",
    ),
    (
        &[Is("unsigned", &["debris-after"])],
        "No owner takes longer between making its claim and signing it than the limit says, stopped or not.",
    ),
    (
        &[Is("unsigned", &["debris-at-once"])],
        "Nobody looks between the making of a claim and its signing.",
    ),
    (&[Is("stale", &["never"])], "No owner dies: nobody removes a dead one's claim."),
    (
        &[Is("stale", &["age", "dead-or-age"])],
        "No owner is inside for longer than the limit, stopped, asleep or slow.",
    ),
    (
        &[Is("stale", &["age", "dead-or-age", "heartbeat"])],
        "The realtime clock is not set meanwhile, and file times go by the same clock.",
    ),
    (
        &[Is("stale", &["heartbeat"])],
        "No owner is kept from touching its claim for longer than the limit, stopped, asleep or slow.",
    ),
    (
        &[Is("stale", &["observed-unchanged"])],
        "No owner is inside for longer than the limit by the observer's monotonic clock, and no two claims say the same.",
    ),
    (&[ASKS_OWNER], "Everybody who uses the lock may ask whether a pid is in use."),
    (
        &[ASKS_OWNER, Lacks("record", "namespace")],
        "Everybody who uses the lock speaks of pids in the same pid namespace.",
    ),
    (
        &[ASKS_OWNER, Has("record", "namespace")],
        "No two pid namespaces that live have one inode number, and a claim of another is not judged by its pid.",
    ),
    (
        &[ASKS_OWNER, Has("record", "host")],
        "No two machines or containers that use the lock have one host name.",
    ),
    (
        &[ASKS_OWNER, Lacks("record", "start"), Lacks("record", "pidfd")],
        "A pid is not given to another process while a claim names it: else the dead owner counts as alive.",
    ),
    (
        &[ASKS_OWNER, Has("record", "start")],
        "Two processes with one pid do not start in the same tick of 10 ms.",
    ),
    (
        &[ASKS_OWNER, Has("record", "pidfd")],
        "No two processes have pidfds of one inode number until the next boot: as on Linux from 6.9.",
    ),
    (
        &[ASKS_OWNER, Lacks("record", "boot")],
        "No claim outlives a boot of its machine, after which pids and start times come again.",
    ),
    (
        &[ASKS_OWNER, Has("record", "boot")],
        "The boot id is another one after each boot, and the same for all who use the lock.",
    ),
    (
        &[Is("takeover", &["unlink"]), Is("verify", &["none"]), Is("guard", &["none"])],
        "The claim that is removed by its name is still the one that was judged: nobody has changed it between.",
    ),
    (
        &[Is("takeover", &["unlink"]), Has("verify", "bytes"), Is("guard", &["none"])],
        "Nobody changes the claim between the last comparison and the removal: they are two steps.",
    ),
    (
        &[
            Is("takeover", &["unlink"]),
            Lacks("verify", "bytes"),
            Lacks("verify", "none"),
            Is("guard", &["none"]),
        ],
        "Nobody changes the claim between the last comparison and the removal, and an inode number or a file time that is the same means the same claim.",
    ),
    (
        &[Is("takeover", &["rename-aside"])],
        "Nobody else uses the name to which a claim is moved aside, and nobody mistakes the free path meanwhile.",
    ),
    (
        &[Is("takeover", &["owner-entry"])],
        "No two claims have an entry of one name, so that the dead owner's is removed or nobody's.",
    ),
    (
        &[Is("takeover", &["rename-over"]), Is("guard", &["none"])],
        "The claim over which the own one is renamed is still the one that was judged: nobody has changed it between.",
    ),
    (
        &[Is("takeover", &["next-generation"])],
        "Whoever is inside looks whether a higher number stands before it does what cannot be undone, or whoever serves it does.",
    ),
    (
        &[Is("guard", &["same-class"])],
        "The guard, a lock of the same rule, is itself taken over from the living by nobody: it stands on all that is said here, without a guard.",
    ),
    (
        &[Is("guard", &["flock"])],
        "The guard's file is never deleted or replaced, and every taker takes it, on a file system where flock works.",
    ),
    (
        &[Is("release", &["unlink"])],
        "The own claim still stands at the path when it is released: nobody has taken it over.",
    ),
    (
        &[Is("release", &["own-bytes"])],
        "No other claim says the same, and nobody changes the claim between the look and the removal.",
    ),
    (
        &[Is("release", &["own-inode"])],
        "No other claim gets the own one's inode number, and nobody changes the claim between the look and the removal.",
    ),
    (
        &[Is("release", &["own-descriptor"])],
        "Nobody changes the claim between the look and the removal.",
    ),
    (
        &[Is("release", &["own-number"])],
        "A number that is let go is never used again, so that the own one is nobody else's.",
    ),
    (&[Is("release", &["own-entry"])], "No other claim has an entry of the own one's name."),
    (
        &[Is("kind", &["flock", "ofd"])],
        "No child inherits the descriptor and outlives its parent: the lock would live on in it.",
    ),
    (
        &[Is("kind", &["fcntl"])],
        "The process opens and closes the file nowhere else: any close drops the lock.",
    ),
    (
        &[Is("kind", &["flock", "fcntl", "ofd"]), Is("recheck", &["none"])],
        "The file is never deleted or replaced: two files of one name are two locks.",
    ),
    (
        &[Is("kind", &["flock", "fcntl", "ofd"]), Is("recheck", &["path"])],
        "Whoever has locked the file looks whether the path still means it, and no inode number comes again while it is open.",
    ),
    (
        &[Is("let-go", &["unlock-unlink"])],
        "Nobody takes the lock between its release and the file's deletion.",
    ),
    (
        &[Is("reentry", &["own-pid"])],
        "A claim with the own pid is the own claim: no other process, dead or in another container, has had that pid.",
    ),
    (
        &[Is("reentry", &["count-process"])],
        "Who asks again in the same process may come in: its tasks do not contend with each other.",
    ),
];

/// The facts that the policy relies on, in the order of its parts.
pub(super) fn facts(policy: &Policy) -> Vec<&'static str> {
    let parts = policy.parts();
    let counts = |(when, _): &&(&[If], &str)| when.iter().all(|it| it.is_so(&parts));
    FACTS.iter().filter(counts).map(|(_, says)| *says).collect()
}

impl If {
    fn is_so(self, parts: &[(&str, String)]) -> bool {
        let word = |part: &str| {
            let found = parts.iter().find(|(name, _)| *name == part);
            found.map_or("-", |(_, word)| word.as_str())
        };
        let has = |part: &str, field: &str| word(part).split('+').any(|it| it == field);
        match self {
            Is(part, words) => words.contains(&word(part)),
            Has(part, field) => has(part, field),
            Lacks(part, field) => word(part) != "-" && !has(part, field),
        }
    }
}

#[cfg(test)]
mod tests {
    use locklab_models::Policy;

    use super::{FACTS, If, facts};
    use crate::policy_file;

    /// The parts by which a lock stands or falls: each of their words relies on something.
    const TELLING: [&str; 5] = ["kind", "publish", "stale", "takeover", "release"];

    fn values(part: &str) -> &'static [&'static str] {
        let known = Policy::part_values().iter().find(|(name, _)| *name == part);
        known.unwrap_or_else(|| panic!("no part {part}")).1
    }

    #[test]
    fn the_table_speaks_of_parts_and_words_that_there_are() {
        for condition in FACTS.iter().flat_map(|(when, _)| *when) {
            match *condition {
                If::Is(part, words) => {
                    words.iter().for_each(|word| assert!(values(part).contains(word), "{word}"));
                }
                If::Has(part, field) | If::Lacks(part, field) => {
                    let is_of = |value: &&str| value.split('+').any(|it| it == field);
                    assert!(values(part).iter().any(is_of), "{part} {field}");
                }
            }
        }
    }

    #[test]
    fn every_word_of_a_telling_part_relies_on_something() {
        let named = |part: &str, word: &str| {
            let is_it = |condition: &If| match condition {
                If::Is(of, words) => *of == part && words.contains(&word),
                If::Has(..) | If::Lacks(..) => false,
            };
            FACTS.iter().any(|(when, _)| when.iter().any(is_it))
        };
        for part in TELLING {
            let words = values(part).iter().filter(|word| !["-", "file"].contains(word));
            for word in words {
                assert!(named(part, word), "say in facts.rs what `{part} = {word}` stands on");
            }
        }
    }

    #[test]
    fn every_policy_stands_on_something_and_nothing_is_said_twice() {
        for policy in policy_file::named() {
            let facts = facts(&policy);
            assert!(!facts.is_empty(), "{}", policy.name);
            let mut distinct = facts.clone();
            distinct.dedup();
            assert_eq!(facts, distinct, "{}", policy.name);
        }
    }

    #[test]
    fn a_part_that_is_changed_stands_on_something_else() {
        let named = policy_file::named();
        let policy = |name: &str| named.iter().find(|it| it.name == name).expect("it is shipped");
        let relies = |policy: &Policy, word: &str| facts(policy).iter().any(|it| it.contains(word));
        assert!(relies(policy("pid"), "A pid is not given"));
        assert!(!relies(policy("identity"), "A pid is not given"));
        assert!(relies(policy("identity"), "tick of 10 ms"));
        assert!(relies(policy("identity"), "outlives a boot"));
        assert!(!relies(policy("identity-guarded"), "outlives a boot"));
        assert!(relies(policy("identity-guarded"), "guard's file is never deleted"));
        assert!(relies(policy("age"), "realtime clock is not set"));
        assert!(relies(policy("flock"), "never deleted"));
        let rechecked =
            policy("flock").with_part("recheck", "path").expect("a part").expect("fits");
        assert!(!relies(&rechecked, "never deleted"));
    }
}
