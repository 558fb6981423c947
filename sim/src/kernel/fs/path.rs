use locklab_sys::{DirEntry, Errno, SmolStr, Uid};

use super::FileSystem;
use super::access::Access;
use super::inode::{Content, Ino, ROOT};

const PATH_MAX: usize = 4096;
const NAME_MAX: usize = 255;

/// Where a path leads: up to the directory of its last component.
pub(super) struct Place<'p> {
    pub(super) dir: Ino,
    pub(super) last: Last<'p>,
    /// Whether a slash follows the last component.
    pub(super) slash: bool,
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
    /// Walks to the last component of a path. Every process works in `/`.
    pub(super) fn walk<'p>(&self, path: &'p str, uid: Uid) -> Result<Place<'p>, Errno> {
        check_path(path)?;
        let trimmed = path.trim_end_matches('/');
        let slash = trimmed.len() < path.len();
        let (before, last) = trimmed.rsplit_once('/').unwrap_or(("", trimmed));
        let mut dir = ROOT;
        for name in before.split('/').filter(|name| !name.is_empty()) {
            self.enter(dir, uid)?;
            dir = match name {
                "." => dir,
                ".." => self.parent(dir),
                _ => self.lookup(dir, name)?.ok_or(Errno::ENOENT)?,
            };
        }
        if !last.is_empty() {
            self.enter(dir, uid)?;
        }
        let last = match last {
            "" => Last::Root,
            "." => Last::Dot,
            ".." => Last::DotDot,
            name => Last::Name(name),
        };
        Ok(Place { dir, last, slash })
    }

    /// Whether a name can be looked for in what the walk has come to.
    fn enter(&self, ino: Ino, uid: Uid) -> Result<(), Errno> {
        let inode = self.inodes.get(ino);
        if !inode.is_directory() {
            return Err(Errno::ENOTDIR);
        }
        inode.check(uid, Access::SEARCH)
    }

    /// The inode at a place.
    pub(super) fn target(&self, place: &Place<'_>) -> Result<Ino, Errno> {
        match place.last {
            Last::Root => Ok(ROOT),
            Last::Dot => Ok(place.dir),
            Last::DotDot => Ok(self.parent(place.dir)),
            Last::Name(name) => {
                let ino = self.lookup(place.dir, name)?.ok_or(Errno::ENOENT)?;
                if place.slash && !self.inodes.get(ino).is_directory() {
                    return Err(Errno::ENOTDIR);
                }
                Ok(ino)
            }
        }
    }

    /// The inode that a path stands for.
    pub(super) fn resolve(&self, path: &str, uid: Uid) -> Result<Ino, Errno> {
        self.target(&self.walk(path, uid)?)
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

    /// The absolute path, without detours, of `name` in `dir`, which a caller
    /// called `given`.
    pub(super) fn normal_path(&self, given: &SmolStr, dir: Ino, name: &str) -> SmolStr {
        if is_normal(given) {
            return given.clone();
        }
        let mut path = format!("/{name}");
        let mut below = dir;
        while below != ROOT {
            let parent = self.parent(below);
            let entry = self.entries(parent).iter().find(|entry| entry.ino == below);
            let name = &entry.expect("a directory is in its parent").name;
            path.insert_str(0, name);
            path.insert(0, '/');
            below = parent;
        }
        path.into()
    }

    /// The entries of a directory.
    pub(super) fn entries(&self, dir: Ino) -> &[DirEntry] {
        match &self.inodes.get(dir).content {
            Content::Directory { entries, .. } => entries,
            _ => unreachable!("only directories are walked through"),
        }
    }

    fn parent(&self, dir: Ino) -> Ino {
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
