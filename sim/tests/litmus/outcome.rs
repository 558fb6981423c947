//! What came of a run, in words that mean the same on both arms.

use std::fmt;

use locklab_sys::{FileKind, HeldLock, Pid, ProcState, Reply, Ret, Stat};

/// The replies of each process that raced, and of whoever looked afterwards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome(Vec<Told>);

/// What a process was told; nothing, if it was killed before the end.
type Told = Option<Vec<String>>;

impl Outcome {
    /// Inodes are numbered as they come up, processes from the first one's pid.
    pub fn new<'r>(first: Pid, replies: impl IntoIterator<Item = Option<&'r [Reply]>>) -> Self {
        let mut inodes = Vec::new();
        let mut told = |replies: &[Reply]| {
            replies.iter().map(|reply| word(reply, first, &mut inodes)).collect()
        };
        Self(replies.into_iter().map(|replies| replies.map(&mut told)).collect())
    }

    /// Whether all is as in the other, or may be instead of it: what which process
    /// was told of which of its calls.
    pub fn is_like(
        &self,
        other: &Self,
        may_be: impl Fn((usize, usize), &str, &str) -> bool,
    ) -> bool {
        let are_alike = |who, here: &[String], there: &[String]| {
            let mut pairs = here.iter().zip(there).enumerate();
            here.len() == there.len()
                && pairs
                    .all(|(nth, (here, there))| here == there || may_be((who, nth), here, there))
        };
        let mut pairs = self.0.iter().zip(&other.0).enumerate();
        pairs.all(|(who, pair)| match pair {
            (Some(here), Some(there)) => are_alike(who, here, there),
            (here, there) => here == there,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (look, racers) = self.0.split_last().expect("somebody looks in the end");
        for (name, told) in ('A'..).zip(racers) {
            let told = told.as_ref().map_or("killed".to_owned(), |words| words.join(", "));
            if !told.is_empty() {
                write!(f, "{name}: {told}; ")?;
            }
        }
        write!(f, "then: {}", look.as_deref().unwrap_or_default().join(", "))
    }
}

/// What is longer is not told in full.
const SHORT: usize = 16;

fn word(reply: &Reply, first: Pid, inodes: &mut Vec<u64>) -> String {
    let mut inode = |ino: u64| {
        let known = inodes.iter().position(|it| *it == ino);
        known.unwrap_or_else(|| {
            inodes.push(ino);
            inodes.len() - 1
        })
    };
    let process = |pid: Pid| match pid.0.checked_sub(first.0) {
        Some(number) => format!("process {number}"),
        None => format!("pid {pid}"),
    };
    match reply {
        Ok(Ret::Bytes(bytes)) => content(bytes),
        Ok(Ret::Stat(Stat { ino, kind, nlink, size, .. })) => match kind {
            // A directory's size is its file system's affair.
            FileKind::Directory => format!("directory {} with {nlink} links", inode(*ino)),
            _ => format!("inode {} with {nlink} links, {size} bytes", inode(*ino)),
        },
        Ok(Ret::Names(names)) => {
            let (short, long): (Vec<_>, Vec<_>) =
                names.iter().map(|it| it.name.as_str()).partition(|it| it.len() <= SHORT);
            let and_more =
                if long.is_empty() { String::new() } else { format!(" and {}", long.len()) };
            format!("[{}{and_more}]", short.join(" "))
        }
        Ok(Ret::ProcStat(stat)) => match stat.state {
            ProcState::Running => "runs".to_owned(),
            ProcState::Stopped => "stopped".to_owned(),
            ProcState::Zombie => "zombie".to_owned(),
        },
        Ok(Ret::Fd(fd)) => format!("fd {fd}"),
        Ok(Ret::Pid(pid)) => process(*pid),
        Ok(Ret::Lock(Some(HeldLock { lock, pid: Some(pid) }))) => {
            format!("{lock} of {}", process(*pid))
        }
        Ok(ret) => ret.to_string(),
        Err(errno) => errno.to_string(),
    }
}

/// Long contents as runs of one byte.
fn content(bytes: &[u8]) -> String {
    if bytes.len() <= SHORT {
        return format!("{:?}", String::from_utf8_lossy(bytes));
    }
    let runs = bytes.chunk_by(|a, b| a == b).map(|run| format!("{}×{}", run.len(), run[0]));
    runs.collect::<Vec<_>>().join("+")
}
