//! The driver for a real Linux: performs the same calls, on the kernel that
//! this process runs on.
//!
//! [`Host`] performs them in this very process. A [`Machine`] is a place for
//! real processes, and a [`Puppet`] one of them: it makes a call when it is told
//! to, so that any schedule can be forced upon Linux.

mod age;
mod cells;
mod channel;
mod container;
mod disk;
mod exec;
mod files;
mod locks;
mod machine;
mod outside;
mod processes;
mod puppet;
mod race;
mod raw;
mod signals;
mod sockets;
mod threads;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use crate::{Call, Clock, Errno, Fd, Reply, Ret};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit};
use rustix::thread::ClockId;
use rustix::time::Timespec;

pub use disk::Disk;
pub use exec::follow_if_told;
pub use machine::Machine;
pub use puppet::Puppet;
pub use race::{Race, Run, Step};

use cells::Cells;
use exec::Home;
use race::Gate;
use threads::Threads;

/// This process, as a program's calls see it: its descriptors are the program's,
/// from 3 up to the limit of 1024.
pub struct Host {
    cells: Cells,
    threads: Threads,
    /// `/proc`, wherever the root is moved to.
    proc: OwnedFd,
    /// That of the machine, for who is in a container.
    outside: Option<OwnedFd>,
    /// Where a new image is found; a process of a machine alone has one.
    home: Option<Home>,
    /// Shared with all it forks.
    gate: &'static Gate,
}

impl Host {
    /// A process that has written no cell. To be made before its root is moved.
    ///
    /// # Errors
    ///
    /// When there is no `/proc`.
    pub fn new() -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::open("/proc", flags, Mode::empty())?;
        Ok(Self::over(own(proc)?, raw::gate()?))
    }

    fn over(proc: OwnedFd, gate: &'static Gate) -> Self {
        let (cells, threads) = (Cells::default(), Threads::default());
        Self { cells, threads, proc, outside: None, home: None, gate }
    }

    /// Performs a call. A convenience of `Sys` is several; a call is one.
    ///
    /// # Panics
    ///
    /// For calls that start a program, which need somebody to run it; and when
    /// Linux answers with an error that no call here is known to give.
    pub fn perform(&self, call: &Call) -> Reply {
        match call {
            Call::Open { path, flags, mode } => files::open(path, *flags, *mode),
            Call::Read { fd, len } => files::read(*fd, *len),
            Call::Write { fd, data } => files::write(*fd, data),
            Call::Close { fd } => close(*fd),
            Call::Dup { fd } => dup(*fd),
            Call::Stat { path } => files::stat(path),
            Call::Lstat { path } => files::lstat(path),
            Call::Fstat { fd } => files::fstat(*fd),
            Call::Link { old, new } => unit(rustix::fs::link(old.as_str(), new.as_str())),
            Call::LinkFd { fd, new } => files::link_fd(&self.proc, *fd, new),
            Call::Symlink { target, path } => {
                unit(rustix::fs::symlink(target.as_str(), path.as_str()))
            }
            Call::Readlink { path } => files::readlink(path),
            Call::Rename { old, new } => unit(rustix::fs::rename(old.as_str(), new.as_str())),
            Call::Renameat2 { old, new, flag } => files::renameat2(old, new, *flag),
            Call::Unlink { path } => unit(rustix::fs::unlink(path.as_str())),
            // Linux has no such call.
            Call::Funlinkat { .. } => Err(Errno::ENOSYS),
            Call::Mkdir { path, mode } => {
                unit(rustix::fs::mkdir(path.as_str(), files::raw_mode(*mode)))
            }
            Call::Rmdir { path } => unit(rustix::fs::rmdir(path.as_str())),
            Call::Fsync { fd } => files::fsync(*fd),
            Call::Readdir { fd } => files::readdir(*fd),
            Call::Utimensat { path, mtime, follow } => files::utimensat(path, *mtime, *follow),
            Call::Futimens { fd, mtime } => files::futimens(*fd, *mtime),
            Call::Chmod { path, mode } => files::chmod(path, *mode),
            Call::Fchmod { fd, mode } => files::fchmod(*fd, *mode),
            Call::Chown { path, uid } => files::chown(path, *uid),
            Call::Getuid => Ok(Ret::Uid(processes::getuid())),
            Call::Setuid { uid } => unit(raw::setuid(*uid)),
            Call::Flock { fd, op } => locks::flock(*fd, *op),
            Call::Fcntl { fd, command, lock } => locks::fcntl(*fd, *command, *lock),
            Call::Getpid => Ok(Ret::Pid(processes::getpid())),
            Call::Getppid => Ok(Ret::Pid(processes::getppid())),
            Call::ProcStat { pid } => self.proc_stat(*pid),
            Call::ProcStatus { pid } => self.proc_status(*pid),
            Call::BootId => self.boot_id(),
            Call::PidNamespace => self.pid_namespace(),
            Call::Hostname => self.hostname(),
            Call::Kill { pid, signal } => processes::kill(*pid, *signal),
            Call::ParentDeathSignal { signal } => processes::parent_death_signal(*signal),
            Call::Spawn { image, .. }
            | Call::Fork { image }
            | Call::Exec { image }
            | Call::SpawnThread { image } => panic!("nobody is there to run {}", image.name()),
            Call::SetCloseOnExec { fd, on } => files::set_close_on_exec(*fd, *on),
            Call::GetCloseOnExec { fd } => files::close_on_exec(*fd),
            Call::Exit { code } => raw::exit(*code),
            Call::Wait { pid } => processes::wait(*pid),
            Call::WaitAny => processes::wait_any(),
            Call::TryWait { child } => processes::try_wait(*child),
            Call::ChildSubreaper { on } => processes::child_subreaper(*on),
            Call::Gettid => Ok(Ret::Pid(threads::gettid())),
            Call::ThreadExit { code } => raw::thread_exit(*code),
            Call::Join { tid } => self.threads.join(*tid),
            Call::Sigaction { signal, disposition } => signals::sigaction(*signal, *disposition),
            Call::Setitimer { after } => signals::setitimer(*after),
            Call::PidfdOpen { pid } => processes::pidfd_open(*pid),
            Call::PidfdSendSignal { pidfd, signal } => {
                processes::pidfd_send_signal(*pidfd, *signal)
            }
            Call::Poll { fds, timeout } => processes::poll(fds, *timeout),
            Call::Socket => sockets::socket(),
            Call::Bind { fd, path } => sockets::bind(*fd, path),
            Call::Listen { fd, backlog } => sockets::listen(*fd, *backlog),
            Call::Connect { fd, path } => sockets::connect(*fd, path),
            Call::Accept { fd } => sockets::accept(*fd),
            Call::Send { fd, data } => sockets::send(*fd, data),
            Call::Recv { fd, len } => sockets::recv(*fd, *len),
            Call::Shutdown { fd, how } => sockets::shutdown(*fd, *how),
            Call::SetTimeout { fd, of, timeout } => sockets::set_timeout(*fd, *of, *timeout),
            Call::PeerCred { fd } => sockets::peer_cred(*fd),
            Call::ClockGettime { clock } => Ok(Ret::Time(clock_gettime(*clock))),
            Call::Nanosleep { duration } => nanosleep(*duration),
            Call::Getrandom { len } => getrandom(*len),
            Call::CellRead { cell } => Ok(Ret::Cell(self.cells.read(cell))),
            Call::CellWrite { cell, value } => {
                self.cells.write(cell, *value);
                Ok(Ret::Unit)
            }
            Call::CellSwap { cell, expected, new } => {
                Ok(Ret::Cell(self.cells.swap(cell, *expected, *new)))
            }
            Call::FutexWait { cell, expected, timeout } => {
                self.cells.wait(cell, *expected, *timeout)
            }
            Call::FutexWake { cell, count } => self.cells.wake(cell, *count),
        }
    }

    /// What this has open for itself, and who is forked needs too.
    fn numbers(&self) -> Vec<RawFd> {
        let proc = [Some(&self.proc), self.outside.as_ref()].into_iter().flatten();
        let home = self.home.iter().flat_map(Home::numbers);
        proc.map(AsRawFd::as_raw_fd).chain(home).collect()
    }
}

/// Lets this process, and those that it starts from now on, run before all that
/// is not real-time: on a busy machine, processes seldom run at once otherwise.
///
/// # Errors
///
/// When it may not.
pub fn take_precedence() -> io::Result<()> {
    raw::become_real_time()
}

/// The lowest number that a program's descriptor can have.
const FIRST: u32 = 3;

/// `RLIMIT_NOFILE`: a program's descriptors have lower numbers, what a process
/// here has open for itself has higher ones.
const LIMIT: u32 = 1024;

/// A program's descriptor. If it is not open, Linux will say so.
fn descriptor(fd: Fd) -> Result<BorrowedFd<'static>, Errno> {
    match fd.0 {
        FIRST..LIMIT => Ok(raw::descriptor(fd.0 as RawFd)),
        _ => Err(Errno::EBADF),
    }
}

fn is_open(fd: Fd) -> bool {
    descriptor(fd).is_ok_and(|fd| rustix::io::fcntl_getfd(fd).is_ok())
}

/// Leaves a new descriptor to the program.
fn leave(opened: OwnedFd) -> Reply {
    Ok(Ret::Fd(Fd(opened.into_raw_fd().cast_unsigned())))
}

fn close(fd: Fd) -> Reply {
    unit(raw::close(descriptor(fd)?.as_raw_fd()))
}

fn dup(fd: Fd) -> Reply {
    leave(rustix::io::dup(descriptor(fd)?).map_err(known)?)
}

/// Lets others run.
fn pause(duration: Duration) {
    // A signal ends it early, which does no harm.
    let _ = rustix::event::poll(&mut [], Some(&timespec(duration)));
}

/// Moves a descriptor out of the program's way.
fn own(opened: OwnedFd) -> io::Result<OwnedFd> {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let room = Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(Resource::Nofile, room)?;
    let moved = rustix::io::fcntl_dupfd_cloexec(&opened, LIMIT as RawFd);
    rustix::process::setrlimit(Resource::Nofile, limit)?;
    Ok(moved?)
}

/// The error as a call gives it.
fn known(errno: rustix::io::Errno) -> Errno {
    known_error(&errno.into())
}

fn known_error(error: &io::Error) -> Errno {
    let known = error.raw_os_error().and_then(Errno::from_raw);
    known.unwrap_or_else(|| panic!("Linux gives an error that no call here has: {error}"))
}

/// What is in a file of `/proc`.
fn proc_file(proc: BorrowedFd<'_>, path: &str) -> Result<String, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(proc, path, flags, Mode::empty()).map_err(known)?;
    let mut bytes = [0; 4096];
    let read = rustix::io::read(&fd, &mut bytes[..]).map_err(known)?;
    Ok(String::from_utf8_lossy(&bytes[..read]).into_owned())
}

fn unit(done: rustix::io::Result<()>) -> Reply {
    done.map(|()| Ret::Unit).map_err(known)
}

fn timespec(duration: Duration) -> Timespec {
    // Longer than anybody waits.
    Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
}

fn clock_gettime(clock: Clock) -> Duration {
    let id = match clock {
        Clock::Realtime => ClockId::Realtime,
        Clock::Monotonic => ClockId::Monotonic,
        Clock::Boottime => ClockId::Boottime,
    };
    let time = rustix::time::clock_gettime(id);
    Duration::try_from(time).expect("no clock is before its zero")
}

fn nanosleep(duration: Duration) -> Reply {
    use rustix::thread::NanosleepRelativeResult::{Err, Interrupted, Ok};
    match rustix::thread::clock_nanosleep_relative(ClockId::Monotonic, &timespec(duration)) {
        Ok => Reply::Ok(Ret::Unit),
        Interrupted(_) => Reply::Err(Errno::EINTR),
        Err(errno) => Reply::Err(known(errno)),
    }
}

fn getrandom(len: u8) -> Reply {
    let mut bytes = vec![0; usize::from(len)];
    let drawn = rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty());
    drawn.map(|_| Ret::Bytes(bytes.into())).map_err(known)
}
