//! What was seen: which call ended how, how often.

use std::collections::BTreeMap;
use std::fmt;

use locklab_sys::{Call, Reply};

/// Calls, each with its endings.
#[derive(Default)]
pub struct Counts(BTreeMap<String, BTreeMap<String, u64>>);

impl Counts {
    /// A call has returned.
    pub fn count(&mut self, call: &Call, reply: &Reply) {
        let ending = match reply {
            Ok(_) => "ok".to_owned(),
            Err(errno) => errno.to_string(),
        };
        self.add(call, ending);
    }

    /// A call waits.
    pub fn count_wait(&mut self, call: &Call) {
        self.add(call, "waits".to_owned());
    }

    /// A call has ended who made it.
    pub fn count_end(&mut self, call: &Call) {
        self.add(call, "ends".to_owned());
    }

    fn add(&mut self, call: &Call, ending: String) {
        // One name may be two calls, in words.
        let name = match call {
            Call::ProcStat { .. } => "stat-of-pid".to_owned(),
            Call::ProcStatus { .. } => "status-of-pid".to_owned(),
            Call::WaitAny => "wait-any".to_owned(),
            Call::TryWait { child: None } => "wait-any-nohang".to_owned(),
            Call::TryWait { .. } => "wait-nohang".to_owned(),
            Call::ThreadExit { .. } => "thread-exit".to_owned(),
            Call::SetCloseOnExec { .. } => "set-close-on-exec".to_owned(),
            Call::GetCloseOnExec { .. } => "close-on-exec".to_owned(),
            Call::FutexWait { .. } => "futex-wait".to_owned(),
            Call::FutexWake { .. } => "futex-wake".to_owned(),
            Call::Fcntl { command, .. } => command.to_string(),
            _ => call.to_string().split(' ').next().unwrap_or_default().to_owned(),
        };
        *self.0.entry(name).or_default().entry(ending).or_default() += 1;
    }

    /// Fewer than so many of what a lock meets would mean that the programs are
    /// too tame.
    pub fn must_reach_floors(&self, has_users: bool) {
        let of_users = if has_users { FLOORS_OF_USERS } else { &[] };
        self.must_reach(FLOORS, FLOOR);
        self.must_reach(of_users, FLOOR);
    }

    /// On a disk that is soon full, it was.
    pub fn must_have_been_full(&self) {
        self.must_reach(FULL, FLOOR_OF_FULL);
    }

    fn must_reach(&self, floors: &[(&str, &[&str])], floor: u64) {
        for (call, endings) in floors {
            for ending in *endings {
                let seen = self.0.get(*call).and_then(|it| it.get(*ending)).copied();
                let seen = seen.unwrap_or_default();
                assert!(seen >= floor, "{call}: {ending} was seen only {seen} times");
            }
        }
    }
}

/// So often in [`CASES`](crate::trial::CASES) programs.
const FLOOR: u64 = 3;

/// A disk that is soon full has a fifth of them.
const FLOOR_OF_FULL: u64 = 1;

/// Calls for which there may be no room.
const FULL: &[(&str, &[&str])] = &[
    ("open", &["ENOSPC"]),
    ("write", &["ENOSPC"]),
    ("link", &["ENOSPC"]),
    ("mkdir", &["ENOSPC"]),
    ("symlink", &["ENOSPC"]),
    ("linkat", &["ENOSPC"]),
    ("bind", &["ENOSPC"]),
];

/// What locks meet.
const FLOORS: &[(&str, &[&str])] = &[
    ("open", &["ok", "ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "ENXIO", "EINVAL", "ELOOP"]),
    ("read", &["ok", "EBADF", "EISDIR", "EINVAL"]),
    ("write", &["ok", "EBADF"]),
    ("close", &["ok", "EBADF"]),
    ("stat", &["ok", "ENOENT", "ENOTDIR", "ELOOP"]),
    ("lstat", &["ok", "ENOENT", "ENOTDIR", "ELOOP"]),
    ("fstat", &["ok", "EBADF"]),
    ("fsync", &["ok", "EBADF", "EINVAL"]),
    ("link", &["ok", "ENOENT", "EEXIST", "EPERM"]),
    ("linkat", &["ok", "ENOENT", "EEXIST", "EPERM", "EXDEV"]),
    ("symlink", &["ok", "ENOENT", "EEXIST", "ENAMETOOLONG"]),
    ("readlink", &["ok", "ENOENT", "EINVAL"]),
    ("rename", &["ok", "ENOENT", "EISDIR", "ENOTDIR", "ENOTEMPTY", "EINVAL", "EBUSY"]),
    ("renameat2", &["ok", "ENOENT", "EEXIST", "ENOTDIR", "EINVAL", "EBUSY"]),
    ("unlink", &["ok", "ENOENT", "EISDIR"]),
    ("mkdir", &["ok", "ENOENT", "EEXIST"]),
    ("rmdir", &["ok", "ENOENT", "ENOTDIR", "ENOTEMPTY", "EBUSY"]),
    ("utimensat", &["ok", "ENOENT", "ENOTDIR", "ELOOP"]),
    ("futimens", &["ok", "EBADF", "EOPNOTSUPP"]),
    ("readdir", &["ok", "ENOTDIR", "ENOENT", "EBADF"]),
    ("flock", &["ok", "EAGAIN", "EBADF", "EINTR", "waits"]),
    ("F_SETLK", &["ok", "EAGAIN", "EBADF", "EINVAL", "EOVERFLOW"]),
    ("F_SETLKW", &["ok", "EDEADLK", "EBADF", "EINVAL", "EINTR", "waits"]),
    ("F_GETLK", &["ok", "EBADF", "EINVAL"]),
    ("F_OFD_SETLK", &["ok", "EAGAIN", "EBADF"]),
    ("F_OFD_SETLKW", &["ok", "EBADF", "EINTR", "waits"]),
    ("F_OFD_GETLK", &["ok", "EBADF", "EOVERFLOW"]),
    ("dup", &["ok", "EBADF"]),
    ("sigaction", &["ok", "EINVAL"]),
    ("setitimer", &["ok"]),
    ("stat-of-pid", &["ok", "ENOENT"]),
    ("status-of-pid", &["ok", "ENOENT"]),
    ("kill", &["ok", "ESRCH"]),
    ("spawn", &["ok", "EBADF"]),
    ("wait", &["ok", "ECHILD", "EINTR", "waits"]),
    ("pidfd_open", &["ok", "ESRCH", "ENOENT"]),
    ("pidfd_send_signal", &["ok", "ESRCH", "EBADF"]),
    ("poll", &["ok", "EBADF", "EINTR", "waits"]),
    ("sleep", &["waits"]),
    ("fork", &["ok"]),
    ("exec", &["ok"]),
    ("close-on-exec", &["ok", "EBADF"]),
    ("set-close-on-exec", &["ok", "EBADF"]),
    ("wait-any", &["ok", "ECHILD", "waits"]),
    ("wait-any-nohang", &["ok", "ECHILD"]),
    ("wait-nohang", &["ok", "ECHILD"]),
    ("thread", &["ok"]),
    ("thread-exit", &["ends"]),
    ("join", &["ok", "EDEADLK", "waits"]),
    ("futex-wait", &["EAGAIN", "ETIMEDOUT", "waits"]),
    ("futex-wake", &["ok"]),
    ("bind", &["ok", "EADDRINUSE", "EINVAL", "ENOTSOCK", "EBADF"]),
    ("listen", &["ok", "EINVAL", "ENOTSOCK", "EBADF"]),
    ("connect", &["ok", "ECONNREFUSED", "ENOENT", "EISCONN", "EINTR", "waits"]),
    ("accept", &["ok", "EINVAL", "EINTR", "waits"]),
    ("send", &["ok", "ENOTCONN", "EPIPE"]),
    ("recv", &["ok", "EINVAL", "ECONNRESET", "EINTR", "waits"]),
];

/// What they meet where there are several users, and containers.
const FLOORS_OF_USERS: &[(&str, &[&str])] = &[
    ("open", &["EACCES"]),
    ("stat", &["EACCES"]),
    ("link", &["EACCES"]),
    ("rename", &["EACCES", "EPERM"]),
    ("renameat2", &["EACCES", "EPERM"]),
    ("symlink", &["EACCES"]),
    ("utimensat", &["EACCES", "EPERM"]),
    ("futimens", &["EACCES"]),
    ("unlink", &["EACCES", "EPERM"]),
    ("mkdir", &["EACCES"]),
    ("rmdir", &["EACCES", "EPERM"]),
    ("chmod", &["ok", "EPERM", "EACCES", "ENOENT"]),
    ("fchmod", &["ok", "EPERM", "EBADF", "EOPNOTSUPP"]),
    ("chown", &["ok", "EPERM", "EACCES", "ENOENT"]),
    ("setuid", &["ok", "EPERM"]),
    ("getuid", &["ok"]),
    ("kill", &["EPERM"]),
    ("pidfd_send_signal", &["EPERM"]),
    ("bind", &["EACCES"]),
    ("connect", &["EACCES"]),
    ("getsockopt", &["ok"]),
    ("readlink", &["ok"]),
    ("gethostname", &["ok"]),
];

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (call, endings) in &self.0 {
            let endings: Vec<String> =
                endings.iter().map(|(ending, times)| format!("{ending} {times}")).collect();
            writeln!(f, "  {call:18} {}", endings.join(", "))?;
        }
        Ok(())
    }
}
