//! What each call does.

use locklab_sys::{Call, Errno, ExitStatus, Ret};

use super::files::Files;
use super::fs::Caller;
use super::{Kernel, Outcome, ProcId, TaskId};

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
            process.is_alive() && !process.is_stopped() && !self.is_blocked(task),
            "{} calls though it cannot run",
            process.name
        );
        match call {
            Call::Open { path, flags } => self.files(proc).open(path, *flags).into(),
            Call::Read { fd, len } => self.files(proc).read(*fd, *len).into(),
            Call::Write { fd, data } => self.files(proc).write(*fd, data).into(),
            Call::Close { fd } => self.files(proc).close(*fd).into(),
            Call::Stat { path } => self.files(proc).stat(path).into(),
            Call::Fstat { fd } => self.files(proc).fstat(*fd).into(),
            Call::Link { old, new } => self.files(proc).link(old, new).into(),
            Call::Rename { old, new } => self.files(proc).rename(old, new).into(),
            Call::Unlink { path } => self.files(proc).unlink(path).into(),
            Call::Mkdir { path } => self.files(proc).mkdir(path).into(),
            Call::Rmdir { path } => self.files(proc).rmdir(path).into(),
            Call::Readdir { fd } => self.files(proc).readdir(*fd).into(),
            Call::Flock { fd, op } => self.flock(task, *fd, *op),
            Call::Getpid => Ret::Pid(process.pid).into(),
            Call::ProcStat { pid } => self.proc_stat(process.machine, *pid).into(),
            Call::BootId => Ret::BootId(self.machine_of(proc).boot_id).into(),
            Call::Kill { pid, signal } => self.signal(proc, *pid, *signal),
            Call::Spawn { image, keep } => self.spawn(proc, image, keep),
            Call::Exit { code } => {
                self.end(proc, ExitStatus::Code(*code));
                Outcome::Ended
            }
            Call::Wait { pid, timeout } => self.wait(task, *pid, *timeout),
            Call::ClockGettime { clock } => Ret::Time(self.clock(process.machine, *clock)).into(),
            Call::Nanosleep { duration } => self.nanosleep(task, *duration),
            Call::Getrandom { len } => Ret::Bytes(self.random.draw(*len)).into(),
            Call::CellRead { cell } => Ret::Cell(process.cells.read(cell)).into(),
            Call::CellWrite { cell, value } => {
                self.process_mut(proc).cells.write(cell, *value);
                Ret::Unit.into()
            }
        }
    }

    /// What a process needs for calls on files.
    pub(super) fn files(&mut self, proc: ProcId) -> Files<'_> {
        let process = &mut self.procs[proc.0 as usize];
        let machine = &mut self.machines[usize::from(process.machine.0)];
        Files {
            descriptors: &mut process.descriptors,
            system: &mut machine.files,
            caller: Caller { proc, realtime: machine.realtime, effects: &mut self.effects },
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
