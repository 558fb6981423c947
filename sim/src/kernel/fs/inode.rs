use std::sync::Arc;

use locklab_sys::{DirEntry, Mode, SmolStr, Uid};

use super::stamp::Stamp;
use crate::kernel::reuse::reusing_clone;
use crate::kernel::socket::SocketId;
use crate::kernel::{InodeNumbers, ProcId};
use crate::part::Part;

/// An inode number.
pub(in crate::kernel) type Ino = u64;

/// The root directory's number; the others follow it.
pub(super) const ROOT: Ino = 2;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Inode {
    pub(super) ino: Ino,
    /// How many directory entries stand for it.
    pub(super) names: u32,
    /// Whether it may get a name though it has none: it never had one.
    pub(super) may_be_named: bool,
    pub(super) mtime: Stamp,
    pub(super) ctime: Stamp,
    /// The process that created it; none for what a machine boots with.
    pub(super) maker: Option<ProcId>,
    pub(super) uid: Uid,
    pub(super) mode: Mode,
    pub(super) content: Content,
}

/// How an inode begins: by whom, when, whose, and with which permissions.
pub(super) struct Origin {
    pub(super) maker: Option<ProcId>,
    pub(super) now: Stamp,
    pub(super) uid: Uid,
    pub(super) mode: Mode,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Content {
    File(Arc<[u8]>),
    /// The entries are sorted by name, and without `.` and `..`.
    Directory {
        parent: Ino,
        entries: Arc<Vec<DirEntry>>,
    },
    /// Where a symbolic link leads.
    Symlink(SmolStr),
    /// The name of a socket, or of one that is gone.
    Socket {
        bound: Option<SocketId>,
    },
}

impl Content {
    pub(super) fn empty_file() -> Self {
        Self::File(Arc::default())
    }

    pub(super) fn directory(parent: Ino) -> Self {
        Self::Directory { parent, entries: Arc::default() }
    }
}

impl Inode {
    fn new(ino: Ino, content: Content, origin: Origin) -> Self {
        let Origin { maker, now, uid, mode } = origin;
        let (names, may_be_named) = (0, false);
        Self { ino, names, may_be_named, mtime: now, ctime: now, maker, uid, mode, content }
    }

    pub(super) fn is_directory(&self) -> bool {
        matches!(self.content, Content::Directory { .. })
    }

    pub(super) fn is_symlink(&self) -> bool {
        matches!(self.content, Content::Symlink(_))
    }

    /// Whether no path leads through it.
    pub(super) fn is_no_way(&self) -> bool {
        !self.is_directory() && !self.is_symlink()
    }

    /// Whether a live socket is bound to it.
    pub(super) fn is_bound(&self) -> bool {
        matches!(self.content, Content::Socket { bound: Some(_) })
    }
}

/// Where the next inode number comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Numbers {
    LowestFree,
    Fresh { next: Ino },
}

/// The inodes of a machine: each lives as long as it has a name, is open, or
/// has a live socket.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Inodes {
    numbers: Numbers,
    /// Sorted by number.
    pub(super) table: Vec<Part<Inode>>,
}

reusing_clone!(Inodes { numbers, table });

impl Inodes {
    pub(super) fn new(numbers: InodeNumbers, now: Stamp) -> Self {
        let numbers = match numbers {
            InodeNumbers::LowestFree => Numbers::LowestFree,
            InodeNumbers::Fresh => Numbers::Fresh { next: ROOT + 1 },
        };
        let origin = Origin { maker: None, now, uid: Uid::ROOT, mode: Mode::new(0o755) };
        let root = Inode { names: 1, ..Inode::new(ROOT, Content::directory(ROOT), origin) };
        Self { numbers, table: vec![Part::new(root)] }
    }

    /// A new inode without a name; its number is none that is reserved.
    pub(super) fn create(
        &mut self,
        content: Content,
        origin: Origin,
        reserved: Option<&Self>,
    ) -> Ino {
        let (at, ino) = match (&mut self.numbers, reserved) {
            (Numbers::LowestFree, Some(reserved)) => {
                let is_free = |ino: &Ino| !self.has(*ino) && !reserved.has(*ino);
                let ino = (ROOT..).find(is_free).expect("some number is free");
                (self.table.partition_point(|inode| inode.ino < ino), ino)
            }
            (Numbers::LowestFree, None) => {
                let dense = (ROOT..).zip(&self.table).take_while(|(ino, inode)| inode.ino == *ino);
                let at = dense.count();
                (at, ROOT + at as Ino)
            }
            (Numbers::Fresh { next }, _) => {
                let ino = *next;
                *next += 1;
                (self.table.len(), ino)
            }
        };
        self.table.insert(at, Part::new(Inode::new(ino, content, origin)));
        ino
    }

    /// Whether numbers are always fresh, as on tmpfs.
    pub(super) fn are_fresh(&self) -> bool {
        matches!(self.numbers, Numbers::Fresh { .. })
    }

    pub(super) fn get(&self, ino: Ino) -> &Inode {
        &self.table[self.position(ino)]
    }

    pub(super) fn get_mut(&mut self, ino: Ino) -> &mut Inode {
        let at = self.position(ino);
        &mut self.table[at]
    }

    pub(super) fn remove(&mut self, ino: Ino) {
        let at = self.position(ino);
        self.table.remove(at);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Inode> {
        self.table.iter().map(|inode| &**inode)
    }

    pub(super) fn parts_mut(&mut self) -> impl Iterator<Item = &mut Part<Inode>> {
        self.table.iter_mut()
    }

    fn position(&self, ino: Ino) -> usize {
        self.table
            .binary_search_by_key(&ino, |inode| inode.ino)
            .expect("a number in use stands for an inode")
    }
}
