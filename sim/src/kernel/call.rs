//! What each call does.

use std::sync::Arc;

use locklab_sys::{Call, Errno, ExitStatus, Fd, PeerCred, Pid, Reply, Ret, Uid};

use super::files::Files;
use super::fs::{Caller, DescriptionId};
use super::socket::Operation;
use super::{Kernel, Outcome, ProcId, TaskId, random};

impl Kernel {
    /// Performs one call of a task, atomically.
    ///
    /// # Panics
    ///
    /// When the task cannot make a call: its process is stopped or has ended,
    /// or another call of it still waits.
    pub fn call(&mut self, task: TaskId, call: &Call) -> Outcome {
        let proc = self.process_of(task);
        let process = self.process(proc);
        assert!(
            process.is_alive() && !process.is_stopped() && !self.task(task).is_held_up(),
            "{} calls though it cannot run",
            process.name
        );
        match call {
            Call::Open { path, flags, mode } => self.files(proc).open(path, *flags, *mode).into(),
            Call::Read { fd, len } => self.read(task, *fd, *len),
            Call::Write { fd, data } => self.write(task, *fd, data),
            Call::Close { fd } => self.close(proc, *fd).into(),
            Call::Dup { fd } => self.files(proc).dup(*fd).into(),
            Call::Stat { path } => self.files(proc).stat(path).into(),
            Call::Lstat { path } => self.files(proc).lstat(path).into(),
            Call::Fstat { fd } => self.files(proc).fstat(*fd).into(),
            Call::Link { old, new } => self.files(proc).link(old, new).into(),
            Call::LinkFd { fd, new } => self.files(proc).link_fd(*fd, new).into(),
            Call::Symlink { target, path } => self.files(proc).symlink(target, path).into(),
            Call::Readlink { path } => self.files(proc).readlink(path).into(),
            Call::Rename { old, new } => self.files(proc).rename(old, new, None).into(),
            Call::Renameat2 { old, new, flag } => {
                self.files(proc).rename(old, new, Some(*flag)).into()
            }
            Call::Unlink { path } => self.files(proc).unlink(path).into(),
            Call::Funlinkat { .. } if !self.machine_of(proc).funlinkat => Errno::ENOSYS.into(),
            Call::Funlinkat { path, fd, removedir } => {
                self.files(proc).funlinkat(path, *fd, *removedir).into()
            }
            Call::Mkdir { path, mode } => self.files(proc).mkdir(path, *mode).into(),
            Call::Rmdir { path } => self.files(proc).rmdir(path).into(),
            Call::Fsync { fd } => self.files(proc).fsync(*fd).into(),
            Call::Readdir { fd } => self.files(proc).readdir(*fd).into(),
            Call::Utimensat { path, mtime, follow } => {
                self.files(proc).utimensat(path, *mtime, *follow).into()
            }
            Call::Futimens { fd, mtime } => self.files(proc).futimens(*fd, *mtime).into(),
            Call::Flock { fd, op } => self.flock(task, *fd, *op),
            Call::Chmod { path, mode } => self.files(proc).chmod(path, *mode).into(),
            Call::Fchmod { fd, mode } => self.files(proc).fchmod(*fd, *mode).into(),
            Call::Chown { path, uid } => self.files(proc).chown(path, *uid).into(),
            Call::Getuid => Ret::Uid(process.uid).into(),
            Call::Setuid { uid } => self.set_uid(proc, *uid).into(),
            Call::Fcntl { fd, command, lock } => self.fcntl(task, *fd, *command, lock),
            Call::Getpid => Ret::Pid(process.pid).into(),
            Call::ProcStat { pid } => self.proc_stat(proc, *pid).into(),
            Call::ProcStatus { pid } => self.proc_status(proc, *pid).into(),
            Call::BootId => Ret::BootId(self.machine_of(proc).boot_id).into(),
            Call::PidNamespace => {
                let machine = self.machine(process.machine);
                Ret::Namespace(machine.containers.namespace(process.inside)).into()
            }
            Call::Hostname => {
                let machine = self.machine(process.machine);
                let own = machine.containers.hostname(process.inside);
                Ret::Hostname(own.unwrap_or(&machine.hostname).clone()).into()
            }
            Call::Kill { pid, signal } => self.signal(proc, *pid, *signal),
            Call::Spawn { image, keep } => self.spawn(task, image, keep),
            Call::Fork { image } => self.fork(task, image),
            Call::Exec { image } => self.exec(task, image),
            Call::Exit { code } => {
                self.end(proc, ExitStatus::Code(*code));
                Outcome::Ended
            }
            Call::Wait { pid } => self.wait(task, *pid),
            Call::WaitAny => self.wait_any(task),
            Call::TryWait { child } => self.try_wait(task, *child).into(),
            Call::ChildSubreaper { on } => {
                self.process_mut(proc).is_subreaper = *on;
                Ret::Unit.into()
            }
            Call::SpawnThread { image } => self.spawn_thread(task, image),
            Call::Gettid => Ret::Pid(self.tid(task)).into(),
            Call::ThreadExit { code } => self.thread_exit(task, *code),
            Call::Join { tid } => self.join(task, *tid),
            Call::Getppid => Ret::Pid(self.parent_pid_for(proc, proc)).into(),
            Call::ParentDeathSignal { signal } => {
                self.set_parent_death_signal(task, *signal);
                Ret::Unit.into()
            }
            Call::Sigaction { signal, disposition } => {
                self.process_mut(proc).signals.choose(*signal, *disposition).into()
            }
            Call::Setitimer { after } => self.setitimer(proc, *after).into(),
            Call::PidfdOpen { pid } => self.pidfd_open(proc, *pid).into(),
            Call::PidfdSendSignal { pidfd, signal } => self.pidfd_signal(proc, *pidfd, *signal),
            Call::Poll { fds, timeout } => self.poll(task, fds, *timeout),
            Call::SetCloseOnExec { fd, on } => {
                self.process_mut(proc).descriptors.set_close_on_exec(*fd, *on).into()
            }
            Call::GetCloseOnExec { fd } => process.descriptors.close_on_exec(*fd).into(),
            Call::Socket => self.files(proc).socket().into(),
            Call::Bind { fd, path } => self.files(proc).bind(*fd, path).into(),
            Call::Listen { fd, backlog } => self.files(proc).listen(*fd, *backlog).into(),
            Call::Connect { fd, path } => {
                let connect = Operation::Connect { path: path.clone(), listener: None };
                self.on_socket(task, *fd, connect)
            }
            Call::Accept { fd } => self.accept(task, *fd),
            Call::Send { fd, data } => {
                self.on_socket(task, *fd, Operation::Send { data: data.clone() })
            }
            Call::Recv { fd, len } => self.on_socket(task, *fd, Operation::Receive { len: *len }),
            Call::Shutdown { fd, how } => self.shutdown(proc, *fd, *how).into(),
            Call::SetTimeout { fd, of, timeout } => {
                self.files(proc).set_timeout(*fd, *of, *timeout).into()
            }
            Call::PeerCred { fd } => self.peer_cred(proc, *fd).into(),
            Call::ClockGettime { clock } => Ret::Time(self.clock(process.machine, *clock)).into(),
            Call::Nanosleep { duration } => self.nanosleep(task, *duration),
            Call::Getrandom { len } => {
                let seed = self.seed;
                let drawn = &mut self.process_mut(proc).drawn;
                let bytes = random::bytes(seed, proc, *drawn, *len);
                *drawn += u64::from(*len);
                Ret::Bytes(bytes).into()
            }
            Call::CellRead { cell } => Ret::Cell(process.cells.read(cell)).into(),
            Call::CellWrite { cell, value } => {
                self.process_mut(proc).cells.write(cell, *value);
                Ret::Unit.into()
            }
            Call::CellSwap { cell, expected, new } => {
                Ret::Cell(self.process_mut(proc).cells.swap(cell, *expected, *new)).into()
            }
            Call::FutexWait { cell, expected, timeout } => {
                self.futex_wait(task, cell, *expected, *timeout)
            }
            Call::FutexWake { cell, count } => Ret::Len(self.futex_wake(proc, cell, *count)).into(),
        }
    }

    /// Files come first: they say EINVAL of what is none.
    fn read(&mut self, task: TaskId, fd: Fd, len: u32) -> Outcome {
        let proc = self.process_of(task);
        match self.files(proc).read(fd, len) {
            Err(Errno::EINVAL) if self.files(proc).socket_at(fd).is_ok() => match len {
                // Only `recv` waits for no bytes.
                0 => Ret::Bytes(Arc::default()).into(),
                _ => self.on_socket(task, fd, Operation::Receive { len }),
            },
            reply => reply.into(),
        }
    }

    fn write(&mut self, task: TaskId, fd: Fd, data: &Arc<[u8]>) -> Outcome {
        let proc = self.process_of(task);
        match self.files(proc).write(fd, data) {
            Err(Errno::EINVAL) if self.files(proc).socket_at(fd).is_ok() => {
                self.on_socket(task, fd, Operation::Send { data: data.clone() })
            }
            reply => reply.into(),
        }
    }

    fn close(&mut self, proc: ProcId, fd: Fd) -> Reply {
        let description = self.process_mut(proc).descriptors.remove(fd)?;
        self.close_description(proc, description);
        Ok(Ret::Unit)
    }

    /// One descriptor of a process less stands for a description.
    pub(super) fn close_description(&mut self, proc: ProcId, id: DescriptionId) {
        let machine = self.machine_of_mut(proc);
        if machine.records.count() > 0 {
            machine.drop_record_locks_of(proc, id);
        }
        self.release(proc, id);
    }

    /// A descriptor of a process on this machine, or a call that waits, needs a
    /// description no more.
    pub(super) fn release(&mut self, proc: ProcId, id: DescriptionId) {
        let machine = self.machine_of_mut(proc);
        if machine.records.count() > 0 {
            machine.drop_record_locks_if_last(id);
        }
        if let Some(socket) = machine.files.close(id) {
            self.close_socket(self.process(proc).machine, socket);
        }
    }

    fn peer_cred(&mut self, proc: ProcId, fd: Fd) -> Reply {
        let nobody = PeerCred { pid: Pid(0), uid: Uid(u32::MAX) };
        let peer = self
            .files(proc)
            .peer_cred(fd)?
            .map(|who| PeerCred { pid: self.pid_for(proc, who.proc), uid: who.uid });
        Ok(Ret::PeerCred(peer.unwrap_or(nobody)))
    }

    /// What a process needs for calls on files.
    pub(super) fn files(&mut self, proc: ProcId) -> Files<'_> {
        let process = &mut self.procs[proc.0 as usize];
        let machine = &mut self.machines[usize::from(process.machine.0)];
        let now = machine.files.stamp(machine.realtime);
        Files {
            system: &mut machine.files,
            sockets: &mut machine.sockets,
            caller: Caller {
                proc,
                uid: process.uid,
                now,
                time: self.now,
                effects: &mut self.effects,
            },
            process,
        }
    }
}

impl From<Result<Ret, Errno>> for Outcome {
    fn from(reply: Result<Ret, Errno>) -> Self {
        Self::Done(reply)
    }
}

impl From<Ret> for Outcome {
    fn from(ret: Ret) -> Self {
        Self::Done(Ok(ret))
    }
}

impl From<Errno> for Outcome {
    fn from(errno: Errno) -> Self {
        Self::Done(Err(errno))
    }
}
