use locklab_sys::SmolStr;

use super::FileSystem;
use super::inode::{Content, Ino, ROOT};
use crate::kernel::ProcId;

/// A name that stands for an inode that a process made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Made {
    pub(super) path: SmolStr,
    pub(super) ino: Ino,
    pub(super) maker: ProcId,
}

impl FileSystem {
    /// The absolute paths of the names that processes made, sorted.
    pub(in crate::kernel) fn made_names(&self) -> Vec<SmolStr> {
        self.made().into_iter().map(|made| made.path).collect()
    }

    /// The names that processes made, sorted by path.
    pub(super) fn made(&self) -> Vec<Made> {
        let mut names = Vec::new();
        self.list(ROOT, "", &mut names);
        names.sort_unstable();
        names
    }

    /// Adds the names below the directory at `path`.
    fn list(&self, dir: Ino, path: &str, names: &mut Vec<Made>) {
        for entry in self.entries(dir) {
            let path = format!("{path}/{}", entry.name);
            let inode = self.inodes.get(entry.ino);
            if let Content::Directory { .. } = inode.content {
                self.list(entry.ino, &path, names);
            }
            if let Some(maker) = inode.maker {
                names.push(Made { path: path.into(), ino: entry.ino, maker });
            }
        }
    }
}
