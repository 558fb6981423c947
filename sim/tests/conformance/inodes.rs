//! Replies agree, up to what is each machine's own.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::{Call, DirEntry, Errno, FileKind, ProcStat, Reply, Ret, Stat, Uid};

use crate::place;

/// Whether a file that was looked at and then changes has other times, however
/// soon that is: multigrain timestamps.
fn has_fine_times() -> bool {
    place::release() >= Some([6, 13])
}

/// Whether `pidfd_open` tells a thread's id from what it cannot make sense of.
fn names_threads() -> bool {
    place::release() >= Some([6, 15])
}

/// Which inode here is which there, and what its times were.
pub struct Inodes {
    pairs: Vec<Pair>,
    looks: Vec<Look>,
    fine_times: bool,
    names_threads: bool,
    has_users: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Pair {
    space: Space,
    here: u64,
    there: u64,
}

/// The times of a file, by its number here, when it was last looked at.
#[derive(Clone, Copy)]
struct Look {
    ino: u64,
    here: Times,
    there: Times,
}

/// Of the last modification, and of the last change.
type Times = [Duration; 2];

/// A time before this was set by somebody.
const LONG_AGO: Duration = Duration::from_secs(1_000_000_000);

/// Whom a user namespace shows in place of the real root, whose all pidfds are.
const OVERFLOW: Uid = Uid(65_534);

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
    /// None is known yet.
    pub fn new(has_users: bool) -> Self {
        let [fine_times, names_threads] = [has_fine_times(), names_threads()];
        Self { pairs: Vec::new(), looks: Vec::new(), fine_times, names_threads, has_users }
    }

    /// Whether the replies to a call are the same, with the same inodes.
    pub fn agree(&mut self, call: &Call, here: &Reply, there: &Reply) -> bool {
        if matches!(call, Call::Getrandom { .. }) {
            return there.is_ok();
        }
        let is_of_thread = matches!(call, Call::PidfdOpen { .. }) && *here == Err(Errno::ENOENT);
        if is_of_thread && !self.names_threads {
            return *there == Err(Errno::EINVAL);
        }
        let is_of_pidfd = *here == Err(Errno::EOPNOTSUPP);
        if is_of_pidfd && !self.has_users {
            // To a user namespace it is somebody else's, which is found first.
            return matches!(there, Err(Errno::EOPNOTSUPP | Errno::EACCES | Errno::EPERM));
        }
        let inodes = inodes_of(call, here).into_iter().zip(inodes_of(call, there));
        let same = inodes.fold(true, |same, ((space, here), (_, there))| {
            self.is_same(Pair { space, here, there }) && same
        });
        same && common(here) == common(there) && self.times_agree(call, here, there)
    }

    fn is_same(&mut self, pair: Pair) -> bool {
        let of_either =
            |it: &&Pair| it.space == pair.space && (it.here == pair.here || it.there == pair.there);
        match self.pairs.iter().find(of_either) {
            Some(known) => *known == pair,
            None => {
                self.pairs.push(pair);
                true
            }
        }
    }

    /// These numbers of files and sockets alone are still in use here: others may
    /// come to mean something else, on either side.
    pub fn keep(&mut self, files: &[u64], sockets: &[u64]) {
        self.pairs.retain(|pair| match pair.space {
            Space::Files => files.contains(&pair.here),
            Space::Sockets => sockets.contains(&pair.here),
            Space::Processes | Space::PidNamespaces => true,
        });
        self.looks.retain(|look| files.contains(&look.ino));
    }

    /// Whether times that were set are the same, and others have changed on
    /// both machines or on neither since the file was last looked at. That a
    /// change shows, however soon, is Linux 6.13's promise, which its tmpfs does
    /// not keep of directories: there, and before, what is set shows it.
    fn times_agree(&mut self, call: &Call, here: &Reply, there: &Reply) -> bool {
        let (Ok(Ret::Stat(here)), Ok(Ret::Stat(there))) = (here, there) else { return true };
        if space_of(call, here) != Space::Files {
            return true;
        }
        let look = Look {
            ino: here.ino,
            here: [here.mtime, here.ctime],
            there: [there.mtime, there.ctime],
        };
        let was_set = |mtime: Duration| (mtime < LONG_AGO).then_some(mtime);
        let same = was_set(here.mtime) == was_set(there.mtime);
        let Some(known) = self.looks.iter_mut().find(|known| known.ino == look.ino) else {
            self.looks.push(look);
            return same;
        };
        let last = std::mem::replace(known, look);
        let changed = |last: Times, now: Times| [last[0] != now[0], last[1] != now[1]];
        let [changed_here, changed_there] =
            [changed(last.here, look.here), changed(last.there, look.there)];
        let may_hide = !self.fine_times || here.kind == FileKind::Directory;
        let alike = changed_here
            .iter()
            .zip(&changed_there)
            .all(|(here, there)| here == there || (*here && may_hide));
        same && alike
    }
}

fn inodes_of(call: &Call, reply: &Reply) -> Vec<(Space, u64)> {
    match reply {
        Ok(Ret::Stat(stat)) => {
            vec![(space_of(call, stat), stat.ino)]
        }
        Ok(Ret::Namespace(number)) => vec![(Space::PidNamespaces, *number)],
        Ok(Ret::Names(names)) => names.iter().map(|it| (Space::Files, it.ino)).collect(),
        _ => Vec::new(),
    }
}

fn space_of(call: &Call, stat: &Stat) -> Space {
    match stat.kind {
        FileKind::Process => Space::Processes,
        FileKind::Socket if matches!(call, Call::Fstat { .. }) => Space::Sockets,
        _ => Space::Files,
    }
}

/// A reply without what is each machine's own.
fn common(reply: &Reply) -> Reply {
    Ok(match reply.clone()? {
        Ret::Stat(stat) => {
            // A directory's size is its file system's affair.
            let size = if stat.kind == FileKind::Directory { 0 } else { stat.size };
            let is_of_root = stat.kind == FileKind::Process && stat.uid == OVERFLOW;
            let uid = if is_of_root { Uid::ROOT } else { stat.uid };
            let [mtime, ctime] = [Duration::ZERO; 2];
            Ret::Stat(Stat { ino: 0, size, uid, mtime, ctime, ..stat })
        }
        Ret::Names(names) => {
            let nameless = names.iter().map(|it| DirEntry { ino: 0, ..it.clone() });
            Ret::Names(nameless.collect::<Arc<[_]>>())
        }
        // Compared by `Starts`.
        Ret::ProcStat(stat) => Ret::ProcStat(ProcStat { start_ticks: 0, ..stat }),
        Ret::Namespace(_) => Ret::Namespace(0),
        Ret::BootId(_) => Ret::BootId(0),
        // Of a timer, whether anything was left.
        Ret::Time(time) => Ret::Time(time.min(Duration::from_nanos(1))),
        other => other,
    })
}
