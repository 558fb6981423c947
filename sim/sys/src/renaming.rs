use std::sync::Arc;

use crate::{Call, Pid, ProcStat, Reply, Ret, SmolStr};

/// What becomes of what a file says.
pub type Text<'a> = dyn Fn(&[u8]) -> Option<Arc<[u8]>> + 'a;

/// Shows one of several renamings, by its number, to somebody.
pub type Renamings<'a> = dyn FnMut(usize, &mut dyn FnMut(&Renaming<'_>)) + 'a;

/// What a task would have seen, had processes that are alike changed places.
///
/// Nothing here is for programs that see processes in other ways than by pids: of such
/// a call nothing is said.
#[derive(Clone, Copy)]
pub struct Renaming<'a> {
    /// Which of all changes of places it is: 0 is none. They must be few.
    pub number: usize,
    /// How many there are.
    pub count: usize,
    /// Who has the pid then.
    pub pid: &'a dyn Fn(Pid) -> Pid,
    /// What a file would say: nothing if that cannot be told.
    pub text: &'a Text<'a>,
    /// What a file would be called, or its path be: nothing if it is called the same.
    pub name: &'a dyn Fn(&str) -> Option<SmolStr>,
}

impl Renaming<'_> {
    /// The call that would have been made; nothing of one that sees processes otherwise.
    pub(crate) fn call(&self, call: &Call) -> Option<Call> {
        let mut call = call.clone();
        match &mut call {
            Call::Write { data, .. } => *data = (self.text)(data)?,
            Call::ProcStat { pid } | Call::Kill { pid, .. } => *pid = (self.pid)(*pid),
            Call::Open { path, .. }
            | Call::Stat { path }
            | Call::Readlink { path }
            | Call::Lstat { path }
            | Call::Unlink { path }
            | Call::Mkdir { path, .. }
            | Call::Rmdir { path } => self.rename(path),
            Call::Symlink { target, path } => {
                *target = self.target(target)?;
                self.rename(path);
            }
            Call::Rename { old, new } | Call::Link { old, new } => {
                self.rename(old);
                self.rename(new);
            }
            Call::Read { .. }
            | Call::Close { .. }
            | Call::Fstat { .. }
            | Call::Fsync { .. }
            | Call::Flock { .. }
            | Call::Readdir { .. }
            | Call::Getpid
            | Call::Getuid
            | Call::BootId
            | Call::PidNamespace
            | Call::Hostname
            | Call::ClockGettime { .. }
            | Call::Nanosleep { .. }
            | Call::CellRead { .. }
            | Call::CellWrite { .. }
            | Call::Exit { .. } => {}
            _ => return None,
        }
        Some(call)
    }

    fn rename(&self, path: &mut SmolStr) {
        if let Some(name) = (self.name)(path) {
            *path = name;
        }
    }

    fn target(&self, target: &SmolStr) -> Option<SmolStr> {
        let renamed = (self.text)(target.as_bytes())?;
        std::str::from_utf8(&renamed).ok().map(SmolStr::new)
    }

    /// The reply that would have been given.
    pub(crate) fn reply(&self, call: &Call, reply: &Reply) -> Option<Reply> {
        self.call(call)?;
        Some(match reply {
            Ok(Ret::Pid(pid)) => Ok(Ret::Pid((self.pid)(*pid))),
            Ok(Ret::Bytes(bytes)) => Ok(Ret::Bytes((self.text)(bytes)?)),
            Ok(Ret::Names(found)) => {
                let mut found = found.to_vec();
                found.iter_mut().for_each(|entry| self.rename(&mut entry.name));
                found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
                Ok(Ret::Names(found.into()))
            }
            Ok(Ret::Path(target)) => Ok(Ret::Path(self.target(target)?)),
            Ok(Ret::ProcStat(stat)) => {
                Ok(Ret::ProcStat(ProcStat { ppid: (self.pid)(stat.ppid), ..*stat }))
            }
            other => other.clone(),
        })
    }
}
