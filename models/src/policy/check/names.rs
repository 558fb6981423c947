//! What goes with claims that have names of their own, and with taking a name's place.

use super::Complaints;
use crate::policy::{Choice, Guard, PolicyRow, Publish, Release, Stale, Takeover};

impl PolicyRow {
    /// How a claim is taken over unless the row says how.
    pub(super) fn usual_takeover(&self) -> Takeover {
        match self.publish {
            Some(Publish::Numbered) => Takeover::NextGeneration,
            _ => Takeover::Unlink,
        }
    }

    /// Only in a directory that comes with it does an owner have an entry of its own.
    pub(super) fn check_directory(&self, complaints: &mut Complaints) {
        let has_entries = self.publish == Some(Publish::RenameDirectory);
        let by_name = [
            ("takeover", "owner-entry", self.takeover == Some(Takeover::OwnerEntry)),
            ("release", "own-entry", self.release == Some(Release::OwnEntry)),
        ];
        for (part, word, _) in by_name.into_iter().filter(|(_, _, it)| *it && !has_entries) {
            complaints.add(
                part,
                format!("`{word}` is removed by its own name, and a claim has no such entry"),
                "publish by `rename-directory`, or use `unlink`",
            );
        }
        if has_entries && self.release == Some(Release::OwnBytes) {
            complaints.add(
                "release",
                "an entry says who its owner is by its name, and there are no bytes in it",
                "use `own-entry`, which removes that name and no other",
            );
        }
        let takeover = self.takeover.unwrap_or_else(|| self.usual_takeover());
        if self.verify.is_some() && !takeover.compares() {
            let word = takeover.word();
            complaints.add(
                "verify",
                format!("`{word}` cannot hit another claim than the one that was judged"),
                "leave out `verify`, or use `unlink`",
            );
        }
    }

    /// Numbers go up: nobody removes one that is in use, and none comes back.
    pub(super) fn check_numbers(&self, complaints: &mut Complaints) {
        let has_numbers = self.publish == Some(Publish::Numbered);
        let takes_next = self.takeover == Some(Takeover::NextGeneration);
        let lets_go_of_own = self.release == Some(Release::OwnNumber);
        if !has_numbers {
            let of_numbers = [
                ("takeover", "next-generation", takes_next),
                ("release", "own-number", lets_go_of_own),
            ];
            for (part, word, _) in of_numbers.into_iter().filter(|(_, _, it)| *it) {
                complaints.add(
                    part,
                    format!("`{word}` is about numbers, and claims have none"),
                    "publish by `numbered`, or use `unlink`",
                );
            }
            return;
        }
        if self.takeover.is_some() && !takes_next {
            complaints.add(
                "takeover",
                "a number that is removed could come back, and two would have it",
                "use `next-generation`, or publish in another way",
            );
        }
        if self.release.is_some() && !lets_go_of_own {
            complaints.add(
                "release",
                "a number that is removed could come back, and two would have it",
                "use `own-number`, or publish in another way",
            );
        }
        if matches!(self.stale, Some(Stale::Heartbeat(_))) {
            complaints.add(
                "stale",
                "a holder touches what stands at the path, and that is the directory of all",
                "use another `stale`, or publish in another way",
            );
        }
        if self.guard.is_some_and(|guard| guard != Guard::None) {
            complaints.add(
                "guard",
                "of all who make the next number one succeeds: there is nobody to keep out",
                "leave out `guard`, or publish in another way",
            );
        }
    }

    /// A directory is not renamed over one in which there is something.
    pub(super) fn check_over(&self, complaints: &mut Complaints) {
        let is_directory =
            matches!(self.publish, Some(Publish::MkdirThenWrite | Publish::RenameDirectory));
        if is_directory && self.takeover == Some(Takeover::RenameOver) {
            complaints.add(
                "takeover",
                "no directory can be renamed over one in which there is something",
                "use `unlink` or `rename-aside`, or publish a file",
            );
        }
    }
}
