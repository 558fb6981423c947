use locklab_sys::{DirEntry, Errno, SmolStr, Uid};

use super::FileSystem;
use super::access::Access;
use super::detour::Detour;
use super::inode::{Content, Ino, ROOT};

const PATH_MAX: usize = 4096;
const NAME_MAX: usize = 255;

/// Where a path leads: up to the directory of its last component.
pub(super) struct Place<'p> {
    pub(super) dir: Ino,
    pub(super) last: Last<'p>,
    /// Whether a slash follows the last component.
    pub(super) slash: bool,
    /// What was walked in the end: the caller's path, or the way round links.
    pub(super) path: &'p SmolStr,
    /// How many symbolic links were gone round.
    pub(super) links: u32,
}

/// The last component of a path.
#[derive(Clone, Copy)]
pub(super) enum Last<'p> {
    Name(&'p str),
    Dot,
    DotDot,
    /// There is none: the path is `/`.
    Root,
}

/// What Linux refuses of a path before it walks.
pub(super) fn check_path(path: &str) -> Result<(), Errno> {
    match path.len() {
        0 => Err(Errno::ENOENT),
        PATH_MAX.. => Err(Errno::ENAMETOOLONG),
        _ => Ok(()),
    }
}

impl FileSystem {
    /// Walks to the last component of a path, which may be a symbolic link; if
    /// there are others before, `detour` is the way round. Every process works
    /// in `/`.
    pub(super) fn walk<'p>(
        &self,
        path: &'p SmolStr,
        detour: &'p mut Detour,
        uid: Uid,
    ) -> Result<Place<'p>, Errno> {
        check_path(path)?;
        match self.walk_straight(path, uid)? {
            Some(place) => Ok(place),
            None => self.walk_round(path, detour, uid),
        }
    }

    /// Walks to the last component of a path; `None` when a link is in the way.
    pub(super) fn walk_straight<'p>(
        &self,
        path: &'p SmolStr,
        uid: Uid,
    ) -> Result<Option<Place<'p>>, Errno> {
        let trimmed = path.trim_end_matches('/');
        let slash = trimmed.len() < path.len();
        let (before, last) = trimmed.rsplit_once('/').unwrap_or(("", trimmed));
        let mut dir = ROOT;
        for name in before.split('/').filter(|name| !name.is_empty()) {
            if !self.enter(dir, uid)? {
                return Ok(None);
            }
            dir = match name {
                "." => dir,
                ".." => self.parent(dir),
                _ => self.lookup(dir, name)?.ok_or(Errno::ENOENT)?,
            };
        }
        if !last.is_empty() && !self.enter(dir, uid)? {
            return Ok(None);
        }
        let last = match last {
            "" => Last::Root,
            "." => Last::Dot,
            ".." => Last::DotDot,
            name => Last::Name(name),
        };
        Ok(Some(Place { dir, last, slash, path, links: 0 }))
    }

    /// Whether a name can be looked for in what the walk has come to. Not in a
    /// symbolic link, but perhaps in what is beyond it.
    fn enter(&self, ino: Ino, uid: Uid) -> Result<bool, Errno> {
        let inode = self.inodes.get(ino);
        match inode.content {
            Content::Directory { .. } => inode.check(uid, Access::SEARCH).map(|()| true),
            Content::Symlink(_) => Ok(false),
            Content::File(_) | Content::Socket { .. } => Err(Errno::ENOTDIR),
        }
    }

    /// The inode at a place: a symbolic link's own, even before a slash.
    pub(super) fn target(&self, place: &Place<'_>) -> Result<Ino, Errno> {
        match place.last {
            Last::Root => Ok(ROOT),
            Last::Dot => Ok(place.dir),
            Last::DotDot => Ok(self.parent(place.dir)),
            Last::Name(name) => {
                let ino = self.lookup(place.dir, name)?.ok_or(Errno::ENOENT)?;
                if place.slash && self.inodes.get(ino).is_no_way() {
                    return Err(Errno::ENOTDIR);
                }
                Ok(ino)
            }
        }
    }

    /// The inode that a path stands for. If it is a symbolic link's name, and
    /// no slash follows, that is the link's unless it is to be followed.
    pub(in crate::kernel) fn resolve(
        &self,
        path: &SmolStr,
        follow: bool,
        uid: Uid,
    ) -> Result<Ino, Errno> {
        let mut detour = Detour::default();
        let place = self.walk(path, &mut detour, uid)?;
        let ino = self.target(&place)?;
        if (follow || place.slash) && self.inodes.get(ino).is_symlink() {
            return self.resolve_link(&place, uid);
        }
        Ok(ino)
    }

    pub(super) fn lookup(&self, dir: Ino, name: &str) -> Result<Option<Ino>, Errno> {
        if name.len() > NAME_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        let entries = self.entries(dir);
        Ok(find(entries, name).ok().map(|at| entries[at].ino))
    }

    /// Whether `dir` is `ancestor`, or lies below it.
    pub(super) fn is_within(&self, mut dir: Ino, ancestor: Ino) -> bool {
        while dir != ancestor && dir != ROOT {
            dir = self.parent(dir);
        }
        dir == ancestor
    }

    /// The absolute path, without detours, of `name` at a place.
    pub(super) fn normal_path(&self, place: &Place<'_>, name: &str) -> SmolStr {
        if is_normal(place.path) {
            return place.path.clone();
        }
        let mut path = self.directory_path(place.dir);
        path.push('/');
        path.push_str(name);
        path.into()
    }

    /// The absolute path of a directory; that of `/` is empty.
    pub(super) fn directory_path(&self, dir: Ino) -> String {
        let mut path = String::new();
        let mut below = dir;
        while below != ROOT {
            let parent = self.parent(below);
            let entry = self.entries(parent).iter().find(|entry| entry.ino == below);
            let name = &entry.expect("a directory is in its parent").name;
            path.insert_str(0, name);
            path.insert(0, '/');
            below = parent;
        }
        path
    }

    /// The entries of a directory.
    pub(super) fn entries(&self, dir: Ino) -> &[DirEntry] {
        match &self.inodes.get(dir).content {
            Content::Directory { entries, .. } => entries,
            _ => unreachable!("only directories are walked through"),
        }
    }

    pub(super) fn parent(&self, dir: Ino) -> Ino {
        match self.inodes.get(dir).content {
            Content::Directory { parent, .. } => parent,
            _ => unreachable!("only directories are walked through"),
        }
    }
}

/// Where a name is among sorted entries, or where it belongs.
pub(super) fn find(entries: &[DirEntry], name: &str) -> Result<usize, usize> {
    entries.binary_search_by(|entry| entry.name.as_str().cmp(name))
}

fn is_normal(path: &str) -> bool {
    path.strip_prefix('/')
        .is_some_and(|path| path.split('/').all(|name| !matches!(name, "" | "." | "..")))
}
