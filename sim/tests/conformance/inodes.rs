//! Replies agree, up to what is each machine's own.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Call, DirEntry, FileKind, ProcStat, Reply, Ret, Stat};

/// Which inode here is which there.
#[derive(Default)]
pub struct Inodes(Vec<Pair>);

#[derive(Clone, Copy, PartialEq, Eq)]
struct Pair {
    space: Space,
    here: u64,
    there: u64,
}

/// Sockets and processes have numbers of their own; a socket's name has one of
/// its file system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Files,
    Sockets,
    Processes,
    PidNamespaces,
}

impl Inodes {
    /// Whether the replies to a call are the same, with the same inodes.
    pub fn agree(&mut self, call: &Call, here: &Reply, there: &Reply) -> bool {
        if matches!(call, Call::Getrandom { .. }) {
            return there.is_ok();
        }
        let inodes = inodes_of(call, here).into_iter().zip(inodes_of(call, there));
        let same = inodes.fold(true, |same, ((space, here), (_, there))| {
            self.is_same(Pair { space, here, there }) && same
        });
        same && common(here) == common(there)
    }

    fn is_same(&mut self, pair: Pair) -> bool {
        let of_either =
            |it: &&Pair| it.space == pair.space && (it.here == pair.here || it.there == pair.there);
        match self.0.iter().find(of_either) {
            Some(known) => *known == pair,
            None => {
                self.0.push(pair);
                true
            }
        }
    }

    /// These files' numbers alone are still in use here: others may come to
    /// mean something else, on either side.
    pub fn keep(&mut self, in_use: &[u64]) {
        self.0.retain(|pair| pair.space != Space::Files || in_use.contains(&pair.here));
    }
}

fn inodes_of(call: &Call, reply: &Reply) -> Vec<(Space, u64)> {
    match reply {
        Ok(Ret::Stat(stat)) => {
            let space = match stat.kind {
                FileKind::Process => Space::Processes,
                FileKind::Socket if matches!(call, Call::Fstat { .. }) => Space::Sockets,
                _ => Space::Files,
            };
            vec![(space, stat.ino)]
        }
        Ok(Ret::Namespace(number)) => vec![(Space::PidNamespaces, *number)],
        Ok(Ret::Names(names)) => names.iter().map(|it| (Space::Files, it.ino)).collect(),
        _ => Vec::new(),
    }
}

/// A reply without what is each machine's own.
fn common(reply: &Reply) -> Reply {
    Ok(match reply.clone()? {
        Ret::Stat(stat) => {
            // A directory's size is its file system's affair.
            let size = if stat.kind == FileKind::Directory { 0 } else { stat.size };
            Ret::Stat(Stat { ino: 0, size, mtime: Duration::ZERO, ..stat })
        }
        Ret::Names(names) => {
            let nameless = names.iter().map(|it| DirEntry { ino: 0, ..it.clone() });
            Ret::Names(nameless.collect::<Arc<[_]>>())
        }
        Ret::ProcStat(stat) => Ret::ProcStat(ProcStat { start_ticks: 0, ..stat }),
        Ret::Namespace(_) => Ret::Namespace(0),
        Ret::BootId(_) => Ret::BootId(0),
        Ret::Time(_) => Ret::Time(Duration::ZERO),
        other => other,
    })
}
