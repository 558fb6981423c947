use std::sync::Arc;

use locklab_sys::{DirEntry, Renaming};

use super::FileSystem;
use super::inode::Content;
use crate::kernel::Places;

impl FileSystem {
    /// Whether its disk is like any other.
    pub(in crate::kernel) fn is_ordinary(&self) -> bool {
        self.disk.is_none()
    }

    /// As it were, had processes changed places; `None` if that cannot be told.
    pub(in crate::kernel) fn change_places(
        &mut self,
        places: &Places,
        renaming: &Renaming<'_>,
    ) -> Option<()> {
        if !self.open.is_empty() && !self.open.change_places(places) {
            return None;
        }
        for inode in self.inodes.parts_mut() {
            let maker = inode.maker.map(|maker| places.proc(maker));
            if maker != inode.maker {
                inode.maker = maker;
            }
            if let Some(content) = inode.content.renamed(renaming)? {
                inode.content = content;
            }
        }
        Some(())
    }
}

impl Content {
    /// What it is then, if it is another; `None` if that cannot be told.
    #[allow(clippy::option_option, reason = "it may be the same, and not be known")]
    fn renamed(&self, renaming: &Renaming<'_>) -> Option<Option<Self>> {
        Some(match self {
            Self::File(bytes) => {
                let renamed = (renaming.text)(bytes)?;
                (renamed != *bytes).then_some(Self::File(renamed))
            }
            Self::Symlink(target) => {
                let renamed = (renaming.text)(target.as_bytes())?;
                let renamed = std::str::from_utf8(&renamed).ok()?;
                (renamed != target).then(|| Self::Symlink(renamed.into()))
            }
            Self::Directory { parent, entries } => {
                let name = |entry: &DirEntry| (renaming.name)(&entry.name);
                if entries.iter().all(|entry| name(entry).is_none()) {
                    return Some(None);
                }
                let renamed = entries.iter().map(|entry| DirEntry {
                    name: name(entry).unwrap_or_else(|| entry.name.clone()),
                    ino: entry.ino,
                });
                let mut entries: Vec<DirEntry> = renamed.collect();
                entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
                Some(Self::Directory { parent: *parent, entries: Arc::new(entries) })
            }
            Self::Socket { .. } => return None,
        })
    }
}
