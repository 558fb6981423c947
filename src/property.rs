//! The properties that scenarios ask about: a judge each, who goes by marks and by
//! what the kernel saw.

mod dispatches;
mod for_ever;
mod jury;
mod live_holder;
mod mutual_exclusion;
mod no_double_start;
mod no_lost_dispatch;
mod own_release;
mod progress;
mod prompt_takeover;
mod sites;
mod slot_counted_once;
mod spaced_posts;
mod witness;

use std::time::Duration;

pub use for_ever::for_ever;
pub use jury::{Judge, Jury};
pub use witness::{Aborts, Contention, Reached};

use crate::scenario::PropertyName;

/// What some properties need to know of the scenario and the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How soon a dead holder must be succeeded.
    pub prompt: Duration,
    /// How long the rules in play may rightly keep a free lock from somebody.
    pub grace: Duration,
}

/// The judge of a property.
pub fn judge(property: PropertyName, bounds: Bounds) -> Box<dyn Judge> {
    match property {
        PropertyName::MutualExclusion => Box::new(mutual_exclusion::MutualExclusion),
        PropertyName::LiveHolder => Box::new(live_holder::LiveHolder),
        PropertyName::OwnRelease => Box::new(own_release::OwnRelease),
        PropertyName::PromptTakeover => {
            Box::new(prompt_takeover::PromptTakeover::new(bounds.prompt))
        }
        PropertyName::Progress => Box::new(progress::Progress::new(bounds.grace)),
        PropertyName::SlotCountedOnce => Box::new(slot_counted_once::SlotCountedOnce::default()),
        PropertyName::NoLostDispatch => Box::new(no_lost_dispatch::NoLostDispatch::default()),
        PropertyName::SpacedPosts => Box::new(spaced_posts::SpacedPosts::default()),
        PropertyName::NoDoubleStart => Box::new(no_double_start::NoDoubleStart::default()),
    }
}

/// What a table says when the property fell, from the words of the fall.
pub fn word(property: PropertyName, message: &str) -> String {
    match property {
        // The message begins with how many are inside.
        PropertyName::MutualExclusion => {
            format!("{} IN", message.split(' ').next().unwrap_or_default())
        }
        PropertyName::LiveHolder => "ROBBED".to_owned(),
        PropertyName::OwnRelease => "LOST CLAIM".to_owned(),
        PropertyName::PromptTakeover => "SLOW".to_owned(),
        PropertyName::Progress => "STUCK".to_owned(),
        PropertyName::SlotCountedOnce => "SAME SLOT".to_owned(),
        PropertyName::NoLostDispatch => "LOST JOB".to_owned(),
        PropertyName::NoDoubleStart => "DOUBLED".to_owned(),
        PropertyName::SpacedPosts => "TOO SOON".to_owned(),
    }
}
