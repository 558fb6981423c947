//! The driver for a real Linux: performs the same calls, on the kernel that
//! this process runs on.

mod files;
mod processes;
mod sockets;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::thread::ClockId;
use rustix::time::Timespec;
use smol_str::SmolStr;

use crate::{Call, Clock, Errno, Fd, Reply, Ret};

/// This process, as a program's calls see it. Its descriptors have the numbers
/// that they would have if the process had nothing else open.
pub struct Host {
    descriptors: BTreeMap<Fd, OwnedFd>,
    cells: BTreeMap<SmolStr, i64>,
    /// `/proc`, wherever the root is moved to.
    proc: OwnedFd,
}

impl Host {
    /// A process that has opened nothing. To be made before its root is moved.
    ///
    /// # Errors
    ///
    /// When there is no `/proc`.
    pub fn new() -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::open("/proc", flags, Mode::empty())?;
        Ok(Self { descriptors: BTreeMap::new(), cells: BTreeMap::new(), proc })
    }

    /// Performs a call. A convenience of `Sys` is several; a call is one.
    ///
    /// # Panics
    ///
    /// For [`Call::Spawn`], which needs somebody to run the child; and when
    /// Linux answers with an error that no call here is known to give.
    pub fn perform(&mut self, call: &Call) -> Reply {
        match call {
            Call::Open { path, flags } => self.open(path, *flags),
            Call::Read { fd, len } => self.read(*fd, *len),
            Call::Write { fd, data } => self.write(*fd, data),
            Call::Close { fd } => self.close(*fd),
            Call::Stat { path } => files::stat(path),
            Call::Fstat { fd } => self.fstat(*fd),
            Call::Link { old, new } => unit(rustix::fs::link(old.as_str(), new.as_str())),
            Call::Rename { old, new } => unit(rustix::fs::rename(old.as_str(), new.as_str())),
            Call::Unlink { path } => unit(rustix::fs::unlink(path.as_str())),
            Call::Mkdir { path } => unit(rustix::fs::mkdir(path.as_str(), files::DIRECTORY_MODE)),
            Call::Rmdir { path } => unit(rustix::fs::rmdir(path.as_str())),
            Call::Readdir { fd } => self.readdir(*fd),
            Call::Flock { fd, op } => self.flock(*fd, *op),
            Call::Getpid => Ok(Ret::Pid(processes::getpid())),
            Call::Getppid => Ok(Ret::Pid(processes::getppid())),
            Call::ProcStat { pid } => self.proc_stat(*pid),
            Call::BootId => self.boot_id(),
            Call::Kill { pid, signal } => processes::kill(*pid, *signal),
            Call::ParentDeathSignal { signal } => processes::parent_death_signal(*signal),
            Call::Spawn { image, .. } => panic!("nobody is there to run {}", image.name()),
            Call::Exit { code } => std::process::exit(i32::from(*code)),
            Call::Wait { pid } => processes::wait(*pid),
            Call::PidfdOpen { pid } => self.pidfd_open(*pid),
            Call::PidfdSendSignal { pidfd, signal } => self.pidfd_send_signal(*pidfd, *signal),
            Call::Poll { fds, timeout } => self.poll(fds, *timeout),
            Call::Socket => self.socket(),
            Call::Bind { fd, path } => self.bind(*fd, path),
            Call::Listen { fd, backlog } => self.listen(*fd, *backlog),
            Call::Connect { fd, path } => self.connect(*fd, path),
            Call::Accept { fd } => self.accept(*fd),
            Call::Send { fd, data } => self.send(*fd, data),
            Call::Recv { fd, len } => self.recv(*fd, *len),
            Call::Shutdown { fd, how } => self.shutdown(*fd, *how),
            Call::SetTimeout { fd, of, timeout } => self.set_timeout(*fd, *of, *timeout),
            Call::PeerCred { fd } => self.peer_cred(*fd),
            Call::ClockGettime { clock } => Ok(Ret::Time(clock_gettime(*clock))),
            Call::Nanosleep { duration } => nanosleep(*duration),
            Call::Getrandom { len } => getrandom(*len),
            Call::CellRead { cell } => {
                Ok(Ret::Cell(self.cells.get(cell).copied().unwrap_or_default()))
            }
            Call::CellWrite { cell, value } => {
                self.cells.insert(cell.clone(), *value);
                Ok(Ret::Unit)
            }
        }
    }

    /// A program's descriptor.
    fn get(&self, fd: Fd) -> Result<BorrowedFd<'_>, Errno> {
        self.descriptors.get(&fd).map(AsFd::as_fd).ok_or(Errno::EBADF)
    }

    /// Gives a new descriptor to the program, under the lowest free number.
    fn keep(&mut self, opened: OwnedFd) -> Reply {
        let taken = (FIRST..).zip(self.descriptors.keys());
        let taken = taken.take_while(|(number, fd)| fd.0 == *number).count();
        let fd = Fd(FIRST + taken as u32);
        self.descriptors.insert(fd, opened);
        Ok(Ret::Fd(fd))
    }

    fn close(&mut self, fd: Fd) -> Reply {
        self.descriptors.remove(&fd).map(|_| Ret::Unit).ok_or(Errno::EBADF)
    }
}

/// The lowest number that a program's descriptor can have.
const FIRST: u32 = 3;

/// The error as a call gives it.
fn known(errno: rustix::io::Errno) -> Errno {
    let number = errno.raw_os_error();
    Errno::from_raw(number).unwrap_or_else(|| panic!("Linux answers with errno {number}: {errno}"))
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
