//! The way round symbolic links. Few paths have any on them, so all this
//! stands apart from the walk along those that have none.

use locklab_sys::{Errno, SmolStr, Uid};

use super::FileSystem;
use super::inode::{Content, Ino, ROOT};
use super::path::{Last, Place};

/// As many symbolic links as Linux follows in one walk.
const LINKS_MAX: u32 = 40;

/// A path in which symbolic links are replaced by what they lead to. None yet,
/// when it is empty.
#[derive(Default)]
pub(super) struct Detour {
    path: SmolStr,
    links: u32,
}

impl FileSystem {
    /// Walks to the last component of a path that has links before it.
    #[cold]
    pub(super) fn walk_round<'p>(
        &self,
        path: &SmolStr,
        detour: &'p mut Detour,
        uid: Uid,
    ) -> Result<Place<'p>, Errno> {
        detour.path = path.clone();
        self.walk_on(detour, uid)
    }

    /// Where a link leads that is the last component of a path: to where the
    /// walk goes on.
    pub(super) fn follow(&self, place: &Place<'_>, uid: Uid) -> Result<Detour, Errno> {
        let Last::Name(name) = place.last else { unreachable!("a link has a name") };
        let link = self.lookup(place.dir, name)?.ok_or(Errno::ENOENT)?;
        let mut detour = Detour { path: place.path.clone(), links: place.links };
        self.go_round(&mut detour)?;
        self.may_follow(place.dir, link, uid)?;
        Ok(detour)
    }

    /// Walks on to the last component, round all links before it.
    pub(super) fn walk_on<'p>(&self, detour: &'p mut Detour, uid: Uid) -> Result<Place<'p>, Errno> {
        while self.walk_straight(&detour.path, uid)?.is_none() {
            self.go_round(detour)?;
        }
        let place = self.walk_straight(&detour.path, uid)?.expect("all links were gone round");
        Ok(Place { links: detour.links, ..place })
    }

    /// The inode to which the link at a place leads in the end.
    #[cold]
    pub(super) fn resolve_link(&self, place: &Place<'_>, uid: Uid) -> Result<Ino, Errno> {
        let mut detour = self.follow(place, uid)?;
        loop {
            let place = self.walk_on(&mut detour, uid)?;
            let ino = self.target(&place)?;
            if !self.inodes.get(ino).is_symlink() {
                return Ok(ino);
            }
            detour = self.follow(&place, uid)?;
        }
    }

    /// Replaces the first link of a path, which has one.
    fn go_round(&self, detour: &mut Detour) -> Result<(), Errno> {
        if detour.links == LINKS_MAX {
            return Err(Errno::ELOOP);
        }
        detour.links += 1;
        let mut dir = ROOT;
        let mut rest = detour.path.as_str();
        loop {
            let (name, beyond) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let next = match name {
                "" | "." => dir,
                ".." => self.parent(dir),
                _ => self.lookup(dir, name)?.ok_or(Errno::ENOENT)?,
            };
            if let Content::Symlink(target) = &self.inodes.get(next).content {
                let before = match target.starts_with('/') {
                    true => String::new(),
                    false => self.directory_path(dir) + "/",
                };
                detour.path = format!("{before}{target}{beyond}").into();
                return Ok(());
            }
            dir = next;
            rest = beyond.strip_prefix('/').expect("a link is ahead");
        }
    }
}
