//! What rustix has no safe function for: everything unsafe in this project.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::{PeerCred, Uid};

use super::race::Gate;

/// A descriptor of this process by its number. It may not be open: then the
/// call that is made with it says EBADF, and nothing else happens.
pub(super) fn descriptor(number: RawFd) -> BorrowedFd<'static> {
    assert!(number >= 0, "no descriptor has the number {number}");
    // SAFETY: the number is not -1. Nobody here owns it, so nobody can close it
    // in between but the program whose descriptor it is, as programs may.
    unsafe { BorrowedFd::borrow_raw(number) }
}

/// Closes a program's descriptor.
pub(super) fn close(number: RawFd) -> rustix::io::Result<()> {
    // SAFETY: no `OwnedFd` has the number of a program's descriptor.
    unsafe { rustix::io::try_close(number) }
}

/// A gate that this process shares with those that it forks, and they with
/// theirs.
pub(super) fn gate() -> io::Result<&'static Gate> {
    let (protection, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, where there is room for it.
    let page =
        unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Gate>(), protection, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: nobody unmaps it, it begins a page, and zeros are numbers.
    Ok(unsafe { &*page.cast::<Gate>() })
}

/// Makes this process real-time, and those that it forks.
pub(super) fn become_real_time() -> io::Result<()> {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: a plain call.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Closes all descriptors of the program, one after the other.
pub(super) fn close_program() {
    // SAFETY: no `OwnedFd` has the number of a program's descriptor.
    unsafe { libc::close_range(super::FIRST, super::LIMIT - 1, 0) };
}

/// Closes whatever is open from 3 on, but for these numbers.
pub(super) fn close_all_but(kept: &[RawFd]) {
    let mut kept = kept.to_vec();
    kept.sort_unstable();
    let mut first = 3;
    for number in kept.into_iter().chain([RawFd::MAX]) {
        if first < number {
            // SAFETY: this follows a fork. What owned the others is the parent's.
            unsafe { libc::close_range(first as u32, number as u32 - 1, 0) };
        }
        first = first.max(number.saturating_add(1));
    }
}

/// Forks: the child's pid, or `None` in the child.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the process has one thread, or its others wait for orders and
    // hold no lock.
    parent_or_child(i64::from(unsafe { libc::fork() }))
}

/// Forks into namespaces of its own, as `clone3` makes them: `CLONE_NEWPID` and
/// the like. A process with several threads cannot be copied so.
pub(super) fn fork_into(namespaces: i32) -> io::Result<Option<Pid>> {
    // SAFETY: all zeros asks for nothing.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.flags = u64::from(namespaces.cast_unsigned());
    arguments.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
    let size = size_of::<libc::clone_args>();
    // SAFETY: without `CLONE_VM` this is a fork, and the process has one thread.
    parent_or_child(unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size) })
}

fn parent_or_child(returned: i64) -> io::Result<Option<Pid>> {
    match returned {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid as i32)),
    }
}

pub(super) fn has_one_thread() -> io::Result<bool> {
    Ok(std::fs::read_dir("/proc/self/task")?.count() == 1)
}

/// Ends this process, and runs nothing of what it had planned for its end: a
/// copy of another process has the other's plans.
pub(super) fn exit(code: u8) -> ! {
    // SAFETY: never returns.
    unsafe { libc::_exit(i32::from(code)) }
}

/// Becomes another user for good, all threads; root gives up its groups for the
/// user's own before.
pub(super) fn setuid(uid: Uid) -> rustix::io::Result<()> {
    // SAFETY: plain calls; no list is read that has no entries.
    unsafe {
        if libc::getuid() == 0 {
            done(libc::setgroups(0, std::ptr::null()))?;
            done(libc::setgid(uid.0))?;
        }
        done(libc::setuid(uid.0))
    }
}

fn done(returned: i32) -> rustix::io::Result<()> {
    if returned == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    Err(rustix::io::Errno::from_io_error(&error).expect("an error of the system"))
}

/// `pidfd_send_signal`; without a signal it only asks.
pub(super) fn pidfd_send_signal(
    pidfd: BorrowedFd<'_>,
    signal: Option<Signal>,
) -> rustix::io::Result<()> {
    let (pidfd, signal) = (pidfd.as_raw_fd(), signal.map_or(0, Signal::as_raw));
    let nothing = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: no information comes with it.
    let returned = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, pidfd, signal, nothing, 0) };
    done(returned as i32)
}

/// `SO_PEERCRED`: there may be nobody, whose pid is 0.
pub(super) fn peer_cred(socket: BorrowedFd<'_>) -> rustix::io::Result<PeerCred> {
    let mut cred = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = size_of::<libc::ucred>() as libc::socklen_t;
    let (socket, option) = (socket.as_raw_fd(), libc::SO_PEERCRED);
    // SAFETY: there is room for so many bytes.
    done(unsafe {
        libc::getsockopt(socket, libc::SOL_SOCKET, option, (&raw mut cred).cast(), &raw mut size)
    })?;
    Ok(PeerCred { pid: crate::Pid(cred.pid.cast_unsigned()), uid: Uid(cred.uid) })
}

/// Ends this thread alone.
pub(super) fn thread_exit(code: u8) -> ! {
    // SAFETY: what the thread has on its stack stays where it is.
    unsafe { libc::syscall(libc::SYS_exit, i32::from(code)) };
    unreachable!("a thread does not run after its exit")
}

/// Linux clears the word when the calling thread ends, and wakes who waits for
/// that; nobody else is told of the end then.
pub(super) fn clear_at_end(word: &'static AtomicU32) {
    // SAFETY: the word is there for ever.
    unsafe { libc::syscall(libc::SYS_set_tid_address, word.as_ptr()) };
}

/// Runs the program of a descriptor, with these arguments and no environment.
/// Comes back when that is not possible.
pub(super) fn exec(program: RawFd, arguments: &[CString]) -> io::Error {
    let pointers = arguments.iter().map(|argument| argument.as_ptr());
    let pointers: Vec<*const libc::c_char> = pointers.chain([std::ptr::null()]).collect();
    let none: [*const libc::c_char; 1] = [std::ptr::null()];
    let (path, flags) = (c"", libc::AT_EMPTY_PATH);
    // SAFETY: strings and lists of strings end with zeros, and live long enough.
    unsafe {
        let (arguments, environment) = (pointers.as_ptr(), none.as_ptr());
        libc::syscall(libc::SYS_execveat, program, path.as_ptr(), arguments, environment, flags);
    }
    io::Error::last_os_error()
}

/// A descriptor that this image was given, by its number.
pub(super) fn inherited(number: RawFd) -> OwnedFd {
    // SAFETY: who started this image left it open for it, and nobody has it yet.
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    // Not for the next image, unless it is told again.
    let _ = rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC);
    fd
}

/// Whether children that end are reaped by themselves, as if waited for.
pub(super) fn reap_children(by_themselves: bool) {
    let action = if by_themselves { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: neither is a function of ours.
    unsafe { libc::signal(libc::SIGCHLD, action) };
}

/// Kills every other process of this pid namespace, and comes back when none is
/// left. For its init, whose children are reaped by themselves.
pub(super) fn kill_all_others() {
    // SAFETY: plain calls.
    unsafe {
        libc::kill(-1, libc::SIGKILL);
        // Waits for all there are, orphans too, and then says ECHILD.
        while libc::waitpid(-1, std::ptr::null_mut(), 0) > 0 {}
    }
}

/// `fcntl` with a record lock.
pub(super) fn record_lock(
    number: RawFd,
    command: i32,
    lock: &mut libc::flock,
) -> rustix::io::Result<()> {
    // SAFETY: these commands take a `flock`, which lives as long as the call.
    done(unsafe { libc::fcntl(number, command, std::ptr::from_mut(lock)) })
}

/// The signals that [`note`] has seen, a bit each.
static CAUGHT: AtomicU64 = AtomicU64::new(0);

/// A signal handler.
extern "C" fn note(signal: libc::c_int) {
    CAUGHT.fetch_or(1 << signal, Ordering::SeqCst);
}

/// Whether a handler has run for a signal since this was last asked.
pub(super) fn take_caught(signal: i32) -> bool {
    let bit = 1 << signal;
    CAUGHT.fetch_and(!bit, Ordering::SeqCst) & bit != 0
}

/// Lets a handler run at a signal, which only notes it.
pub(super) fn catch(signal: i32, restart: bool) -> rustix::io::Result<()> {
    let flags = if restart { libc::SA_RESTART } else { 0 };
    act(signal, note as extern "C" fn(libc::c_int) as libc::sighandler_t, flags)
}

/// `SIG_DFL` or `SIG_IGN`.
pub(super) fn set_disposition(
    signal: i32,
    disposition: libc::sighandler_t,
) -> rustix::io::Result<()> {
    assert!([libc::SIG_DFL, libc::SIG_IGN].contains(&disposition), "no handler of ours");
    act(signal, disposition, 0)
}

fn act(signal: i32, handler: libc::sighandler_t, flags: i32) -> rustix::io::Result<()> {
    // SAFETY: all zeros is an action that blocks no other signal meanwhile.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    // SAFETY: the handler is `note`, which does what a handler may, or none.
    done(unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) })
}

/// `setitimer(ITIMER_REAL)`, once; what was left.
pub(super) fn set_timer(after: Duration) -> rustix::io::Result<Duration> {
    let zero = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let value = libc::timeval {
        tv_sec: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        tv_usec: i64::from(after.subsec_micros()),
    };
    let new = libc::itimerval { it_interval: zero, it_value: value };
    let mut old = libc::itimerval { it_interval: zero, it_value: zero };
    // SAFETY: both live as long as the call.
    done(unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const new, &raw mut old) })?;
    let left = old.it_value;
    Ok(Duration::new(left.tv_sec.cast_unsigned(), left.tv_usec as u32 * 1000))
}
