use locklab_sys::SmolStr;

use super::FileSystem;
use super::inode::{Content, Ino, ROOT};

impl FileSystem {
    /// The absolute paths of the names that processes made, sorted.
    pub(in crate::kernel) fn made_names(&self) -> Vec<SmolStr> {
        let mut names = Vec::new();
        self.list(ROOT, "", &mut names);
        names.sort_unstable();
        names
    }

    /// Adds the names below the directory at `path`.
    fn list(&self, dir: Ino, path: &str, names: &mut Vec<SmolStr>) {
        for entry in self.entries(dir) {
            let path = format!("{path}/{}", entry.name);
            let inode = self.inodes.get(entry.ino);
            if let Content::Directory { .. } = inode.content {
                self.list(entry.ino, &path, names);
            }
            if inode.maker.is_some() {
                names.push(path.into());
            }
        }
    }
}
