//! Inodes as a tree that stands on a disk, of which parts may be missing.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::inode::{Content, Ino, Inode, Inodes, ROOT};
use crate::part::Part;

impl Inodes {
    pub(super) fn has(&self, ino: Ino) -> bool {
        self.table.binary_search_by_key(&ino, |inode| inode.ino).is_ok()
    }

    /// Puts an inode under its number, in place of what had it.
    pub(super) fn put(&mut self, inode: Inode) {
        match self.table.binary_search_by_key(&inode.ino, |other| other.ino) {
            Ok(at) => *self.table[at] = inode,
            Err(at) => self.table.insert(at, Part::new(inode)),
        }
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Inode) -> bool) {
        self.table.retain(|inode| keep(inode));
    }

    /// The numbers that names lead to, from the root and these directories on.
    pub(super) fn reachable(&self, dirs: impl Iterator<Item = Ino>) -> BTreeSet<Ino> {
        let mut next: Vec<Ino> = dirs.chain([ROOT]).collect();
        let mut reached: BTreeSet<Ino> = next.iter().copied().collect();
        while let Some(dir) = next.pop() {
            if let Content::Directory { entries, .. } = &self.get(dir).content {
                let new = entries.iter().filter(|entry| reached.insert(entry.ino));
                next.extend(new.map(|entry| entry.ino));
            }
        }
        reached
    }

    /// Sets right what names lead to, and drops all else, as a mount does: no
    /// file is open, no socket is bound, and no directory has two names.
    pub(super) fn mount(&mut self) {
        for inode in &mut self.table {
            inode.names = u32::from(inode.ino == ROOT);
            if let Content::Socket { bound } = &mut inode.content {
                *bound = None;
            }
        }
        let mut next = VecDeque::from([ROOT]);
        while let Some(dir) = next.pop_front() {
            let Content::Directory { entries, .. } = &self.get(dir).content else { continue };
            let mut entries = Arc::clone(entries);
            Arc::make_mut(&mut entries).retain(|entry| {
                let named = self.get_mut(entry.ino);
                if let Content::Directory { parent, .. } = &mut named.content {
                    if named.names > 0 {
                        return false;
                    }
                    *parent = dir;
                    next.push_back(entry.ino);
                }
                named.names += 1;
                true
            });
            self.get_mut(dir).content = Content::Directory { parent: self.parent_of(dir), entries };
        }
        self.table.retain(|inode| inode.names > 0);
    }

    fn parent_of(&self, dir: Ino) -> Ino {
        match self.get(dir).content {
            Content::Directory { parent, .. } => parent,
            _ => unreachable!("only directories have a parent"),
        }
    }
}
