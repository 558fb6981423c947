mod surely;

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use smol_str::SmolStr;

use crate::slot::Slot;
use crate::{
    Call, DirEntry, Direction, Disposition, Errno, ExitStatus, Fd, FlockOp, HeldLock, Image,
    LockCommand, Mode, OpenFlags, PeerCred, Pid, ProcStat, ProcStatus, RecordLock, RenameFlag,
    Reply, Ret, Shutdown, Signal, Stat, Uid,
};

/// A program's handle on the operating system: everything it may ask.
///
/// The methods carry the names of the Linux calls, each is one atomic step,
/// and each fails with the errors that Linux gives.
#[derive(Clone)]
pub struct Sys(pub(crate) Rc<Slot>);

/// One call, until it has a reply.
struct Ask<'a> {
    slot: &'a Slot,
    call: Option<Call>,
}

impl Future for Ask<'_> {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Reply> {
        if let Some(call) = self.call.take() {
            self.slot.call.set(Some(call));
            return Poll::Pending;
        }
        match self.slot.reply.take() {
            Some(reply) => Poll::Ready(reply),
            None => Poll::Pending,
        }
    }
}

/// Declares a method a call: `name(arguments) -> variant of the reply`.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $ret:ty = $call:expr, $pattern:pat => $value:expr;)*) => {
        impl Sys {
            $(
                $(#[$doc])*
                pub async fn $name(&self, $($arg: $type),*) -> Result<$ret, Errno> {
                    match self.ask($call).await? {
                        $pattern => Ok($value),
                        other => panic!("{} was answered with {other:?}", stringify!($name)),
                    }
                }
            )*
        }
    };
}

calls! {
    /// `open`; a file that it creates may be read by everybody and written by its owner,
    /// as the umask of 022 has it. ENOENT, EEXIST, EISDIR, ENOTDIR, EACCES, EMFILE, ENOSPC,
    /// ENXIO for a socket's name, ELOOP for a symbolic link with `O_NOFOLLOW`, or for more
    /// than 40 on the way.
    open(path: impl Into<SmolStr>, flags: OpenFlags) -> Fd
        = Call::Open { path: path.into(), flags, mode: Mode::FILE }, Ret::Fd(fd) => fd;
    /// `open` with a mode for a file that it creates, of which the umask takes 022.
    open_mode(path: impl Into<SmolStr>, flags: OpenFlags, mode: Mode) -> Fd
        = Call::Open { path: path.into(), flags, mode }, Ret::Fd(fd) => fd;
    /// `read`, at most `len` bytes from the description's offset; empty at the end. Of a
    /// socket as [`recv`](Self::recv). EBADF, EISDIR, EIO, EINVAL for a pidfd.
    read(fd: Fd, len: u32) -> Arc<[u8]>
        = Call::Read { fd, len }, Ret::Bytes(bytes) => bytes;
    /// `write` at the description's offset; how many bytes were written. To a socket as
    /// [`send`](Self::send), SIGPIPE being ignored. EBADF, ENOSPC when none of it has room,
    /// EIO, EINVAL for a pidfd.
    write(fd: Fd, data: impl Into<Arc<[u8]>>) -> u32
        = Call::Write { fd, data: data.into() }, Ret::Len(len) => len;
    /// `close`: also drops the record locks that the process has on the file, by whatever
    /// descriptor. EBADF.
    close(fd: Fd) -> () = Call::Close { fd }, Ret::Unit => ();
    /// `fsync`: what was written to the file, or the names in the directory, is on the disk
    /// when it returns. EIO, and the next one succeeds all the same; EBADF, EINVAL for what
    /// is neither.
    fsync(fd: Fd) -> () = Call::Fsync { fd }, Ret::Unit => ();
    /// `dup`: a second descriptor of the same description. EBADF, EMFILE.
    dup(fd: Fd) -> Fd = Call::Dup { fd }, Ret::Fd(fd) => fd;
    /// `stat`. ENOENT, ENOTDIR, ELOOP, EACCES.
    stat(path: impl Into<SmolStr>) -> Stat
        = Call::Stat { path: path.into() }, Ret::Stat(stat) => stat;
    /// `lstat`: of a symbolic link itself. ENOENT, ENOTDIR, ELOOP.
    lstat(path: impl Into<SmolStr>) -> Stat
        = Call::Lstat { path: path.into() }, Ret::Stat(stat) => stat;
    /// `fstat`. EBADF.
    fstat(fd: Fd) -> Stat = Call::Fstat { fd }, Ret::Stat(stat) => stat;
    /// `link`: a second name for a file. EEXIST, ENOENT, EACCES, EPERM for a directory or,
    /// where hard links are protected, what the caller could not write.
    link(old: impl Into<SmolStr>, new: impl Into<SmolStr>) -> ()
        = Call::Link { old: old.into(), new: new.into() }, Ret::Unit => ();
    /// `linkat` of `/proc/self/fd/FD`, followed: a name for what is open, that of an
    /// `O_TMPFILE` say. EEXIST; ENOENT when it once had names, or has `O_EXCL`, or is not
    /// open; EPERM for a directory, EXDEV for what is no file.
    link_fd(fd: Fd, new: impl Into<SmolStr>) -> ()
        = Call::LinkFd { fd, new: new.into() }, Ret::Unit => ();
    /// `symlink`: a name that stands for `target`, whatever that is. EEXIST, ENOENT.
    symlink(target: impl Into<SmolStr>, path: impl Into<SmolStr>) -> ()
        = Call::Symlink { target: target.into(), path: path.into() }, Ret::Unit => ();
    /// `readlink`: where a symbolic link leads. ENOENT, EINVAL for what is none.
    readlink(path: impl Into<SmolStr>) -> SmolStr
        = Call::Readlink { path: path.into() }, Ret::Path(target) => target;
    /// `rename`, over what is there. ENOENT, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL, EACCES, EPERM
    /// for another's in a sticky directory.
    rename(old: impl Into<SmolStr>, new: impl Into<SmolStr>) -> ()
        = Call::Rename { old: old.into(), new: new.into() }, Ret::Unit => ();
    /// `renameat2`: as `rename`, but not over what is there, or in exchange for it.
    /// EEXIST, ENOENT, ENOTDIR, EINVAL for a directory with what lies in it.
    renameat2(old: impl Into<SmolStr>, new: impl Into<SmolStr>, flag: RenameFlag) -> ()
        = Call::Renameat2 { old: old.into(), new: new.into(), flag }, Ret::Unit => ();
    /// `unlink`: whatever the name means at this instant. ENOENT, EISDIR, EACCES, EPERM for
    /// another's in a sticky directory.
    unlink(path: impl Into<SmolStr>) -> () = Call::Unlink { path: path.into() }, Ret::Unit => ();
    /// `funlinkat`, of FreeBSD alone, for a file: as `unlink`, if the name means what `fd`
    /// is open on; else EDEADLK. ENOSYS on a machine that has no such call.
    funlinkat(path: impl Into<SmolStr>, fd: Fd) -> ()
        = Call::Funlinkat { path: path.into(), fd, removedir: false }, Ret::Unit => ();
    /// `funlinkat` with `AT_REMOVEDIR`: the same for a directory, as `rmdir`.
    funlinkat_dir(path: impl Into<SmolStr>, fd: Fd) -> ()
        = Call::Funlinkat { path: path.into(), fd, removedir: true }, Ret::Unit => ();
    /// `mkdir`; its owner alone may change what is in it, as the umask of 022 has it. EEXIST,
    /// ENOENT, ENOTDIR, EACCES.
    mkdir(path: impl Into<SmolStr>) -> ()
        = Call::Mkdir { path: path.into(), mode: Mode::DIRECTORY }, Ret::Unit => ();
    /// `mkdir` with a mode, of which the umask takes 022.
    mkdir_mode(path: impl Into<SmolStr>, mode: Mode) -> ()
        = Call::Mkdir { path: path.into(), mode }, Ret::Unit => ();
    /// `rmdir`. ENOENT, ENOTDIR, ENOTEMPTY, EACCES, EPERM for another's in a sticky directory.
    rmdir(path: impl Into<SmolStr>) -> () = Call::Rmdir { path: path.into() }, Ret::Unit => ();
    /// `getdents`, the whole directory in one step. EBADF, ENOTDIR.
    readdir(fd: Fd) -> Arc<[DirEntry]> = Call::Readdir { fd }, Ret::Names(names) => names;
    /// `utimensat`: sets the modification time; to now without one, as `touch` does. ENOENT,
    /// ENOTDIR, ELOOP.
    utimensat(path: impl Into<SmolStr>, mtime: Option<Duration>) -> ()
        = Call::Utimensat { path: path.into(), mtime, follow: true }, Ret::Unit => ();
    /// `lutimes`: as [`utimensat`](Self::utimensat), of a symbolic link itself.
    lutimes(path: impl Into<SmolStr>, mtime: Option<Duration>) -> ()
        = Call::Utimensat { path: path.into(), mtime, follow: false }, Ret::Unit => ();
    /// `futimens`: the same of what is open, by whoever made it. EBADF, EOPNOTSUPP for a pidfd.
    futimens(fd: Fd, mtime: Option<Duration>) -> ()
        = Call::Futimens { fd, mtime }, Ret::Unit => ();
    /// `flock`; waits unless told to try. EAGAIN (`EWOULDBLOCK`), EBADF, EINTR.
    flock(fd: Fd, op: FlockOp) -> () = Call::Flock { fd, op }, Ret::Unit => ();
    /// `fcntl` with `F_SETLK`: the process locks or unlocks a range. EAGAIN when another's
    /// lock is in the way, EBADF also when not open so, EINVAL, EOVERFLOW.
    setlk(fd: Fd, lock: RecordLock) -> ()
        = Call::Fcntl { fd, command: LockCommand::Set, lock }, Ret::Unit => ();
    /// `fcntl` with `F_SETLKW`: as [`setlk`](Self::setlk), and waits. EDEADLK when the one in
    /// the way waits for this process, EINTR.
    setlkw(fd: Fd, lock: RecordLock) -> ()
        = Call::Fcntl { fd, command: LockCommand::SetWait, lock }, Ret::Unit => ();
    /// `fcntl` with `F_GETLK`: the first lock that would be in the way. EBADF, EINVAL, EOVERFLOW.
    getlk(fd: Fd, lock: RecordLock) -> Option<HeldLock>
        = Call::Fcntl { fd, command: LockCommand::Get, lock }, Ret::Lock(held) => held;
    /// `fcntl` with `F_OFD_SETLK`: as [`setlk`](Self::setlk), for the description.
    ofd_setlk(fd: Fd, lock: RecordLock) -> ()
        = Call::Fcntl { fd, command: LockCommand::OfdSet, lock }, Ret::Unit => ();
    /// `fcntl` with `F_OFD_SETLKW`: as [`ofd_setlk`](Self::ofd_setlk), and waits, in a
    /// deadlock for ever. EINTR.
    ofd_setlkw(fd: Fd, lock: RecordLock) -> ()
        = Call::Fcntl { fd, command: LockCommand::OfdSetWait, lock }, Ret::Unit => ();
    /// `fcntl` with `F_OFD_GETLK`: as [`getlk`](Self::getlk), for the description; what it
    /// has itself, when asked with `F_UNLCK`.
    ofd_getlk(fd: Fd, lock: RecordLock) -> Option<HeldLock>
        = Call::Fcntl { fd, command: LockCommand::OfdGet, lock }, Ret::Lock(held) => held;
    /// `chmod`: by the owner or root, whatever the umask. EPERM, ENOENT, ENOTDIR, EACCES.
    chmod(path: impl Into<SmolStr>, mode: Mode) -> ()
        = Call::Chmod { path: path.into(), mode }, Ret::Unit => ();
    /// `fchmod`. Of a socket that is not bound yet, it is the mode that its name will have.
    /// EPERM, EBADF, EOPNOTSUPP for a pidfd.
    fchmod(fd: Fd, mode: Mode) -> () = Call::Fchmod { fd, mode }, Ret::Unit => ();
    /// `chown`, to a user and his group. EPERM for all but root, ENOENT, ENOTDIR, EACCES.
    chown(path: impl Into<SmolStr>, uid: Uid) -> ()
        = Call::Chown { path: path.into(), uid }, Ret::Unit => ();
    /// `setuid`, for good: root becomes that user. EPERM for others.
    setuid(uid: Uid) -> () = Call::Setuid { uid }, Ret::Unit => ();
    /// One reading of `/proc/PID/stat`. ENOENT when there is no such process.
    proc_stat(pid: Pid) -> ProcStat = Call::ProcStat { pid }, Ret::ProcStat(stat) => stat;
    /// One reading of `/proc/PID/status`, which tells a thread's id from a pid, and by which
    /// pids a process goes in its container. ENOENT when nobody has the id.
    proc_status(pid: Pid) -> ProcStatus
        = Call::ProcStatus { pid }, Ret::ProcStatus(status) => status;
    /// `kill`. ESRCH when there is no such process; EPERM when there is one, but it is another
    /// user's or root's, as init is.
    kill(pid: Pid, signal: Signal) -> () = Call::Kill { pid, signal }, Ret::Unit => ();
    /// A child that runs `image` and inherits the descriptors `keep`, under
    /// their numbers, and a copy of the memory cells. EBADF, EAGAIN.
    spawn(image: Image, keep: &[Fd]) -> Pid
        = Call::Spawn { image, keep: keep.into() }, Ret::Pid(pid) => pid;
    /// `fork`: a child that inherits every descriptor and a copy of the memory cells;
    /// `image` is what it does from here on. A lock that belongs to a description is the
    /// child's too. EAGAIN.
    fork(image: Image) -> Pid = Call::Fork { image }, Ret::Pid(pid) => pid;
    /// `fcntl` with `F_SETFD`: whether [`exec`](Self::exec) closes the descriptor. `open`
    /// sets it if asked by [`OpenFlags::CLOEXEC`], `pidfd_open` always. EBADF.
    set_close_on_exec(fd: Fd, on: bool) -> ()
        = Call::SetCloseOnExec { fd, on }, Ret::Unit => ();
    /// `fcntl` with `F_GETFD`. EBADF.
    close_on_exec(fd: Fd) -> bool
        = Call::GetCloseOnExec { fd }, Ret::CloseOnExec(on) => on;
    /// `waitpid`: waits for the child to end, and takes how it did. ECHILD, EINTR.
    wait(pid: Pid) -> ExitStatus = Call::Wait { pid }, Ret::Exited(status) => status;
    /// `waitpid` of -1: waits for any child to end. Of several that have, the one that
    /// has been a child for longest, those that this thread has made before others'. ECHILD.
    wait_any() -> (Pid, ExitStatus) = Call::WaitAny, Ret::Child(Some(child)) => child;
    /// `waitpid` with `WNOHANG`, of one child or any; `None` while none has ended. ECHILD.
    try_wait(child: Option<Pid>) -> Option<(Pid, ExitStatus)>
        = Call::TryWait { child }, Ret::Child(ended) => ended;
    /// `prctl(PR_SET_CHILD_SUBREAPER)`: this process, instead of init, becomes the parent
    /// of its descendants whose parents end.
    child_subreaper(on: bool) -> () = Call::ChildSubreaper { on }, Ret::Unit => ();
    /// `pthread_create`: a thread of this process that runs `image`; its id. It shares
    /// descriptors and memory cells. Returning from its program ends the thread; a panic
    /// in it, the process. EAGAIN.
    spawn_thread(image: Image) -> Pid = Call::SpawnThread { image }, Ret::Pid(tid) => tid;
    /// `pthread_join`: waits until no thread of this process has this id; at once if none
    /// has. EDEADLK for its own.
    join(tid: Pid) -> () = Call::Join { tid }, Ret::Unit => ();
    /// A descriptor that stands for a process, whatever becomes of its pid. ESRCH, EMFILE,
    /// EINVAL for pid 0.
    pidfd_open(pid: Pid) -> Fd = Call::PidfdOpen { pid }, Ret::Fd(fd) => fd;
    /// `kill` through a pidfd: never another process. ESRCH once it has been waited for,
    /// EPERM for another user's, EBADF.
    pidfd_send_signal(pidfd: Fd, signal: Signal) -> ()
        = Call::PidfdSendSignal { pidfd, signal }, Ret::Unit => ();
    /// `poll` for reading: those of `fds` that can be read, which for a pidfd means
    /// that the process has ended. Waits no longer than `timeout`, then none can; for
    /// ever without. EINTR, EBADF where Linux returns and says POLLNVAL.
    poll(fds: &[Fd], timeout: Option<Duration>) -> Arc<[Fd]>
        = Call::Poll { fds: fds.into(), timeout }, Ret::Ready(ready) => ready;
    /// A Unix stream socket. EMFILE.
    socket() -> Fd = Call::Socket, Ret::Fd(fd) => fd;
    /// `bind`: gives a socket a name in the file system. EADDRINUSE, ENOENT, EINVAL, ENOTSOCK.
    bind(fd: Fd, path: impl Into<SmolStr>) -> ()
        = Call::Bind { fd, path: path.into() }, Ret::Unit => ();
    /// `listen`: lets so many connections and one more wait for `accept`. EINVAL, ENOTSOCK.
    listen(fd: Fd, backlog: u32) -> () = Call::Listen { fd, backlog }, Ret::Unit => ();
    /// `connect`; waits while too many wait for `accept`. ENOENT, EACCES without write
    /// permission, ECONNREFUSED when nobody listens, EAGAIN after the time-out, EINTR, EISCONN, EINVAL
    /// of a listener, ENOTDIR, ENOTSOCK.
    connect(fd: Fd, path: impl Into<SmolStr>) -> ()
        = Call::Connect { fd, path: path.into() }, Ret::Unit => ();
    /// `accept`; waits for a connection. EAGAIN after the time-out, EINTR, EINVAL,
    /// ENOTSOCK, EMFILE.
    accept(fd: Fd) -> Fd = Call::Accept { fd }, Ret::Fd(fd) => fd;
    /// `send` with `MSG_NOSIGNAL`: all of it; waits while the other end has not received
    /// enough. EPIPE when nobody can receive it, ECONNRESET when that shows while it
    /// waits, EAGAIN after the time-out, EINTR, ENOTCONN, ENOTSOCK.
    send(fd: Fd, data: impl Into<Arc<[u8]>>) -> u32
        = Call::Send { fd, data: data.into() }, Ret::Len(len) => len;
    /// `recv`, at most `len` bytes; waits for some; empty at the end. EAGAIN after the
    /// time-out, EINTR, ECONNRESET, EINVAL when not connected, ENOTSOCK.
    recv(fd: Fd, len: u32) -> Arc<[u8]> = Call::Recv { fd, len }, Ret::Bytes(bytes) => bytes;
    /// `shutdown`: ends a direction, or both, for all who have the socket. ENOTSOCK.
    shutdown(fd: Fd, how: Shutdown) -> () = Call::Shutdown { fd, how }, Ret::Unit => ();
    /// `setsockopt`: how long a call on the socket waits at most. ENOTSOCK.
    ///
    /// A wait that has a time-out fails with EINTR after its process was stopped and
    /// continued; one that has none goes on.
    set_timeout(fd: Fd, of: Direction, timeout: Option<Duration>) -> ()
        = Call::SetTimeout { fd, of, timeout }, Ret::Unit => ();
    /// `getsockopt` with `SO_PEERCRED`: who made the connection at the other end, or
    /// listened for it. ENOTSOCK.
    peer_cred(fd: Fd) -> PeerCred = Call::PeerCred { fd }, Ret::PeerCred(cred) => cred;
    /// `prctl(PR_SET_PDEATHSIG)`: this process gets the signal when its parent ends.
    /// A parent that has ended before is not noticed: ask [`getppid`](Self::getppid) then.
    parent_death_signal(signal: Signal) -> ()
        = Call::ParentDeathSignal { signal }, Ret::Unit => ();
    /// `sigaction`: what this process does at a signal from now on. EINVAL for what cannot be
    /// chosen.
    sigaction(signal: Signal, disposition: Disposition) -> ()
        = Call::Sigaction { signal, disposition }, Ret::Unit => ();
    /// `setitimer(ITIMER_REAL)`: `SIGALRM` after so much time, once; 0 for never. What was
    /// left of the timer before.
    setitimer(after: Duration) -> Duration = Call::Setitimer { after }, Ret::Time(left) => left;
    /// `clock_nanosleep` on the monotonic clock. EINTR, whatever `SA_RESTART` says.
    nanosleep(duration: Duration) -> () = Call::Nanosleep { duration }, Ret::Unit => ();
    /// Reads a memory cell of this process; one never written holds 0.
    cell_read(cell: impl Into<SmolStr>) -> i64
        = Call::CellRead { cell: cell.into() }, Ret::Cell(value) => value;
    /// Writes a memory cell of this process.
    cell_write(cell: impl Into<SmolStr>, value: i64) -> ()
        = Call::CellWrite { cell: cell.into(), value }, Ret::Unit => ();
    /// Writes `new` if the cell holds `expected`, atomically; what it held.
    cell_swap(cell: impl Into<SmolStr>, expected: i64, new: i64) -> i64
        = Call::CellSwap { cell: cell.into(), expected, new }, Ret::Cell(held) => held;
    /// `FUTEX_WAIT`: waits, if the cell holds `expected`, until a
    /// [`futex_wake`](Self::futex_wake). EAGAIN if it holds something else, be it after
    /// a stop that ended; ETIMEDOUT.
    futex_wait(cell: impl Into<SmolStr>, expected: i64, timeout: Option<Duration>) -> ()
        = Call::FutexWait { cell: cell.into(), expected, timeout }, Ret::Unit => ();
    /// `FUTEX_WAKE`: wakes those who wait for the cell, at most `count` but one at least;
    /// how many.
    futex_wake(cell: impl Into<SmolStr>, count: u32) -> u32
        = Call::FutexWake { cell: cell.into(), count }, Ret::Len(woken) => woken;
}

impl Sys {
    async fn ask(&self, call: Call) -> Reply {
        Ask { slot: &self.0, call: Some(call) }.await
    }
}
