//! What is on the disk, beside what programs see.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::inode::{Content, Ino, Inode, Inodes};
use crate::kernel::reuse::reusing_clone;

/// ext4 commits what has happened to names no later than this (`commit=`,
/// ext4(5)).
const COMMIT_EVERY: Duration = Duration::from_secs(5);

/// Written content is written back when it is 30 s old, and that is looked for
/// every 5 s (`dirty_expire_centisecs` and `dirty_writeback_centisecs`, kernel
/// documentation of `/proc/sys/vm`).
const WRITTEN_BACK_AFTER: Duration = Duration::from_secs(35);

/// What a machine's file system promises of what was not synced, when the power
/// fails. What was, survives: `fsync` of a file keeps its content, `fsync` of a
/// directory the names in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// As ext4 with its defaults (`data=ordered`, `auto_da_alloc`, `commit=5`):
    /// what happens to names is committed in order, all of it by any `fsync`,
    /// else within 5 s. Content follows within 35 s; at once, before the name,
    /// where a file is renamed over another; a truncation is committed like a name.
    /// (ext4(5), Documentation/admin-guide/ext4.rst)
    Journal,
    /// No more than POSIX: nothing else is ever promised. A file whose content was
    /// synced may be without its name: for that its directory is to be
    /// synced (fsync(2)).
    None,
}

/// Which of the states that are allowed a loss of power leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Survivor {
    /// Everything, as if all had been written back just before.
    Everything,
    /// All names, and of the content only what must be there: a file that
    /// nobody synced is there and empty.
    Names,
    /// Only what must be there.
    Synced,
}

impl Survivor {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Everything, Self::Names, Self::Synced];

    /// Its name in schedules and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Names => "names",
            Self::Synced => "synced",
        }
    }
}

/// The tree that a loss of power leaves at least, and how the files of now
/// differ from what of them is on the disk.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Durable {
    durability: Durability,
    committed: Inodes,
    /// Sorted by number: the content of all others is on the disk.
    unwritten: Vec<Unwritten>,
    /// Since when names have changed that are not committed.
    since: Option<Duration>,
}

reusing_clone!(Durable { durability, committed, unwritten, since });

/// A file with content that is not on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Unwritten {
    ino: Ino,
    on_disk: Arc<[u8]>,
    since: Duration,
    /// An `fsync` of it has failed: Linux takes it for written from then on.
    /// (<https://wiki.postgresql.org/wiki/Fsync_Errors>)
    given_up: bool,
}

impl Durable {
    pub(super) fn new(durability: Durability, inodes: &Inodes) -> Self {
        Self { durability, committed: inodes.clone(), unwritten: Vec::new(), since: None }
    }

    fn is_journal(&self) -> bool {
        self.durability == Durability::Journal
    }

    fn position(&self, ino: Ino) -> Result<usize, usize> {
        self.unwritten.binary_search_by_key(&ino, |file| file.ino)
    }

    pub(super) fn forget(&mut self, ino: Ino) {
        if let Ok(at) = self.position(ino) {
            self.unwritten.remove(at);
        }
    }

    /// The inodes whose numbers are not given out though nothing here has them:
    /// without a journal the disk may still name them. (ext4 waits some minutes:
    /// `recently_deleted`, fs/ext4/ialloc.c)
    pub(super) fn reserved(&self) -> Option<&Inodes> {
        (!self.is_journal()).then_some(&self.committed)
    }

    /// Names are about to change: what is due is committed first.
    pub(super) fn before_change(&mut self, inodes: &Inodes, now: Duration) {
        self.settle(inodes, now);
        if self.is_journal() {
            self.since.get_or_insert(now);
        }
    }

    /// A file's content is about to change from what it is in `inodes`.
    pub(super) fn before_overwrite(&mut self, inodes: &Inodes, now: Duration, ino: Ino) {
        self.settle(inodes, now);
        match self.position(ino) {
            Ok(at) => {
                let file = &mut self.unwritten[at];
                if file.given_up {
                    (file.given_up, file.since) = (false, now);
                }
            }
            Err(at) => {
                let on_disk = content(inodes.get(ino));
                self.unwritten.insert(at, Unwritten { ino, on_disk, since: now, given_up: false });
            }
        }
    }

    /// A file is about to be truncated to nothing.
    pub(super) fn before_truncation(&mut self, inodes: &Inodes, now: Duration, ino: Ino) {
        self.before_change(inodes, now);
        self.forget(ino);
    }

    /// A file is about to replace another by `rename`: its content goes first.
    pub(super) fn before_replacement(&mut self, inodes: &Inodes, now: Duration, ino: Ino) {
        self.before_change(inodes, now);
        if self.is_journal() {
            self.write_back(ino);
        }
    }

    /// `fsync` of a file or directory.
    pub(super) fn sync(&mut self, inodes: &Inodes, now: Duration, ino: Ino) {
        self.settle(inodes, now);
        self.write_back(ino);
        if self.is_journal() {
            self.commit(inodes);
        } else {
            self.sync_alone(inodes, ino);
        }
    }

    /// All that there is, as before a machine is put to sleep, but for what `fsync`
    /// has given up.
    pub(super) fn sync_all(&mut self, inodes: &Inodes) {
        self.unwritten.retain(|file| file.given_up);
        self.commit(inodes);
    }

    /// What is there when the machine was switched off in good order.
    pub(super) fn switch_off(&mut self, inodes: &Inodes) -> Inodes {
        self.sync_all(inodes);
        self.unwritten.clear();
        self.committed.clone()
    }

    /// The content of a file that `fsync` could not write is taken for written.
    pub(super) fn give_up(&mut self, ino: Ino) {
        if let Ok(at) = self.position(ino) {
            self.unwritten[at].given_up = true;
        }
    }

    fn write_back(&mut self, ino: Ino) {
        if let Ok(at) = self.position(ino)
            && !self.unwritten[at].given_up
        {
            self.unwritten.remove(at);
        }
    }

    /// What time alone has brought to the disk by now.
    pub(super) fn settle(&mut self, inodes: &Inodes, now: Duration) {
        if !self.is_journal() {
            return;
        }
        let dirty = self.unwritten.len();
        self.unwritten.retain(|file| file.given_up || now < file.since + WRITTEN_BACK_AFTER);
        let is_due = self.since.is_some_and(|since| since + COMMIT_EVERY <= now);
        if is_due || self.unwritten.len() < dirty {
            self.commit(inodes);
        }
    }

    fn commit(&mut self, inodes: &Inodes) {
        self.committed = self.names(inodes);
        self.since = None;
    }

    /// A file's content, or a directory's names, and nothing else.
    fn sync_alone(&mut self, inodes: &Inodes, ino: Ino) {
        let inode = inodes.get(ino);
        let Content::Directory { entries, .. } = &inode.content else {
            if self.committed.has(ino) {
                self.committed.put(self.on_disk(inode));
            }
            return;
        };
        self.committed.put(inode.clone());
        for entry in entries.iter() {
            if !self.committed.has(entry.ino) {
                let named = self.on_disk(inodes.get(entry.ino));
                self.committed.put(named);
            }
        }
        // What nobody can find any more may be open, and be synced and named yet.
        let is_there = |it: &&Inode| it.is_directory() && inodes.has(it.ino);
        let dirs = self.committed.iter().filter(is_there).map(|dir| dir.ino);
        let reachable = self.committed.reachable(dirs);
        self.committed.retain(|it| reachable.contains(&it.ino) || inodes.has(it.ino));
    }

    /// An inode that is named by a directory, as the disk has it: a
    /// directory that nobody has synced is there, and empty.
    fn on_disk(&self, inode: &Inode) -> Inode {
        let content = match &inode.content {
            Content::File(data) => Content::File(match self.position(inode.ino) {
                Ok(at) => Arc::clone(&self.unwritten[at].on_disk),
                Err(_) => Arc::clone(data),
            }),
            Content::Directory { parent, .. } => Content::directory(*parent),
            other => other.clone(),
        };
        Inode { content, ..inode.clone() }
    }

    /// All names, and the content that is on the disk.
    fn names(&self, inodes: &Inodes) -> Inodes {
        let mut names = inodes.clone();
        for file in &self.unwritten {
            names.get_mut(file.ino).content = Content::File(Arc::clone(&file.on_disk));
        }
        names
    }

    /// What is there after the power has failed, which is all on the disk then.
    pub(super) fn lose(&mut self, inodes: &Inodes, now: Duration, survivor: Survivor) -> Inodes {
        self.settle(inodes, now);
        let left = match survivor {
            Survivor::Everything => {
                self.unwritten.retain(|file| file.given_up);
                self.names(inodes)
            }
            Survivor::Names => self.names(inodes),
            Survivor::Synced => self.committed.clone(),
        };
        self.unwritten.clear();
        left
    }

    /// Nothing was written for so long.
    pub(super) fn postpone(&mut self, by: Duration) {
        for since in self.unwritten.iter_mut().map(|file| &mut file.since).chain(&mut self.since) {
            *since += by;
        }
    }
}

fn content(inode: &Inode) -> Arc<[u8]> {
    match &inode.content {
        Content::File(data) => Arc::clone(data),
        _ => Arc::default(),
    }
}
