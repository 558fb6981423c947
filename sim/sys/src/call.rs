mod words;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::{
    Clock, Direction, Disposition, Fd, FlockOp, Image, LockCommand, Mode, OpenFlags, Pid,
    RecordLock, RenameFlag, Shutdown, Signal, Uid,
};

/// One system call: data before it runs, one atomic step when it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the fields are the arguments of the Linux calls")]
pub enum Call {
    /// `mode` is what a file gets that this creates, but for the umask.
    Open {
        path: SmolStr,
        flags: OpenFlags,
        mode: Mode,
    },
    Read {
        fd: Fd,
        len: u32,
    },
    Write {
        fd: Fd,
        data: Arc<[u8]>,
    },
    Close {
        fd: Fd,
    },
    Dup {
        fd: Fd,
    },
    Stat {
        path: SmolStr,
    },
    Lstat {
        path: SmolStr,
    },
    Fstat {
        fd: Fd,
    },
    Link {
        old: SmolStr,
        new: SmolStr,
    },
    /// `linkat` of `/proc/self/fd/FD`, followed: a name for what is open.
    LinkFd {
        fd: Fd,
        new: SmolStr,
    },
    Symlink {
        target: SmolStr,
        path: SmolStr,
    },
    Readlink {
        path: SmolStr,
    },
    Rename {
        old: SmolStr,
        new: SmolStr,
    },
    Renameat2 {
        old: SmolStr,
        new: SmolStr,
        flag: RenameFlag,
    },
    Unlink {
        path: SmolStr,
    },
    /// FreeBSD's: removes a name if it means what `fd` is open on. Directories
    /// alone with `removedir`, `AT_REMOVEDIR`.
    Funlinkat {
        path: SmolStr,
        fd: Fd,
        removedir: bool,
    },
    Mkdir {
        path: SmolStr,
        mode: Mode,
    },
    Rmdir {
        path: SmolStr,
    },
    /// Of a file or of a directory.
    Fsync {
        fd: Fd,
    },
    /// `getdents`: every entry but `.` and `..`, sorted by name.
    Readdir {
        fd: Fd,
    },
    /// Sets the modification time, to now without one. A symbolic link's own
    /// unless it is to be followed (`AT_SYMLINK_NOFOLLOW`).
    Utimensat {
        path: SmolStr,
        mtime: Option<Duration>,
        follow: bool,
    },
    Futimens {
        fd: Fd,
        mtime: Option<Duration>,
    },
    Flock {
        fd: Fd,
        op: FlockOp,
    },
    Chmod {
        path: SmolStr,
        mode: Mode,
    },
    Fchmod {
        fd: Fd,
        mode: Mode,
    },
    /// Gives a file to a user and to his group.
    Chown {
        path: SmolStr,
        uid: Uid,
    },
    Getuid,
    /// `setuid`; before it, root gives up its groups for the user's own.
    Setuid {
        uid: Uid,
    },
    Fcntl {
        fd: Fd,
        command: LockCommand,
        lock: RecordLock,
    },
    Getpid,
    /// One reading of `/proc/PID/stat`.
    ProcStat {
        pid: Pid,
    },
    /// One reading of `/proc/sys/kernel/random/boot_id`.
    BootId,
    /// `readlink /proc/self/ns/pid`: the inode number of the pid namespace in
    /// which this process speaks of pids.
    PidNamespace,
    /// `gethostname`: a container has one of its own.
    Hostname,
    Kill {
        pid: Pid,
        signal: Signal,
    },
    /// Fork and exec at once, as careful programs do it: a child that runs
    /// `image`, inherits the descriptors `keep` under their numbers and no
    /// others, and a copy of every memory cell. Written
    /// down, it cannot be read back: an image is code.
    #[serde(skip_deserializing)]
    Spawn {
        image: Image,
        keep: Arc<[Fd]>,
    },
    /// A child that inherits every descriptor, under its number and with its
    /// flag, and a copy of every memory cell. `image` is what it does from here
    /// on.
    #[serde(skip_deserializing)]
    Fork {
        image: Image,
    },
    /// The process runs `image` from its beginning. It stays who it is; the
    /// descriptors marked close-on-exec, the memory cells and all other threads
    /// are gone.
    #[serde(skip_deserializing)]
    Exec {
        image: Image,
    },
    /// `fcntl` with `F_SETFD`: whether [`Exec`](Self::Exec) closes the descriptor.
    SetCloseOnExec {
        fd: Fd,
        on: bool,
    },
    /// `fcntl` with `F_GETFD`.
    GetCloseOnExec {
        fd: Fd,
    },
    /// `exit_group`: ends the process, with all its threads.
    Exit {
        code: u8,
    },
    /// Waits for the child `pid` to end and takes its status.
    Wait {
        pid: Pid,
    },
    /// Waits for any child to end, and takes its status: `waitpid` of -1.
    WaitAny,
    /// Does not wait (`WNOHANG`), for this child or any.
    TryWait {
        child: Option<Pid>,
    },
    /// `prctl(PR_SET_CHILD_SUBREAPER)`: whether this process, instead of init,
    /// becomes the parent of orphans among its descendants.
    ChildSubreaper {
        on: bool,
    },
    /// `pthread_create`: another task in this process, which runs `image` on the
    /// same descriptors and memory cells.
    #[serde(skip_deserializing)]
    SpawnThread {
        image: Image,
    },
    Gettid,
    /// `exit`, not `exit_group`: ends this thread alone; the last one's end is
    /// the process's, with this code.
    ThreadExit {
        code: u8,
    },
    /// `pthread_join`: waits until no thread of this process has the id `tid`.
    Join {
        tid: Pid,
    },
    Getppid,
    /// `prctl(PR_SET_PDEATHSIG)`: the signal that this process gets when its
    /// parent ends; 0 for none. The parent is a *thread*: whoever starts the
    /// child must live as long as its process. And so is the child: what a
    /// thread has asked for is forgotten with it.
    ParentDeathSignal {
        signal: Signal,
    },
    Sigaction {
        signal: Signal,
        disposition: Disposition,
    },
    /// `setitimer(ITIMER_REAL)`, once: this process gets `SIGALRM` when so much
    /// time has passed; 0 for never. Linux counts in microseconds.
    Setitimer {
        after: Duration,
    },
    /// A descriptor that stands for a process, not for its pid.
    PidfdOpen {
        pid: Pid,
    },
    PidfdSendSignal {
        pidfd: Fd,
        signal: Signal,
    },
    /// Waits until one of `fds` can be read: a process that a pidfd stands for
    /// has ended, or a socket has something to receive or accept. No longer
    /// than `timeout`; for ever without.
    Poll {
        fds: Arc<[Fd]>,
        timeout: Option<Duration>,
    },
    /// `socket(AF_UNIX, SOCK_STREAM)`.
    Socket,
    Bind {
        fd: Fd,
        path: SmolStr,
    },
    Listen {
        fd: Fd,
        backlog: u32,
    },
    Connect {
        fd: Fd,
        path: SmolStr,
    },
    Accept {
        fd: Fd,
    },
    /// With `MSG_NOSIGNAL`.
    Send {
        fd: Fd,
        data: Arc<[u8]>,
    },
    Recv {
        fd: Fd,
        len: u32,
    },
    Shutdown {
        fd: Fd,
        how: Shutdown,
    },
    /// `setsockopt` with `SO_RCVTIMEO` or `SO_SNDTIMEO`; `None` waits for ever.
    SetTimeout {
        fd: Fd,
        of: Direction,
        timeout: Option<Duration>,
    },
    /// `getsockopt` with `SO_PEERCRED`.
    PeerCred {
        fd: Fd,
    },
    ClockGettime {
        clock: Clock,
    },
    Nanosleep {
        duration: Duration,
    },
    Getrandom {
        len: u8,
    },
    /// Reads a memory cell of this process; one never written holds 0.
    CellRead {
        cell: SmolStr,
    },
    CellWrite {
        cell: SmolStr,
        value: i64,
    },
    /// An atomic compare-and-swap: writes `new` if the cell holds `expected`.
    /// The reply is what it held.
    CellSwap {
        cell: SmolStr,
        expected: i64,
        new: i64,
    },
    /// `futex` with `FUTEX_WAIT_PRIVATE`: waits for a wake, if the cell holds
    /// `expected`; no longer than `timeout`.
    FutexWait {
        cell: SmolStr,
        expected: i64,
        timeout: Option<Duration>,
    },
    /// `futex` with `FUTEX_WAKE_PRIVATE`: wakes so many of those who wait for
    /// the cell, in the order in which they came; one if told none.
    FutexWake {
        cell: SmolStr,
        count: u32,
    },
    /// One reading of `/proc/PID/status`.
    ProcStatus {
        pid: Pid,
    },
}
