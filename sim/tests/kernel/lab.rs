//! A machine to make calls on, in few words.

use std::sync::Arc;

use locklab_sim::kernel::{Kernel, MachineConfig, MachineId, Outcome, ProcId, State, TaskId};
use locklab_sys::{
    Call, Disposition, Errno, Fd, FlockOp, Image, LockCommand, LockKind, Mode, OpenFlags, Pid,
    ProcStat, ProcStatus, RecordLock, RenameFlag, Reply, Ret, Signal, SmolStr, Stat, Uid,
};

pub const MACHINE: MachineId = MachineId(0);

/// A parent and its child, with the child's pid.
pub fn family() -> (Lab, TaskId, TaskId, Pid) {
    let mut lab = Lab::new();
    let parent = lab.launch("a");
    let (_, child) = lab.spawn(parent, &[]).unwrap();
    let pid = lab.pid(child);
    (lab, parent, child, pid)
}

/// Root, and in `/tmp` a file `f` with a second name `g`, an empty directory `e`, and
/// a directory `d` with a file `f` and an empty directory `s`. In a file is its path.
pub fn tree() -> (Lab, TaskId) {
    let mut lab = Lab::new();
    let root = lab.launch_as("a", Uid::ROOT);
    for dir in ["/tmp/d", "/tmp/d/s", "/tmp/e"] {
        lab.unit(root, &mkdir(dir)).unwrap();
    }
    lab.put(root, "/tmp/f", "f");
    lab.put(root, "/tmp/d/f", "d/f");
    lab.unit(root, &link("/tmp/f", "/tmp/g")).unwrap();
    (lab, root)
}

/// A kernel with one machine. A call that waits fails the test, unless it is
/// made by [`Lab::begin`].
#[derive(Clone)]
pub struct Lab {
    pub kernel: Kernel,
}

impl Lab {
    pub fn new() -> Self {
        Self::with(MachineConfig::default())
    }

    pub fn with(config: MachineConfig) -> Self {
        Self { kernel: Kernel::new(&[config], 1) }
    }

    pub fn launch(&mut self, name: &str) -> TaskId {
        self.kernel.launch(MACHINE, name.into()).1
    }

    pub fn launch_as(&mut self, name: &str, uid: Uid) -> TaskId {
        self.kernel.launch_as(MACHINE, name.into(), uid, None).1
    }

    pub fn launch_in(&mut self, container: &str, name: &str) -> TaskId {
        let container = SmolStr::new(container);
        self.kernel.launch_as(MACHINE, name.into(), Uid::USER, Some(&container)).1
    }

    pub fn call(&mut self, task: TaskId, call: &Call) -> Reply {
        match self.kernel.call(task, call) {
            Outcome::Done(reply) | Outcome::Spawned { reply, .. } => reply,
            other => panic!("{call} gave {other:?}"),
        }
    }

    /// Makes each call on a copy of its own.
    pub fn check(&self, task: TaskId, rows: impl IntoIterator<Item = (Call, Result<(), Errno>)>) {
        for (call, expected) in rows {
            assert_eq!(self.clone().call(task, &call).map(|_| ()), expected, "{call}");
        }
    }

    /// A call that waits.
    pub fn begin(&mut self, task: TaskId, call: &Call) {
        assert_eq!(self.kernel.call(task, call), Outcome::Blocked, "{call}");
        assert!(self.kernel.is_blocked(task));
    }

    /// A call that gives a descriptor.
    pub fn fd(&mut self, task: TaskId, call: &Call) -> Result<Fd, Errno> {
        self.call(task, call).map(|ret| match ret {
            Ret::Fd(fd) => fd,
            other => panic!("{call} gave {other:?}"),
        })
    }

    pub fn unit(&mut self, task: TaskId, call: &Call) -> Result<(), Errno> {
        self.call(task, call).map(|ret| assert_eq!(ret, Ret::Unit, "{call}"))
    }

    pub fn open(&mut self, task: TaskId, path: &str, flags: OpenFlags) -> Result<Fd, Errno> {
        self.fd(task, &open(path, flags))
    }

    pub fn read(&mut self, task: TaskId, fd: Fd, len: u32) -> Result<String, Errno> {
        self.call(task, &Call::Read { fd, len }).map(|ret| match ret {
            Ret::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => panic!("read gave {other:?}"),
        })
    }

    pub fn write(&mut self, task: TaskId, fd: Fd, data: &str) -> Result<u32, Errno> {
        self.call(task, &write(fd, data.as_bytes())).map(|ret| match ret {
            Ret::Len(len) => len,
            other => panic!("write gave {other:?}"),
        })
    }

    pub fn close(&mut self, task: TaskId, fd: Fd) -> Result<(), Errno> {
        self.unit(task, &Call::Close { fd })
    }

    pub fn fsync(&mut self, task: TaskId, fd: Fd) -> Result<(), Errno> {
        self.unit(task, &Call::Fsync { fd })
    }

    pub fn flock(&mut self, task: TaskId, fd: Fd, op: FlockOp) -> Result<(), Errno> {
        self.unit(task, &Call::Flock { fd, op })
    }

    /// `fcntl` with a record lock.
    pub fn lock(
        &mut self,
        task: TaskId,
        fd: Fd,
        command: LockCommand,
        lock: RecordLock,
    ) -> Result<(), Errno> {
        self.unit(task, &Call::Fcntl { fd, command, lock })
    }

    pub fn sigaction(&mut self, task: TaskId, signal: Signal, disposition: Disposition) {
        self.unit(task, &Call::Sigaction { signal, disposition }).expect("it can be chosen");
    }

    /// A memory cell.
    pub fn cell(&mut self, task: TaskId, cell: &'static str) -> i64 {
        match self.call(task, &Call::CellRead { cell: SmolStr::new_static(cell) }) {
            Ok(Ret::Cell(value)) => value,
            other => panic!("a cell gave {other:?}"),
        }
    }

    pub fn stat(&mut self, task: TaskId, path: &str) -> Result<Stat, Errno> {
        self.call(task, &Call::Stat { path: path.into() }).map(as_stat)
    }

    pub fn lstat(&mut self, task: TaskId, path: &str) -> Result<Stat, Errno> {
        self.call(task, &lstat(path)).map(as_stat)
    }

    pub fn readlink(&mut self, task: TaskId, path: &str) -> Result<String, Errno> {
        self.call(task, &readlink(path)).map(|ret| match ret {
            Ret::Path(target) => target.to_string(),
            other => panic!("readlink gave {other:?}"),
        })
    }

    pub fn fstat(&mut self, task: TaskId, fd: Fd) -> Result<Stat, Errno> {
        self.call(task, &Call::Fstat { fd }).map(as_stat)
    }

    pub fn names(&mut self, task: TaskId, path: &str) -> Result<Vec<String>, Errno> {
        let fd = self.open(task, path, OpenFlags::RDONLY)?;
        let names = self.call(task, &Call::Readdir { fd });
        self.close(task, fd)?;
        names.map(|ret| match ret {
            Ret::Names(names) => names.iter().map(|entry| entry.name.to_string()).collect(),
            other => panic!("readdir gave {other:?}"),
        })
    }

    /// A whole file written, as a shell's `>` does.
    pub fn put(&mut self, task: TaskId, path: &str, content: &str) -> u64 {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
        let fd = self.open(task, path, flags).expect("the file opens");
        self.write(task, fd, content).expect("the file is written");
        let ino = self.fstat(task, fd).expect("the file is open").ino;
        self.close(task, fd).expect("the file closes");
        ino
    }

    pub fn get(&mut self, task: TaskId, path: &str) -> Result<String, Errno> {
        let fd = self.open(task, path, OpenFlags::RDONLY)?;
        let content = self.read(task, fd, u32::MAX);
        self.close(task, fd)?;
        content
    }

    pub fn pid(&mut self, task: TaskId) -> Pid {
        self.kernel.process(self.kernel.process_of(task)).pid
    }

    pub fn pid_of(&self, proc: ProcId) -> Pid {
        self.kernel.process(proc).pid
    }

    pub fn proc_stat(&mut self, task: TaskId, pid: Pid) -> Result<ProcStat, Errno> {
        self.call(task, &Call::ProcStat { pid }).map(|ret| match ret {
            Ret::ProcStat(stat) => stat,
            other => panic!("a reading of /proc gave {other:?}"),
        })
    }

    pub fn proc_status(&mut self, task: TaskId, pid: Pid) -> Result<ProcStatus, Errno> {
        self.call(task, &Call::ProcStatus { pid }).map(|ret| match ret {
            Ret::ProcStatus(status) => status,
            other => panic!("a reading of /proc gave {other:?}"),
        })
    }

    pub fn signal(&mut self, task: TaskId, pid: Pid, signal: Signal) -> Result<(), Errno> {
        self.unit(task, &Call::Kill { pid, signal })
    }

    pub fn spawn(&mut self, task: TaskId, keep: &[Fd]) -> Result<(ProcId, TaskId), Errno> {
        match self.kernel.call(task, &spawn(keep)) {
            Outcome::Spawned { proc, task, .. } => Ok((proc, task)),
            Outcome::Done(Err(errno)) => Err(errno),
            other => panic!("spawn gave {other:?}"),
        }
    }

    /// Another thread in the task's process, and its id.
    pub fn thread(&mut self, task: TaskId) -> (TaskId, Pid) {
        match self.kernel.call(task, &Call::SpawnThread { image: image("thread") }) {
            Outcome::Spawned { reply: Ok(Ret::Pid(tid)), task: thread, .. } => (thread, tid),
            other => panic!("a new thread gave {other:?}"),
        }
    }

    /// A child that has all that its parent has.
    pub fn fork(&mut self, task: TaskId) -> TaskId {
        match self.kernel.call(task, &Call::Fork { image: image("child") }) {
            Outcome::Spawned { task, .. } => task,
            other => panic!("fork gave {other:?}"),
        }
    }

    pub fn exec(&mut self, task: TaskId) {
        let outcome = self.kernel.call(task, &Call::Exec { image: image("next") });
        assert!(matches!(outcome, Outcome::Executed { .. }), "{outcome:?}");
    }

    /// One thread ends; whether others go on is for the test to know.
    pub fn thread_exit(&mut self, task: TaskId, code: u8) {
        assert_eq!(self.kernel.call(task, &Call::ThreadExit { code }), Outcome::Ended);
    }

    /// How the process of a task is.
    pub fn state(&self, task: TaskId) -> State {
        self.kernel.process(self.kernel.process_of(task)).state
    }

    /// What a call that waited gives now.
    pub fn finish(&mut self, task: TaskId) -> Reply {
        assert!(self.kernel.ready(task), "the call could return");
        self.kernel.finish(task)
    }

    pub fn exit(&mut self, task: TaskId, code: u8) {
        assert_eq!(self.kernel.call(task, &Call::Exit { code }), Outcome::Ended);
    }
}

pub fn open(path: &str, flags: OpenFlags) -> Call {
    Call::Open { path: path.into(), flags, mode: Mode::FILE }
}

pub fn write(fd: Fd, data: &[u8]) -> Call {
    Call::Write { fd, data: data.into() }
}

pub fn spawn(keep: &[Fd]) -> Call {
    Call::Spawn { image: image("child"), keep: Arc::from(keep) }
}

pub fn image(name: &str) -> Image {
    Image::new(name, "", async |_| 0)
}

pub fn stat(path: &str) -> Call {
    Call::Stat { path: path.into() }
}

pub fn lstat(path: &str) -> Call {
    Call::Lstat { path: path.into() }
}

pub fn symlink(target: &str, path: &str) -> Call {
    Call::Symlink { target: target.into(), path: path.into() }
}

pub fn readlink(path: &str) -> Call {
    Call::Readlink { path: path.into() }
}

pub fn mkdir(path: &str) -> Call {
    Call::Mkdir { path: path.into(), mode: Mode::DIRECTORY }
}

pub fn rmdir(path: &str) -> Call {
    Call::Rmdir { path: path.into() }
}

pub fn unlink(path: &str) -> Call {
    Call::Unlink { path: path.into() }
}

pub fn link(old: &str, new: &str) -> Call {
    let [old, new] = [old, new].map(SmolStr::new);
    Call::Link { old, new }
}

pub fn rename(old: &str, new: &str) -> Call {
    let [old, new] = [old, new].map(SmolStr::new);
    Call::Rename { old, new }
}

pub fn renameat2(old: &str, new: &str, flag: RenameFlag) -> Call {
    Call::Renameat2 { old: old.into(), new: new.into(), flag }
}

pub fn link_fd(fd: Fd, new: &str) -> Call {
    Call::LinkFd { fd, new: new.into() }
}

pub const fn rd(start: i64, len: i64) -> RecordLock {
    RecordLock { kind: LockKind::Read, start, len }
}

pub const fn wr(start: i64, len: i64) -> RecordLock {
    RecordLock { kind: LockKind::Write, start, len }
}

pub const fn un(start: i64, len: i64) -> RecordLock {
    RecordLock { kind: LockKind::Unlock, start, len }
}

fn as_stat(ret: Ret) -> Stat {
    match ret {
        Ret::Stat(stat) => stat,
        other => panic!("stat gave {other:?}"),
    }
}
