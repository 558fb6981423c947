use std::time::Duration;

use locklab_sim::kernel::TaskId;
use locklab_sys::{Call, FileKind, Pid, ProcStatus, Reply, Ret, SmolStr, Stat, Uid};

use super::own::Own;

/// So much is no haste: the file has another age.
const ANOTHER_AGE: Duration = Duration::from_secs(1);

/// What was seen on both machines, and by it what is the same.
pub(super) struct Agreement {
    /// The limits that rules and programs hold ages against.
    limits: Vec<Duration>,
    /// Whether the machine has users: else everybody is one.
    has_users: bool,
    own: Own,
    /// Which inode here is which there.
    inodes: Vec<Inode>,
    /// The last look of each task at a file.
    looks: Vec<Look>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Inode {
    space: Space,
    numbers: [u64; 2],
}

/// Sockets and processes have numbers of their own; a socket's name has one of its
/// file system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Files,
    Sockets,
    Processes,
    Namespaces,
}

/// A task was told the modification time of a file.
struct Look {
    task: TaskId,
    /// Virtual time.
    at: Duration,
    /// Here and there.
    mtimes: [Duration; 2],
}

impl Look {
    /// How old the file is by clocks here and there.
    fn ages(&self, clocks: [Duration; 2]) -> [Duration; 2] {
        [0, 1].map(|side| clocks[side].saturating_sub(self.mtimes[side]))
    }
}

/// Whether a process with a pid that is used again can be told from the last one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// As it is here.
    AsHere,
    /// Not yet: the clock has not ticked.
    TooEarly,
    /// It can, and here it cannot: the clock has ticked.
    TooLate,
}

/// How far an age is from what it is here.
pub(super) enum Drift {
    /// No rule can tell.
    Small,
    /// The machine was too busy: it is past a limit on one side alone.
    Busy(Duration),
    /// It is another age.
    Other([Duration; 2]),
}

/// Of ticks that are the same as those of the last one, here and there.
fn apart(repeats: Option<[bool; 2]>) -> Apart {
    match repeats {
        None | Some([true, true] | [false, false]) => Apart::AsHere,
        Some([false, true]) => Apart::TooEarly,
        Some([true, false]) => Apart::TooLate,
    }
}

impl Agreement {
    /// Nothing was seen yet.
    pub(super) fn new(limits: &[Duration], has_users: bool) -> Self {
        Self {
            limits: limits.to_vec(),
            has_users,
            own: Own::default(),
            inodes: Vec::new(),
            looks: Vec::new(),
        }
    }

    /// A process was started.
    pub(super) fn learn_start(&mut self, pid: Pid, ticks: [u64; 2]) {
        self.own.learn_start(pid, ticks);
    }

    /// A process was started in a container.
    pub(super) fn learn_inner_start(&mut self, container: &SmolStr, pid: Pid, ticks: [u64; 2]) {
        self.own.learn_inner_start(container, pid, ticks);
    }

    /// Whether its start would tell a process from the last one with its pid.
    pub(super) fn start_tells_apart(&self, pid: Pid, ticks: [u64; 2]) -> Apart {
        apart(self.own.repeats_start(pid, ticks))
    }

    /// The same of its pid in a container.
    pub(super) fn inner_start_tells_apart(
        &self,
        container: &SmolStr,
        pid: Pid,
        ticks: [u64; 2],
    ) -> Apart {
        apart(self.own.repeats_inner_start(container, pid, ticks))
    }

    /// Whether a call is the same on both.
    pub(super) fn is_same_call(&mut self, here: &Call, there: &Call) -> bool {
        match (here, there) {
            (Call::Write { fd: a, data: here }, Call::Write { fd: b, data: there })
            | (Call::Send { fd: a, data: here }, Call::Send { fd: b, data: there }) => {
                a == b && self.own.is_same_text(here, there)
            }
            // A claim may be a link that says whose it is by where it leads to.
            (Call::Symlink { target: here, path: a }, Call::Symlink { target: there, path: b }) => {
                a == b && self.own.is_same_text(here.as_bytes(), there.as_bytes())
            }
            // Or have an entry that is named after whose it is.
            (
                Call::Open { path: here, flags, mode },
                Call::Open { path: there, flags: flags_there, mode: mode_there },
            ) => (flags, mode) == (flags_there, mode_there) && self.is_same_name(here, there),
            (Call::Unlink { path: here }, Call::Unlink { path: there })
            | (Call::Stat { path: here }, Call::Stat { path: there })
            | (Call::Lstat { path: here }, Call::Lstat { path: there }) => {
                self.is_same_name(here, there)
            }
            // What a child is told may be what its parent knows.
            (Call::Spawn { image: a, keep: here }, Call::Spawn { image: b, keep: there }) => {
                a.name() == b.name() && here == there
            }
            (Call::Fork { image: a }, Call::Fork { image: b }) => a.name() == b.name(),
            _ => here == there,
        }
    }

    /// Whether a call, which is the same on both, has the same reply.
    pub(super) fn is_same_reply(&mut self, call: &Call, here: &Reply, there: &Reply) -> bool {
        let (Ok(here), Ok(there)) = (here, there) else { return here == there };
        match (call, here, there) {
            (Call::Getrandom { .. }, Ret::Bytes(here), Ret::Bytes(there)) => {
                self.own.are_random(here, there)
            }
            (_, Ret::Bytes(here), Ret::Bytes(there)) => self.own.is_same_text(here, there),
            (_, Ret::Path(here), Ret::Path(there)) => {
                self.own.is_same_text(here.as_bytes(), there.as_bytes())
            }
            (_, Ret::Len(here), Ret::Len(there)) => self.own.is_same_length(*here, *there),
            (_, Ret::Stat(here), Ret::Stat(there)) => self.is_same_stat(call, here, there),
            (_, Ret::Names(here), Ret::Names(there)) => {
                let pairs = here.iter().zip(there.iter());
                here.len() == there.len()
                    && pairs.fold(true, |same, (here, there)| {
                        let inode = Inode { space: Space::Files, numbers: [here.ino, there.ino] };
                        self.is_same_inode(inode)
                            && self.is_same_name(&here.name, &there.name)
                            && same
                    })
            }
            (Call::ProcStat { pid }, Ret::ProcStat(here), Ret::ProcStat(there)) => {
                let ticks = [here.start_ticks, there.start_ticks];
                (here.state, here.ppid) == (there.state, there.ppid)
                    && self.own.is_start(*pid, ticks)
            }
            (_, Ret::ProcStatus(here), Ret::ProcStatus(there)) => {
                let uid = here.uid;
                *here == ProcStatus { uid, ..there.clone() } && self.is_same_user(uid, there.uid)
            }
            (_, Ret::BootId(here), Ret::BootId(there)) => self.own.is_boot_id([*here, *there]),
            (_, Ret::Namespace(here), Ret::Namespace(there)) => {
                let numbers = [*here, *there];
                self.own.learn_number(numbers);
                self.is_same_inode(Inode { space: Space::Namespaces, numbers })
            }
            (_, Ret::Uid(here), Ret::Uid(there)) => self.is_same_user(*here, *there),
            (_, Ret::PeerCred(here), Ret::PeerCred(there)) => {
                here.pid == there.pid && self.is_same_user(here.uid, there.uid)
            }
            (Call::ClockGettime { .. }, Ret::Time(_), Ret::Time(_)) => true,
            _ => here == there,
        }
    }

    /// Of a file, or the path of one.
    fn is_same_name(&mut self, here: &str, there: &str) -> bool {
        here == there || self.own.is_same_text(here.as_bytes(), there.as_bytes())
    }

    fn is_same_stat(&mut self, call: &Call, here: &Stat, there: &Stat) -> bool {
        let space = match here.kind {
            FileKind::Process => Space::Processes,
            FileKind::Socket if matches!(call, Call::Fstat { .. }) => Space::Sockets,
            _ => Space::Files,
        };
        // A directory's size is its file system's affair.
        let same_size =
            here.kind == FileKind::Directory || self.own.is_same_length(here.size, there.size);
        // Times are looked at when an age can be told.
        let Stat { ino, kind, nlink, size: _, mtime: _, ctime: _, uid, mode } = *there;
        self.is_same_inode(Inode { space, numbers: [here.ino, ino] })
            && same_size
            && self.is_same_user(here.uid, uid)
            && (kind, nlink, mode) == (here.kind, here.nlink, here.mode)
    }

    fn is_same_user(&self, here: Uid, there: Uid) -> bool {
        here == there || !self.has_users
    }

    fn is_same_inode(&mut self, inode: Inode) -> bool {
        let of_either = |it: &&Inode| {
            let [here, there] = it.numbers;
            it.space == inode.space && (here == inode.numbers[0] || there == inode.numbers[1])
        };
        match self.inodes.iter().find(of_either) {
            Some(known) => *known == inode,
            None => {
                if inode.space == Space::Processes {
                    self.own.learn_number(inode.numbers);
                }
                self.inodes.push(inode);
                true
            }
        }
    }

    /// These files' numbers alone are still in use here: others may come to mean
    /// something else, on either side.
    pub(super) fn keep(&mut self, in_use: &[u64]) {
        let is_in_use = |it: &Inode| it.space != Space::Files || in_use.contains(&it.numbers[0]);
        self.inodes.retain(is_in_use);
    }

    /// How much virtual time has passed since a task's last look at a file. What it
    /// was told then nobody can set back: the clock must be told later by as much.
    pub(super) fn since_look(&self, task: TaskId, at: Duration) -> Duration {
        let look = self.looks.iter().find(|look| look.task == task);
        look.map_or(Duration::ZERO, |look| at - look.at)
    }

    /// How far the age that a task can compute after this reply is from the one
    /// that it is here.
    pub(super) fn drift(
        &mut self,
        task: TaskId,
        at: Duration,
        here: &Reply,
        there: &Reply,
    ) -> Drift {
        match (here, there) {
            (Ok(Ret::Stat(here)), Ok(Ret::Stat(there))) => {
                self.looks.retain(|look| look.task != task);
                self.looks.push(Look { task, at, mtimes: [here.mtime, there.mtime] });
                Drift::Small
            }
            (Ok(Ret::Time(here)), Ok(Ret::Time(there))) => {
                let look = self.looks.iter().find(|look| look.task == task);
                look.map_or(Drift::Small, |look| self.between_ages(look.ages([*here, *there])))
            }
            _ => Drift::Small,
        }
    }

    fn between_ages(&self, ages: [Duration; 2]) -> Drift {
        let [here, there] = ages;
        let drift = here.abs_diff(there);
        let is_past = |age: Duration| self.limits.iter().map(move |limit| age > *limit);
        if drift >= ANOTHER_AGE {
            Drift::Other(ages)
        } else if is_past(here).eq(is_past(there)) {
            Drift::Small
        } else {
            Drift::Busy(drift)
        }
    }

    /// A call as it can be shown, without what a machine made up.
    pub(super) fn call_words(&self, call: &Call) -> String {
        self.own.common(&call.to_string())
    }

    /// What Linux said, without what it made up.
    pub(super) fn reply_words(&self, call: &Call, here: &Reply, there: &Reply) -> String {
        let ret = match there {
            Ok(ret) => ret,
            Err(errno) => return errno.to_string(),
        };
        match ret {
            Ret::Fd(fd) => format!("fd {fd}"),
            Ret::Len(_) if is_all(call, here) => "all of it".to_owned(),
            Ret::Bytes(_) if matches!(call, Call::Getrandom { .. }) => "random bytes".to_owned(),
            Ret::Stat(stat) => self.inode_words(stat),
            Ret::ProcStat(stat) => format!("{:?}, parent {}", stat.state, stat.ppid).to_lowercase(),
            Ret::BootId(_) => "its boot id".to_owned(),
            Ret::Namespace(_) => "its number".to_owned(),
            Ret::Time(_) => "its time".to_owned(),
            _ => self.own.common(&ret.to_string()),
        }
    }

    /// Inodes are numbered here, as the simulation numbers them.
    fn inode_words(&self, there: &Stat) -> String {
        let known = self.inodes.iter().find(|it| it.numbers[1] == there.ino);
        let names = if there.nlink == 1 { "name" } else { "names" };
        let number = known.map_or(0, |it| it.numbers[0]);
        format!("inode {number}, {} {names}", there.nlink)
    }
}

/// Whether everything was written that was to be.
fn is_all(call: &Call, reply: &Reply) -> bool {
    match (call, reply) {
        (Call::Write { data, .. } | Call::Send { data, .. }, Ok(Ret::Len(len))) => {
            data.len() == *len as usize
        }
        _ => false,
    }
}
