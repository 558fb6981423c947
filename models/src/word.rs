//! The words in which a lock tells what it does.

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
    words! { POINTS {
        ACQUIRE = "acquire", "the next call is the first of an attempt to take the lock";
        BEFORE_SIGNING = "before-signing", "the own claim stands, not signed yet; the next call signs it";
        JUDGED = "judged", "a claim was judged takeable";
        BEFORE_TAKEOVER = "before-takeover", "the next call removes the claim that was judged";
        ENTERED = "entered", "the lock was taken; the next call is the first inside";
        LEAVING = "leaving", "the work is done; the next call is the first of the release";
        BEFORE_RELEASE = "before-release", "the next call removes the own claim";
    }}
}

/// Names of what has just happened. The subject is the lock's path. The value
/// is how deeply the lock is nested in itself, as far as it counts, 1 for the
/// outermost; of a scheduling, how many there have been.
pub mod mark {
    words! { MARKS {
        WAITING = "waiting", "the lock is wanted";
        ENTERED = "entered", "the lock was taken";
        LEAVING = "leaving", "the work is done";
        RELEASED = "released", "the release is done";
        REFUSED = "refused", "the lock was not to be had, and is wanted no more";
        SCHEDULED = "scheduled", "a keeper scheduled";
    }}
}

pub use mark::MARKS;
pub use point::POINTS;
