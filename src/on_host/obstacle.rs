use std::fmt;
use std::time::Duration;

use locklab_sim::{Action, Choice, Fault, Mishap};
use locklab_sys::{Call, Clock, SmolStr};

/// Why a run cannot be forced upon a real Linux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A realtime clock is set: the real one is everybody's.
    ClockSet,
    /// A program measures by a clock that nobody can set: monotonic, boottime.
    Clock,
    /// A socket has a time-out, which would really have to be waited for.
    SocketTimeout,
    /// There is more than one machine.
    Machines,
    /// A new file has the number of one that is gone, and a rule takes it for that.
    InodeReuse,
    /// A container is started again, and a rule asks for its namespace's number.
    NamespaceReuse,
    /// This process stops itself.
    StopsItself(SmolStr),
    /// The program of this process aborts.
    Aborts(SmolStr),
    /// A pid is used again inside a container, whose pids nobody can set.
    ReuseInContainer,
    /// A process has several threads.
    Threads,
    /// A process runs another program.
    Exec,
    /// A program sets file times.
    FileTimes,
    /// A rule asks whether a file's time is the same.
    ComparedTimes,
    /// A call that Linux does not have.
    Funlinkat,
    /// A timer ends what is waited for.
    Alarm,
    /// A call on a file is made to fail.
    FailedIo,
    /// A machine sleeps or is paused.
    Rest,
    /// A machine boots anew, in good order or not.
    Boot,
    /// A disk has no more room.
    FullDisk,
    /// A process starts within the clock tick of the one before that had its pid.
    SameTick,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClockSet => {
                f.write_str("a realtime clock is set, and the real one is everybody's")
            }
            Self::Clock => f.write_str("a program asks a clock that nobody can set"),
            Self::SocketTimeout => {
                f.write_str("a socket has a time-out, which would have to be waited for")
            }
            Self::Machines => f.write_str("there is more than one machine"),
            Self::InodeReuse => f.write_str(
                "it rests on an inode number that is given again, which tmpfs never does",
            ),
            Self::NamespaceReuse => f.write_str(
                "it rests on the number of a namespace that is given again, which Linux may or may not do",
            ),
            Self::StopsItself(who) => write!(f, "{who} stops itself"),
            Self::Aborts(who) => write!(f, "the program of {who} aborts"),
            Self::ReuseInContainer => f.write_str("a pid is used again inside a container"),
            Self::Threads => f.write_str("a process has several threads"),
            Self::FileTimes => {
                f.write_str("a program sets file times, which are how ages are reached")
            }
            Self::ComparedTimes => {
                f.write_str("a rule compares file times, which are how ages are reached")
            }
            Self::Funlinkat => f.write_str("Linux has no funlinkat"),
            Self::Alarm => f.write_str("an alarm is set, which would have to be waited for"),
            Self::Exec => f.write_str("a process runs another program"),
            Self::FailedIo => f.write_str("a disk fails, and a real one does not when told to"),
            Self::Rest => f.write_str("a whole machine stands still"),
            Self::Boot => f.write_str("a machine boots anew"),
            Self::SameTick => {
                f.write_str("a process starts in the very tick of the one before that had its pid")
            }
            Self::FullDisk => f.write_str("a disk has an end, or is full"),
        }
    }
}

/// What stands in the way of a call.
pub(super) fn of_call(call: &Call) -> Option<Obstacle> {
    match call {
        Call::ClockGettime { clock: Clock::Monotonic | Clock::Boottime } => Some(Obstacle::Clock),
        Call::SetTimeout { timeout: Some(_), .. } => Some(Obstacle::SocketTimeout),
        Call::SpawnThread { .. }
        | Call::Gettid
        | Call::ThreadExit { .. }
        | Call::Join { .. }
        | Call::CellSwap { .. }
        | Call::FutexWait { .. }
        | Call::FutexWake { .. } => Some(Obstacle::Threads),
        Call::Exec { .. } => Some(Obstacle::Exec),
        Call::Utimensat { .. } | Call::Futimens { .. } => Some(Obstacle::FileTimes),
        Call::Funlinkat { .. } => Some(Obstacle::Funlinkat),
        Call::Sigaction { .. } | Call::Setitimer { .. } => Some(Obstacle::Alarm),
        Call::Open { .. }
        | Call::Read { .. }
        | Call::Write { .. }
        | Call::Close { .. }
        | Call::Stat { .. }
        | Call::Lstat { .. }
        | Call::Fstat { .. }
        | Call::Dup { .. }
        | Call::Fcntl { .. }
        | Call::Link { .. }
        | Call::LinkFd { .. }
        | Call::Symlink { .. }
        | Call::Readlink { .. }
        | Call::Renameat2 { .. }
        | Call::Rename { .. }
        | Call::Unlink { .. }
        | Call::Mkdir { .. }
        | Call::Rmdir { .. }
        | Call::Fsync { .. }
        | Call::Readdir { .. }
        | Call::Chmod { .. }
        | Call::Fchmod { .. }
        | Call::Chown { .. }
        | Call::Flock { .. }
        | Call::Getpid
        | Call::ProcStat { .. }
        | Call::ProcStatus { .. }
        | Call::Getuid
        | Call::Setuid { .. }
        | Call::BootId
        | Call::PidNamespace
        | Call::Hostname
        | Call::Kill { .. }
        | Call::ParentDeathSignal { .. }
        | Call::Spawn { .. }
        | Call::Fork { .. }
        | Call::SetCloseOnExec { .. }
        | Call::GetCloseOnExec { .. }
        | Call::WaitAny
        | Call::TryWait { .. }
        | Call::ChildSubreaper { .. }
        | Call::Exit { .. }
        | Call::Wait { .. }
        | Call::Getppid
        | Call::PidfdOpen { .. }
        | Call::PidfdSendSignal { .. }
        | Call::Poll { .. }
        | Call::Socket
        | Call::Bind { .. }
        | Call::Listen { .. }
        | Call::Connect { .. }
        | Call::Accept { .. }
        | Call::Send { .. }
        | Call::Recv { .. }
        | Call::Shutdown { .. }
        | Call::SetTimeout { timeout: None, .. }
        | Call::PeerCred { .. }
        | Call::ClockGettime { clock: Clock::Realtime }
        | Call::Nanosleep { .. }
        | Call::Getrandom { .. }
        | Call::CellRead { .. }
        | Call::CellWrite { .. } => None,
    }
}

/// What stands in the way of a move.
pub(super) fn of_choice(choice: Choice, story: &[Fault]) -> Option<Obstacle> {
    match choice {
        Choice::Fault(fault) => match story[fault].action {
            Action::FailIo(_) => Some(Obstacle::FailedIo),
            Action::Machine(mishap) => Some(of_mishap(mishap)),
            Action::KillAndRestart(Duration::ZERO) => Some(Obstacle::SameTick),
            Action::Stop(_)
            | Action::Starve(_)
            | Action::Kill
            | Action::KillAndReuse(_)
            | Action::KillAndRestart(_) => None,
        },
        Choice::FailIo(..) => Some(Obstacle::FailedIo),
        Choice::Mishap(_, mishap) => Some(of_mishap(mishap)),
        Choice::Wake(_) => Some(Obstacle::Rest),
        Choice::Drain(_) => Some(Obstacle::FullDisk),
        Choice::Step(_)
        | Choice::Jump
        | Choice::Launch(_)
        | Choice::Stop(_)
        | Choice::Continue(_)
        | Choice::Feed(_)
        | Choice::Kill(_)
        | Choice::Until(_)
        | Choice::Reuse(_)
        | Choice::Quiet => None,
    }
}

fn of_mishap(mishap: Mishap) -> Obstacle {
    match mishap {
        Mishap::Sleep(_) | Mishap::Pause(_) => Obstacle::Rest,
        Mishap::Reboot | Mishap::PowerLoss(_) => Obstacle::Boot,
        Mishap::ClockForward(_) | Mishap::ClockBack(_) => Obstacle::ClockSet,
        Mishap::FullDisk(_) => Obstacle::FullDisk,
    }
}
