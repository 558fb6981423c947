//! Claims that are numbers in a directory: the highest is the one that counts.

use std::ops::ControlFlow;

use locklab_sys::{DirEntry, Errno, Sys};
use smol_str::{SmolStr, format_smolstr};
use tracing::debug;

use super::entries::list;
use super::errors::Foreseen;
use super::file::Known;
use super::look::{Look, Seen};
use super::place::Place;
use super::publish::{Contest, Private, Published};

/// How a number ends that its owner has let go of.
const LET_GO: &str = ".free";

/// What stands in the directory.
#[derive(Default)]
struct Numbers {
    all: Vec<SmolStr>,
    /// The highest, and whether its owner has let go of it.
    highest: Option<(u64, bool)>,
}

/// Numbers that a new owner has left behind.
struct Lower<'a> {
    path: &'a str,
    all: Vec<SmolStr>,
}

/// The lock in whose directory a path is a number, the number, and whether it is let go of.
pub fn claim_number(path: &str) -> Option<(&str, u64, bool)> {
    let (lock, entry) = path.rsplit_once('/')?;
    let (digits, let_go) = match entry.strip_suffix(LET_GO) {
        Some(digits) => (digits, true),
        None => (entry, false),
    };
    let number: u64 = digits.parse().ok().filter(|number: &u64| number.to_string() == digits)?;
    Some((lock, number, let_go))
}

impl Numbers {
    fn of(found: &[DirEntry]) -> Self {
        let names = found.iter().map(|entry| format_smolstr!("/{}", entry.name));
        let all: Vec<SmolStr> = names.filter(|name| claim_number(name).is_some()).collect();
        let known = all.iter().filter_map(|name| claim_number(name));
        let highest = known.map(|(_, number, let_go)| (number, let_go)).max();
        Self { all, highest }
    }
}

impl Place<'_> {
    fn number_path(&self, number: u64) -> SmolStr {
        format_smolstr!("{}/{number}", self.path)
    }

    /// What stands in the directory; `None` if a claim of another kind is in its place.
    async fn numbers(&self, sys: &Sys) -> Option<Numbers> {
        if let Some(found) = list(sys, self.path).await {
            return Some(Numbers::of(&found));
        }
        let made = sys.mkdir(self.path.clone()).await;
        match made.unless([Errno::EEXIST, Errno::ENOSPC], "create", self.path) {
            Some(()) => Some(Numbers::default()),
            // Somebody was faster, perhaps with something else.
            None => list(sys, self.path).await.map(|found| Numbers::of(&found)),
        }
    }

    /// Looks at the highest number; `None` if nobody holds it.
    pub async fn look_at_number(&self, sys: &Sys, look: Look) -> Option<Seen> {
        let numbers = match list(sys, self.path).await {
            Some(found) => Numbers::of(&found),
            None => {
                let stat = self.stat(sys).await?;
                return Some(Seen { stat: Some(stat), ..Seen::default() });
            }
        };
        let (number, _) = numbers.highest.filter(|(_, let_go)| !let_go)?;
        let seen = self.look_at_file(sys, look, &self.number_path(number)).await?;
        Some(Seen { number: Some(number), ..seen })
    }

    /// Marks a number as let go of, if it is still there.
    pub async fn let_go_of(&self, sys: &Sys, number: u64) {
        let path = self.number_path(number);
        let marked = sys.rename(path.clone(), format_smolstr!("{path}{LET_GO}")).await;
        if marked.unless([Errno::ENOENT, Errno::ENOTDIR], "let go of", &path).is_none() {
            debug!(target: "locklab", "my number is not there any more: nothing is touched");
        }
    }
}

impl Contest<'_> {
    /// Takes the next number if nobody holds the highest.
    pub async fn take_free_number(&self, sys: &Sys, private: &Private) -> Published {
        let Some(numbers) = self.place.numbers(sys).await else { return Published::Refused };
        match numbers.highest {
            None => self.take_number(sys, private, 1, numbers).await,
            Some((number, true)) => self.take_number(sys, private, number + 1, numbers).await,
            Some((_, false)) => Published::Refused,
        }
    }

    /// Takes the number after one whose owner was judged.
    pub async fn succeed(&self, sys: &Sys, private: &Private, number: u64) -> Published {
        let Some(numbers) = self.place.numbers(sys).await else { return Published::Refused };
        self.take_number(sys, private, number + 1, numbers).await
    }

    /// Of all who link a file to one number, one succeeds. Who is late may get a number that
    /// others have had, and removed or let go of: it looks whether its own is the highest.
    async fn take_number(
        &self,
        sys: &Sys,
        private: &Private,
        number: u64,
        before: Numbers,
    ) -> Published {
        let path = self.place.number_path(number);
        let linked = match sys.link(private.path.clone(), path.clone()).await {
            Err(Errno::ENOSPC) => return Published::Unsigned,
            Err(Errno::ENOENT) => return Published::Homeless,
            // Another user's directory: whoever may not write to it has to wait.
            Err(Errno::EACCES | Errno::EPERM) => return Published::Refused,
            linked => linked.unless([Errno::EEXIST, Errno::ENOTDIR], "link to", &path),
        };
        if linked.is_none() {
            return Published::Refused;
        }
        let now = list(sys, self.place.path).await.map(|found| Numbers::of(&found));
        let highest = now.unwrap_or_default().highest;
        if highest != Some((number, false)) {
            debug!(target: "locklab", "mine, {number}, is not the number that counts: I am late");
            sys.unlink(path.clone()).await.unless([Errno::ENOENT, Errno::ENOTDIR], "remove", &path);
            return Published::Removed;
        }
        let lower = Lower { path: self.place.path, all: before.all };
        sys.retry(&lower, 0, remove_lower).await;
        Published::Standing(Known { number: Some(number), ..private.known })
    }
}

async fn remove_lower(sys: &Sys, lower: &Lower<'_>, nth: usize) -> ControlFlow<(), usize> {
    let Some(name) = lower.all.get(nth) else { return ControlFlow::Break(()) };
    let path = format_smolstr!("{}{name}", lower.path);
    let foreseen = [Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES, Errno::EPERM];
    sys.unlink(path.clone()).await.unless(foreseen, "remove", &path);
    ControlFlow::Continue(nth + 1)
}

#[cfg(test)]
mod tests {
    use super::claim_number;

    #[test]
    fn a_number_is_a_name_without_anything_else_in_it() {
        assert_eq!(claim_number("/run/lock/7"), Some(("/run/lock", 7, false)));
        assert_eq!(claim_number("/run/lock/7.free"), Some(("/run/lock", 7, true)));
        assert_eq!(claim_number("/run/lock/07"), None);
        assert_eq!(claim_number("/run/lock/+7"), None);
        assert_eq!(claim_number("/run/lock/7.1000"), None);
        assert_eq!(claim_number("7"), None);
    }
}
