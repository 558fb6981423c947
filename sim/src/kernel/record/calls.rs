//! `fcntl` with a record lock.

use locklab_sys::{Errno, Fd, HeldLock, LockCommand, LockKind, RecordLock, Reply, Ret};

use super::{Lock, LockMode, Owner, Range};
use crate::kernel::fs::DescriptionId;
use crate::kernel::machine::Machine;
use crate::kernel::wait::Blocked;
use crate::kernel::{Kernel, Outcome, ProcId, TaskId};

impl Kernel {
    #[inline(never)]
    pub(in crate::kernel) fn fcntl(
        &mut self,
        task: TaskId,
        fd: Fd,
        command: LockCommand,
        lock: &RecordLock,
    ) -> Outcome {
        let proc = self.process_of(task);
        let (description, asked) = match self.asked(proc, fd, command, lock) {
            Ok(asked) => asked,
            Err(errno) => return errno.into(),
        };
        let is_unlock = lock.kind == LockKind::Unlock;
        let records = &mut self.machine_of_mut(proc).records;
        let in_the_way = records.in_the_way(&asked);
        match command {
            LockCommand::Get | LockCommand::OfdGet => {
                let found = match is_unlock {
                    true => records.first_of(asked.target, asked.owner, asked.range),
                    false => in_the_way,
                };
                let found = found.map(|at| *records.get(at));
                return Ret::Lock(found.map(|found| self.told(proc, &found))).into();
            }
            _ if is_unlock => records.drop_range(asked.target, asked.owner, asked.range),
            LockCommand::Set | LockCommand::OfdSet if in_the_way.is_some() => {
                return Errno::EAGAIN.into();
            }
            _ => match in_the_way {
                Some(at) => match records.wait(task, asked, at) {
                    Ok(()) => return self.block(task, Blocked::RecordLock { fd, description }),
                    Err(errno) => return errno.into(),
                },
                None => records.take(&asked),
            },
        }
        Ret::Unit.into()
    }

    /// Lets a call that has waited return. If another thread has closed the
    /// descriptor meanwhile, the process keeps no record lock of the file.
    pub(in crate::kernel) fn take_record_lock(
        &mut self,
        task: TaskId,
        fd: Fd,
        description: DescriptionId,
    ) -> Reply {
        let proc = self.process_of(task);
        let is_still_open = self.process(proc).descriptors.get(fd) == Ok(description);
        let records = &mut self.machine_of_mut(proc).records;
        let taken = records.finish(task)?;
        if !is_still_open && taken.owner == Owner::Process(proc) {
            records.drop_range(taken.target, taken.owner, Range::ALL);
            return Err(Errno::EBADF);
        }
        Ok(Ret::Unit)
    }

    /// What a call asks for, if it may. Nothing is made of the mode of
    /// `F_UNLCK`.
    fn asked(
        &self,
        proc: ProcId,
        fd: Fd,
        command: LockCommand,
        lock: &RecordLock,
    ) -> Result<(DescriptionId, Lock), Errno> {
        let description = self.process(proc).descriptors.get(fd)?;
        if (command, lock.kind) == (LockCommand::Get, LockKind::Unlock) {
            return Err(Errno::EINVAL);
        }
        let range = Range::of(lock)?;
        let files = &self.machine_of(proc).files;
        let only_asks = matches!(command, LockCommand::Get | LockCommand::OfdGet);
        let may = match lock.kind {
            LockKind::Read => files.reads(description),
            LockKind::Write => files.writes(description),
            LockKind::Unlock => true,
        };
        if !only_asks && !may {
            return Err(Errno::EBADF);
        }
        let owner = match command {
            LockCommand::Get | LockCommand::Set | LockCommand::SetWait => Owner::Process(proc),
            _ => Owner::Description(description),
        };
        let mode = match lock.kind {
            LockKind::Read | LockKind::Unlock => LockMode::Shared,
            LockKind::Write => LockMode::Exclusive,
        };
        Ok((description, Lock { target: files.opened(description), owner, mode, range }))
    }

    /// A lock as `F_GETLK` tells of it.
    fn told(&self, reader: ProcId, found: &Lock) -> HeldLock {
        let kind = match found.mode {
            LockMode::Shared => LockKind::Read,
            LockMode::Exclusive => LockKind::Write,
        };
        let pid = match found.owner {
            Owner::Process(proc) => Some(self.pid_for(reader, proc)),
            Owner::Description(_) => None,
        };
        let lock = RecordLock { kind, start: found.range.first, len: found.range.len() };
        HeldLock { lock, pid }
    }
}

impl Machine {
    /// A process closes a descriptor: whatever record locks it has there, by
    /// whatever other descriptor, are dropped.
    #[cold]
    pub(in crate::kernel) fn drop_record_locks_of(&mut self, proc: ProcId, id: DescriptionId) {
        self.records.drop_range(self.files.opened(id), Owner::Process(proc), Range::ALL);
    }

    /// Those of a description go with the last that needs it.
    #[cold]
    pub(in crate::kernel) fn drop_record_locks_if_last(&mut self, id: DescriptionId) {
        if self.files.is_last(id) {
            self.records.drop_range(self.files.opened(id), Owner::Description(id), Range::ALL);
        }
    }
}
