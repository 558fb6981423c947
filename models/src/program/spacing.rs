//! A rule of spacing: two posts to an account lie so far apart. When the last one was says
//! the time of a file that is written after each.

use std::time::Duration;

use locklab_sys::{Clock, Errno, OpenFlags, Sys};
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};
use tracing::debug;

use crate::Period;
use crate::lock::Foreseen;

/// When a poster looks at how long ago the last post was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Looks {
    /// For each post, while it holds the account's lock.
    #[default]
    Inside,
    /// For each post, before it takes the lock.
    BeforeLock,
    /// Once, when the run begins: later it goes by what it read then.
    AtStart,
}

/// When a poster notes that it has posted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notes {
    /// While it holds the account's lock.
    #[default]
    Inside,
    /// When it has let go of it.
    AfterRelease,
}

/// Where an account's posts are noted.
pub(super) struct History(SmolStr);

impl History {
    pub(super) fn of(account: &str) -> Self {
        Self(format_smolstr!("/run/posted-{account}"))
    }

    /// When the last post was, by the realtime clock.
    pub(super) async fn last(&self, sys: &Sys) -> Option<Duration> {
        let stat = sys.stat(self.0.clone()).await.unless([Errno::ENOENT], "look at", &self.0);
        stat.map(|stat| stat.mtime)
    }

    /// Notes a post.
    pub(super) async fn note(&self, sys: &Sys) {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
        let fd = sys.open(self.0.clone(), flags).await.surely("open", &self.0);
        sys.write(fd, b"posted".as_slice()).await.surely("write to", &self.0);
        sys.close(fd).await.surely("close", &self.0);
    }
}

/// Whether a post may go out now, if the last one did then.
pub(super) async fn is_due(sys: &Sys, last: Option<Duration>, spacing: Period) -> bool {
    let Some(last) = last else {
        debug!(target: "locklab", "nothing was posted yet");
        return true;
    };
    let now = sys.clock_gettime(Clock::Realtime).await;
    let ago = now.saturating_sub(last);
    let is_due = ago >= spacing.get();
    let verdict = if is_due { "the next is due" } else { "too soon for another" };
    let ago = humantime::format_duration(ago);
    debug!(target: "locklab", "the last post was {ago} ago: {verdict}");
    is_due
}
