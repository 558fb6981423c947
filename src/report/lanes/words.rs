use std::time::Duration;

use locklab_sim::TracedOutcome;
use locklab_sys::{
    Call, Clock, Direction, FlockOp, LockCommand, LockKind, Mode, OpenFlags, ProcState, RecordLock,
    RenameFlag, Ret, Shutdown, Signal, Stat,
};

use super::paths::Paths;
use crate::report::text::{seconds, shorten};

/// How much of what is written and read is shown: the first field of a record.
const CONTENT_WIDTH: usize = 10;

/// How much of a request or an answer is shown.
const LINE_WIDTH: usize = 30;

/// A call and its reply in few words; nothing where a sleep ends, which the
/// column of time shows, or where a time-out is set, which a wait shows.
pub(super) fn call_and_reply(
    process: &str,
    call: &Call,
    outcome: Option<&TracedOutcome>,
    paths: &Paths,
) -> Option<String> {
    let call_words = call_words(process, call, paths);
    let reply = match outcome {
        None | Some(TracedOutcome::Ended) => return Some(call_words),
        Some(TracedOutcome::Waits) => match call {
            Call::Nanosleep { .. } => return Some(call_words),
            _ => {
                let limit = limit(process, call, paths);
                let limit = limit.map(|limit| format!(" ≤ {}", seconds(limit))).unwrap_or_default();
                return Some(format!("{call_words}{limit} … waits"));
            }
        },
        Some(TracedOutcome::Failed(errno)) => errno.to_string(),
        Some(TracedOutcome::Returned(ret)) => match (call, ret) {
            (Call::Nanosleep { .. }, _) => return None,
            (Call::Write { data, .. } | Call::Send { data, .. }, Ret::Len(len))
                if data.len() == *len as usize =>
            {
                String::new()
            }
            // A wait says how long it is at most.
            (Call::SetTimeout { .. }, _) => return None,
            (Call::Close { .. } | Call::CellWrite { .. }, _) => String::new(),
            (Call::Getppid, Ret::Pid(pid)) => return Some(format!("parent {pid}")),
            (call, Ret::Unit | Ret::Fd(_)) if succeeds_silently(call) => String::new(),
            (Call::Recv { .. }, Ret::Bytes(bytes)) if !bytes.is_empty() => line(bytes),
            (Call::Recv { .. }, _) => "end".to_owned(),
            _ => reply_words(ret),
        },
    };
    Some(if reply.is_empty() { call_words } else { format!("{call_words} → {reply}") })
}

fn call_words(process: &str, call: &Call, paths: &Paths) -> String {
    let on = |verb: &str, path: &str| join(verb, paths.short(path));
    let through = |verb: &str, fd| join(verb, paths.of_descriptor(process, fd));
    match call {
        Call::Open { path, flags, mode } => {
            let open = join(&on("open", path), flag_words(*flags));
            if *mode == Mode::FILE { open } else { format!("{open} {mode}") }
        }
        Call::Read { fd, .. } => through("read", *fd),
        Call::Write { fd, data } => join(&through("write", *fd), &content(data)),
        Call::Close { fd } => through("close", *fd),
        Call::Stat { path } => on("stat", path),
        Call::Lstat { path } => on("lstat", path),
        Call::Fstat { fd } => through("fstat", *fd),
        Call::Link { old, new } => format!("{} to {}", on("link", old), file_name(new)),
        Call::LinkFd { fd, new } => format!("{} to {}", through("link", *fd), file_name(new)),
        Call::Symlink { target, path } => join(&on("symlink", path), &content(target.as_bytes())),
        Call::Readlink { path } => on("readlink", path),
        Call::Rename { old, new } => format!("{} to {}", on("rename", old), file_name(new)),
        Call::Renameat2 { old, new, flag: RenameFlag::NoReplace } => {
            format!("{} to free {}", on("rename", old), file_name(new))
        }
        Call::Renameat2 { old, new, flag: RenameFlag::Exchange } => {
            format!("{} with {}", on("exchange", old), file_name(new))
        }
        Call::Unlink { path } => on("unlink", path),
        Call::Funlinkat { path, .. } => on("funlinkat", path),
        Call::Utimensat { path, .. } => on("utimensat", path),
        Call::Futimens { fd, .. } => through("futimens", *fd),
        Call::Mkdir { path, mode: Mode::DIRECTORY } => on("mkdir", path),
        Call::Mkdir { path, mode } => format!("{} {mode}", on("mkdir", path)),
        Call::Chmod { path, mode } => format!("{} {mode}", on("chmod", path)),
        Call::Fchmod { fd, mode } => format!("{} {mode}", through("chmod", *fd)),
        Call::Chown { path, uid } => format!("{} {uid}", on("chown", path)),
        Call::Rmdir { path } => on("rmdir", path),
        Call::Readdir { fd } => through("readdir", *fd),
        Call::Flock { fd, op } => join(&through("flock", *fd), flock_words(*op)),
        Call::Fcntl { fd, command, lock } => {
            join(&through(lock_command_words(*command), *fd), &record_lock_words(*lock))
        }
        Call::Dup { fd } => through("dup", *fd),
        Call::ProcStat { pid } => format!("/proc/{pid}/stat"),
        Call::ProcStatus { pid } => format!("/proc/{pid}/status"),
        Call::Kill { pid, signal: Signal::Probe } => format!("kill {pid}, 0"),
        Call::Setitimer { after } => format!("setitimer {}", seconds(*after)),
        Call::Nanosleep { duration } => format!("sleep {}", seconds(*duration)),
        Call::ClockGettime { clock } => format!("clock {}", clock_words(*clock)),
        Call::PidfdOpen { pid } => format!("pidfd of {pid}"),
        Call::PidfdSendSignal { signal, .. } => format!("pidfd: {signal}"),
        Call::ParentDeathSignal { signal } => format!("PDEATHSIG {signal}"),
        Call::Poll { .. } => "poll".to_owned(),
        Call::Bind { path, .. } => on("bind", path),
        Call::Listen { .. } => "listen".to_owned(),
        Call::Connect { path, .. } => on("connect", path),
        Call::Accept { .. } => "accept".to_owned(),
        Call::Send { data, .. } => join("send", &line(data)),
        Call::Recv { .. } => "recv".to_owned(),
        Call::Shutdown { how, .. } => join("shutdown", shutdown_words(*how)),
        Call::SetTimeout { .. } => "setsockopt".to_owned(),
        Call::PeerCred { .. } => "SO_PEERCRED".to_owned(),
        Call::CellRead { cell } => paths.without_claim(cell).to_owned(),
        Call::CellWrite { cell, value } => format!("{} := {value}", paths.without_claim(cell)),
        Call::CellSwap { cell, expected, new } => {
            format!("{} := {new} if {expected}", paths.without_claim(cell))
        }
        Call::FutexWait { cell, expected, .. } => {
            format!("wait while {} = {expected}", paths.without_claim(cell))
        }
        Call::FutexWake { cell, count } => format!("wake {count} of {}", paths.without_claim(cell)),
        _ => call.to_string(),
    }
}

/// How long a call waits at most, if it does.
fn limit(process: &str, call: &Call, paths: &Paths) -> Option<Duration> {
    match call {
        Call::Poll { timeout, .. } | Call::FutexWait { timeout, .. } => *timeout,
        Call::Recv { fd, .. } | Call::Accept { fd } => {
            paths.limit(process, *fd, Direction::Receive)
        }
        Call::Send { fd, .. } | Call::Connect { fd, .. } => {
            paths.limit(process, *fd, Direction::Send)
        }
        _ => None,
    }
}

/// Whether the success of a call goes without saying: the next one shows it.
fn succeeds_silently(call: &Call) -> bool {
    use Call::{
        Accept, Bind, Connect, Listen, ParentDeathSignal, PidfdOpen, PidfdSendSignal, Socket,
    };
    matches!(
        call,
        Socket
            | Bind { .. }
            | Listen { .. }
            | Connect { .. }
            | Accept { .. }
            | PidfdOpen { .. }
            | PidfdSendSignal { .. }
            | ParentDeathSignal { .. }
    )
}

fn join(words: &str, rest: &str) -> String {
    if rest.is_empty() { words.to_owned() } else { format!("{words} {rest}") }
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn flag_words(flags: OpenFlags) -> &'static str {
    let has = |flag| flags.contains(flag);
    match (has(OpenFlags::CREAT), has(OpenFlags::EXCL), has(OpenFlags::TRUNC)) {
        (true, true, _) => "+EXCL",
        (true, false, _) => "+CREAT",
        (false, _, true) => "+TRUNC",
        (false, _, false) => "",
    }
}

fn flock_words(op: FlockOp) -> &'static str {
    match op {
        FlockOp::Shared => "SH",
        FlockOp::Exclusive => "EX",
        FlockOp::TryShared => "SH|NB",
        FlockOp::TryExclusive => "EX|NB",
        FlockOp::Unlock => "UN",
    }
}

fn lock_command_words(command: LockCommand) -> &'static str {
    match command {
        LockCommand::Set => "setlk",
        LockCommand::SetWait => "setlkw",
        LockCommand::Get => "getlk",
        LockCommand::OfdSet => "ofd_setlk",
        LockCommand::OfdSetWait => "ofd_setlkw",
        LockCommand::OfdGet => "ofd_getlk",
    }
}

/// The range goes without saying where it is the whole file.
fn record_lock_words(RecordLock { kind, start, len }: RecordLock) -> String {
    let kind = match kind {
        LockKind::Read => "RD",
        LockKind::Write => "WR",
        LockKind::Unlock => "UN",
    };
    match (start, len) {
        (0, 0) => kind.to_owned(),
        _ => format!("{kind} {start}+{len}"),
    }
}

fn shutdown_words(how: Shutdown) -> &'static str {
    match how {
        Shutdown::Read => "RD",
        Shutdown::Write => "WR",
        Shutdown::Both => "RDWR",
    }
}

fn clock_words(clock: Clock) -> &'static str {
    match clock {
        Clock::Realtime => "realtime",
        Clock::Monotonic => "monotonic",
        Clock::Boottime => "boottime",
    }
}

fn reply_words(ret: &Ret) -> String {
    match ret {
        Ret::Fd(_) => "ok".to_owned(),
        Ret::Pid(pid) => pid.to_string(),
        Ret::Bytes(bytes) if bytes.is_empty() => "empty".to_owned(),
        Ret::Bytes(bytes) => content(bytes),
        Ret::Path(target) => content(target.as_bytes()),
        Ret::Stat(Stat { ino, .. }) => format!("inode {ino}"),
        Ret::ProcStat(stat) => {
            format!("{}, start {}", state_words(stat.state), stat.start_ticks)
        }
        Ret::ProcStatus(status) => {
            format!("{}, process {}", state_words(status.state), status.tgid)
        }
        Ret::Ready(fds) if !fds.is_empty() => "ready".to_owned(),
        // Of an owner's entry only whose it is.
        Ret::Names(entries) if entries.iter().any(|entry| entry.name.contains('=')) => {
            let short = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
            let names: Vec<String> = entries.iter().map(|entry| short(&entry.name)).collect();
            names.join(" ")
        }
        // A reading of the realtime clock is long, and the note that follows
        // says what became of it.
        Ret::Time(_) => String::new(),
        _ => ret.to_string(),
    }
}

fn state_words(state: ProcState) -> &'static str {
    match state {
        ProcState::Running => "alive",
        ProcState::Stopped => "stopped",
        ProcState::Zombie => "zombie",
    }
}

/// What goes over a socket.
fn line(bytes: &[u8]) -> String {
    shown(bytes, LINE_WIDTH)
}

fn content(bytes: &[u8]) -> String {
    shown(bytes, CONTENT_WIDTH)
}

fn shown(bytes: &[u8], width: usize) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.trim_end().contains(char::is_control) => {
            format!("{:?}", shorten(text.trim_end(), width))
        }
        _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
