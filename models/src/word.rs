//! The words in which locks and programs tell what they do.

/// Declares words, each with its meaning, and a table of them all.
macro_rules! words {
    ($table:ident { $($name:ident = $word:literal, $meaning:literal;)* }) => {
        $(
            #[doc = $meaning]
            pub const $name: &str = $word;
        )*

        /// Every one of them, with its meaning.
        pub const $table: &[(&str, &str)] = &[$(($word, $meaning),)*];
    };
}

/// Names of a task's next call, for faults to be aimed at.
pub mod point {
    /// Those of every program that takes a lock.
    pub const OF_LOCKS: &[&str] =
        &[ACQUIRE, BEFORE_SIGNING, JUDGED, BEFORE_TAKEOVER, ENTERED, LEAVING, BEFORE_RELEASE];

    words! { POINTS {
        ACQUIRE = "acquire", "the next call is the first of an attempt to take the lock";
        BEFORE_SIGNING = "before-signing", "the own claim stands, not signed yet; the next call signs it";
        JUDGED = "judged", "a claim was judged takeable";
        BEFORE_TAKEOVER = "before-takeover", "the next call removes the claim that was judged";
        ENTERED = "entered", "the lock was taken; the next call is the first inside";
        LEAVING = "leaving", "the work is done; the next call is the first of the release";
        BEFORE_RELEASE = "before-release", "the next call removes the own claim";
        BEFORE_COUNT = "before-count", "a dispatcher is inside; the next call is the first of its counting";
        COUNTED = "counted", "a dispatcher has counted a free slot";
        BEFORE_GUARD = "before-guard", "a dispatcher's next call starts a guard";
        GUARDING = "guarding", "a guard judges; the dispatcher's next call waits for it";
        BEFORE_DISPATCH = "before-dispatch", "the guards have passed the payloads; a dispatcher's next call looks for the socket";
        SENT = "sent", "a request was sent, a dispatcher's first for the list and its second for the dispatch; the next calls wait for the answer";
        BEFORE_NOTE = "before-note", "a post has gone out; a poster's next call begins to note when";
        BEFORE_REMOVAL = "before-removal", "a cleaner's next call removes what it found old and unlocked";
        BEFORE_START = "before-start", "a daemon's next call starts a worker";
        BEFORE_ANSWER = "before-answer", "a daemon's next call sends its answer";
    }}
}

/// Names of what has just happened. Of a lock, the subject is its path, and the
/// value is how deeply it is nested in itself, as far as it counts, 1 for the
/// outermost; of a scheduling, how many there have been; of a post, how many seconds must
/// lie between two. Of a job, the subject is
/// its name; where a daemon is asked for it the value is the client's pid, and where
/// it starts a worker, that worker's. Of a daemon's slots,
/// the subject is its socket, and the value how many slots there are.
pub mod mark {
    words! { MARKS {
        WAITING = "waiting", "the lock is wanted";
        ENTERED = "entered", "the lock was taken";
        LEAVING = "leaving", "the work is done";
        RELEASED = "released", "the release is done";
        REFUSED = "refused", "the lock was not to be had, and is wanted no more";
        SCHEDULED = "scheduled", "a keeper scheduled";
        POSTED = "posted", "a post went out, by a poster that keeps posts apart";
        COUNTED = "counted", "a dispatcher has counted a free slot";
        DISPATCHED = "dispatched", "a dispatcher was told that its job is started";
        NEEDLESS = "needless", "a dispatcher found its job worked on, or no free slot";
        UNDONE = "undone", "a dispatcher gave its dispatch up";
        LISTENING = "listening", "a daemon listens";
        ASKED = "asked", "a daemon was asked for a dispatch";
        STARTED = "started", "a daemon started a worker";
    }}
}

pub use mark::MARKS;
pub use point::POINTS;
